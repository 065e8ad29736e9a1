extends Node3D
## Runs in a window; the argument is the beginning of the names of pictures.

const STRANDS := 300
const VERTICES := 12
var camera := Camera3D.new()
var hair: PlaitHair3D
var pictures := OS.get_cmdline_user_args()[0]


func _ready() -> void:
	get_window().size = Vector2i(320, 240)
	var environment := WorldEnvironment.new()
	environment.environment = Environment.new()
	environment.environment.background_mode = Environment.BG_COLOR
	environment.environment.background_color = Color(0.1, 0.3, 0.1)
	environment.environment.ambient_light_source = Environment.AMBIENT_SOURCE_COLOR
	environment.environment.ambient_light_color = Color.WHITE
	add_child(environment)
	camera.position = Vector3(0, -0.1, 0.7)
	camera.fov = 40
	camera.near = 0.02
	add_child(camera)
	await frames_and_pictures()
	await backends()
	await levels_of_detail()
	await solvers_and_forces()
	await wrong_input()
	await skeleton_and_colliders()
	await files()
	await reloads()
	hair.queue_free()
	await get_tree().process_frame
	print("finished")
	get_tree().quit()


func make(strands := STRANDS) -> PlaitHair3D:
	var made := PlaitHair3D.new()
	made.groom = Verdicts.groom(strands, VERTICES)
	made.root_color = Color(1, 0, 1)
	made.tip_color = Color(1, 0, 1)
	made.color_variation = 0.0
	made.generate_colliders = false
	made.least_pixels = 2.0
	add_child(made)
	return made


## So many frames, of which only the last is drawn.
func pass_frames(count: int) -> void:
	RenderingServer.render_loop_enabled = false
	for i in count - 1:
		await get_tree().process_frame
	RenderingServer.render_loop_enabled = true
	await RenderingServer.frame_post_draw


func picture(name: String) -> Image:
	var image := get_viewport().get_texture().get_image()
	image.save_png("%s_%s.png" % [pictures, name])
	return image


func is_hair(pixel: Color) -> bool:
	return pixel.r > 2.0 * pixel.g + 0.1 and pixel.b > 2.0 * pixel.g + 0.1


## Share of the strands' vertices at which the picture has hair, and share of hair in the picture that is near no vertex.
func compare(image: Image) -> Array[float]:
	var near := Image.create(image.get_width(), image.get_height(), false, Image.FORMAT_L8)
	var hit := 0
	var seen := 0
	for p in hair.get_positions():
		var at := Vector2i(camera.unproject_position(p))
		if not Rect2i(Vector2i(3, 3), image.get_size() - Vector2i(6, 6)).has_point(at):
			continue
		near.fill_rect(Rect2i(at - Vector2i(6, 6), Vector2i(13, 13)), Color.WHITE)
		seen += 1
		if is_hair(image.get_pixelv(at)):
			hit += 1
	var wrong := 0
	var all := 0
	for y in image.get_height():
		for x in image.get_width():
			if is_hair(image.get_pixel(x, y)):
				all += 1
				if near.get_pixel(x, y).r < 0.5:
					wrong += 1
	return [float(hit) / maxi(seen, 1), float(wrong) / maxi(all, 1), float(all)]


func frames_and_pictures() -> void:
	hair = make()
	await pass_frames(2)
	var rest := hair.get_positions()
	Verdicts.check("draws_with", RenderingServer.get_current_rendering_method() in pictures, RenderingServer.get_current_rendering_method())
	Verdicts.check("no_error", hair.get_error() == "", hair.get_error())
	var first := picture("first")
	var shares := compare(first)
	Verdicts.check("hair_where_it_must_be", shares[0] > 0.98 and shares[1] < 0.005 and shares[2] > 500, shares)
	for i in 118:
		hair.rotation.y = 0.8 * sin(0.1 * i)
		hair.position.x = 0.08 * sin(0.17 * i)
		if i < 117:
			RenderingServer.render_loop_enabled = false
			await get_tree().process_frame
	RenderingServer.render_loop_enabled = true
	await RenderingServer.frame_post_draw
	var later := picture("later")
	shares = compare(later)
	Verdicts.check("hair_where_it_went", shares[0] > 0.98 and shares[1] < 0.005 and shares[2] > 500, shares)
	var different := 0
	for y in first.get_height():
		for x in first.get_width():
			if is_hair(first.get_pixel(x, y)) != is_hair(later.get_pixel(x, y)):
				different += 1
	Verdicts.check("pictures_differ", different > 200, different)
	Verdicts.check("strands_move", Verdicts.farthest(rest, hair.get_positions()) > 0.02)
	Verdicts.check("box_holds_strands", box_holds(), hair.get_aabb())
	hair.visible = false
	await pass_frames(2)
	Verdicts.check("hidden_hair_is_not_drawn", compare(picture("hidden"))[2] == 0)
	hair.visible = true
	hair.transform = Transform3D.IDENTITY
	await pass_frames(2)


func box_holds() -> bool:
	var box := (hair.global_transform * hair.get_aabb()).grow(1e-3)
	for p in hair.get_positions():
		if not box.has_point(p):
			return false
	return true


func backends() -> void:
	hair.backend = PlaitHair3D.BACKEND_CPU
	hair.reset()
	await pass_frames(40)
	Verdicts.check("cpu", hair.get_active_backend() == "cpu", hair.get_active_backend())
	var before := hair.get_positions()
	hair.backend = PlaitHair3D.BACKEND_VULKAN
	await pass_frames(2)
	Verdicts.check("vulkan", hair.get_active_backend() == "vulkan", hair.get_error())
	Verdicts.check("strands_go_on_vulkan", Verdicts.is_near(before, hair.get_positions(), 0.02), Verdicts.farthest(before, hair.get_positions()))
	print(hair.get_active_path())
	var shares := compare(picture("vulkan"))
	Verdicts.check("hair_where_it_must_be_vulkan", shares[0] > 0.98 and shares[1] < 0.005, shares)
	hair.wind = Vector3(4, 0, 0)
	await pass_frames(30)
	Verdicts.check("strands_move_on_vulkan", Verdicts.farthest(before, hair.get_positions()) > 0.02)
	hair.wind = Vector3.ZERO
	hair.backend = PlaitHair3D.BACKEND_CPU
	await pass_frames(2)
	Verdicts.check("cpu_again", hair.get_active_backend() == "cpu", hair.get_error())
	print("expects an error, where there is no card for CUDA")
	hair.backend = PlaitHair3D.BACKEND_CUDA
	await pass_frames(2)
	var stays := hair.get_active_backend() == "cpu" and hair.get_error().begins_with("backend")
	Verdicts.check("stays_where_it_can_be", stays or hair.get_active_backend() == "cuda", hair.get_error())
	hair.backend = PlaitHair3D.BACKEND_CPU
	await pass_frames(2)
	Verdicts.check("the_error_is_gone", hair.get_error() == "", hair.get_error())


func levels_of_detail() -> void:
	hair.lod_strands = 0.25
	await pass_frames(2)
	Verdicts.check("fewer_simulated_strands", hair.get_drawn_strand_count() == STRANDS / 4, hair.get_drawn_strand_count())
	hair.lod_strands = 1.0
	hair.guide_count = 40
	await pass_frames(3)
	Verdicts.check("guides", hair.get_simulated_strand_count() == 40 and hair.get_drawn_strand_count() == STRANDS, hair.get_simulated_strand_count())
	var shares := compare(picture("guides"))
	Verdicts.check("hair_where_it_must_be_with_guides", shares[0] > 0.98 and shares[1] < 0.005 and shares[2] > 500, shares)
	hair.lod_strands = 0.2
	hair.lod_vertices = 0.5
	await pass_frames(2)
	var drawn := hair.get_drawn_strand_count()
	Verdicts.check("fewer_render_strands", drawn >= STRANDS / 5 and drawn <= STRANDS / 4, drawn)
	hair.lod_strands = 1.0
	hair.lod_vertices = 1.0
	hair.guide_count = 0


func solvers_and_forces() -> void:
	hair.solver = PlaitHair3D.SOLVER_HYBRID
	hair.hybrid_sag_free = true
	await pass_frames(30)
	Verdicts.check("hybrid", hair.get_error() == "" and hair.get_strand_count() == STRANDS, hair.get_error())
	var rest := hair.groom.positions
	var sag := Verdicts.farthest(rest, hair.get_positions())
	Verdicts.check("sag_free_stays_as_drawn", sag < 0.003, sag)
	hair.volume_model = PlaitHair3D.VOLUME_SAND
	await pass_frames(5)
	Verdicts.check("hair_hair_forces", hair.get_error() == "", hair.get_error())
	hair.volume_model = PlaitHair3D.VOLUME_OFF
	hair.solver = PlaitHair3D.SOLVER_SHAPE
	Verdicts.check("settles", hair.settle(2000))
	await pass_frames(2)
	var settled := hair.get_positions()
	await pass_frames(20)
	var moved := Verdicts.farthest(settled, hair.get_positions())
	Verdicts.check("settled_hair_stays", moved < 0.002, moved)
	hair.reset()
	await pass_frames(1)
	Verdicts.check("reset", Verdicts.is_near(rest, hair.get_positions(), 0.002))
	hair.position = Vector3(0, 5, 0)
	hair.teleport()
	await pass_frames(1)
	var carried := PackedVector3Array()
	for p in rest:
		carried.append(p + hair.position)
	Verdicts.check("teleport", Verdicts.is_near(carried, hair.get_positions(), 0.01), Verdicts.farthest(carried, hair.get_positions()))
	hair.position = Vector3.ZERO


func wrong_input() -> void:
	var good := hair.groom
	var bad := PlaitGroom.new()
	bad.positions = PackedVector3Array([Vector3.ZERO, Vector3.DOWN])
	bad.vertex_counts = PackedInt32Array([3])
	print("expects an error")
	hair.groom = bad
	await pass_frames(2)
	Verdicts.check("wrong_counts_are_named", "vertex_counts sum to 3" in hair.get_error(), hair.get_error())
	hair.groom = good
	print("expects an error")
	hair.skeleton = ^"../Nowhere"
	await pass_frames(2)
	Verdicts.check("wrong_skeleton_is_named", "Nowhere" in hair.get_error(), hair.get_error())
	hair.skeleton = ^""
	print("expects an error")
	hair.shape_drag = -1.0
	await pass_frames(2)
	Verdicts.check("wrong_parameter_is_named", "drag" in hair.get_error(), hair.get_error())
	hair.shape_drag = 1.0
	hair.rebuild()
	await pass_frames(2)
	Verdicts.check("well_again", hair.get_error() == "" and hair.get_strand_count() == STRANDS, hair.get_error())


func skeleton_and_colliders() -> void:
	var skeleton := Skeleton3D.new()
	for name in ["Spine", "Head"]:
		var bone := skeleton.add_bone(name)
		skeleton.set_bone_rest(bone, Transform3D(Basis.IDENTITY, Vector3(0, 0.1 * bone, 0)))
	skeleton.set_bone_parent(1, 0)
	skeleton.reset_bone_poses()
	add_child(skeleton)
	var ball := CollisionShape3D.new()
	ball.shape = SphereShape3D.new()
	ball.shape.radius = 0.05
	ball.position = Vector3(0.0, -0.12, -0.2)
	hair.add_child(ball)
	hair.skeleton = hair.get_path_to(skeleton)
	hair.root_bone = "Head"
	hair.settle(500)
	await pass_frames(2)
	Verdicts.check("one_collider", hair.get_collider_count() == 1, hair.get_collider_count())
	var before := hair.get_positions()
	skeleton.set_bone_pose_rotation(1, Quaternion(Vector3.UP, 0.5 * PI))
	hair.teleport()
	await pass_frames(1)
	# About the axis of the bone, which is the y axis of the world.
	var turned := PackedVector3Array()
	for p in before:
		turned.append(p.rotated(Vector3.UP, 0.5 * PI))
	var roots := 0.0
	for i in STRANDS:
		roots = maxf(roots, turned[i * VERTICES].distance_to(hair.get_positions()[i * VERTICES]))
	Verdicts.check("roots_follow_the_bone", roots < 1e-4, roots)
	skeleton.reset_bone_poses()
	for i in 40:
		ball.position.z = -0.2 + 0.005 * i
		await get_tree().process_frame
	await pass_frames(60)
	var deepest := INF
	for p in hair.get_positions():
		deepest = minf(deepest, p.distance_to(ball.global_position))
	Verdicts.check("strands_stay_out_of_the_sphere", deepest > 0.049, deepest)
	ball.disabled = true
	await pass_frames(60)
	deepest = INF
	for p in hair.get_positions():
		deepest = minf(deepest, p.distance_to(ball.global_position))
	Verdicts.check("disabled_shapes_do_not_act", deepest < 0.045, deepest)
	hair.generate_colliders = true
	await pass_frames(2)
	Verdicts.check("limbs_are_generated", hair.get_collider_count() > 1, hair.get_collider_count())
	hair.generate_colliders = false
	hair.skeleton = ^""
	hair.root_bone = ""
	ball.queue_free()
	skeleton.queue_free()
	await pass_frames(2)


func files() -> void:
	for file in ["test.hair", "test.tfx", "test.npz"]:
		if not FileAccess.file_exists("res://" + file):
			continue
		var groom := load("res://" + file) as PlaitGroom
		if groom == null:
			Verdicts.check("loads_" + file, false, "no groom")
			continue
		var ends: Array[Vector3] = []
		for i in groom.get_strand_count():
			ends.append(groom.positions[8 * i + 7])
		ends.sort()
		var right: bool = groom.vertex_counts == PackedInt32Array([8, 8, 8, 8])
		for i in ends.size():
			right = right and ends[i].distance_to(Vector3(0.02 * i, -0.21, 0.07)) < 1e-5
		Verdicts.check("loads_" + file, right, ends)
		if file == "test.npz":
			Verdicts.check("npz_has_bones", groom.bone_names == PackedStringArray(["Spine", "Head"]), groom.bone_names)
		Verdicts.check("saves_%s" % file, ResourceSaver.save(groom, "user://groom.res") == OK)
		var again: PlaitGroom = ResourceLoader.load("user://groom.res", "", ResourceLoader.CACHE_MODE_IGNORE)
		Verdicts.check("saved_groom_is_the_same_" + file, again.positions == groom.positions and again.vertex_counts == groom.vertex_counts)
	if FileAccess.file_exists("res://lossy.npz"):
		print("expects an error: what is lost")
		var lossy := load("res://lossy.npz") as PlaitGroom
		Verdicts.check("heaviest_bone", lossy != null and lossy.root_bones == PackedInt32Array([1, 1, 1, 1]))
	var broken := FileAccess.open("user://broken.hair", FileAccess.WRITE)
	broken.store_buffer("HAIRand nothing else".to_ascii_buffer())
	broken.close()
	print("expects an error")
	print("expects an error")
	Verdicts.check("broken_file_is_refused", load("user://broken.hair") == null)


func resident() -> int:
	var statm := FileAccess.open("/proc/self/statm", FileAccess.READ).get_line().split(" ")
	return 4096 * int(statm[1])


func reloads() -> void:
	var scene := PackedScene.new()
	var character := Node3D.new()
	var child := PlaitHair3D.new()
	child.groom = Verdicts.groom(2000, VERTICES)
	child.guide_count = 100
	character.add_child(child)
	child.owner = character
	scene.pack(character)
	character.free()
	var objects := 0.0
	var textures := 0.0
	var memory := 0
	for i in 23:
		if i == 3: # caches are warm
			objects = Performance.get_monitor(Performance.OBJECT_COUNT)
			textures = Performance.get_monitor(Performance.RENDER_VIDEO_MEM_USED)
			memory = resident()
		var instance := scene.instantiate()
		add_child(instance)
		await pass_frames(2)
		if (instance.get_child(0) as PlaitHair3D).get_drawn_strand_count() != 2000:
			Verdicts.check("reload", false, i)
		instance.free()
		await pass_frames(2)
	Verdicts.check("no_object_is_left", Performance.get_monitor(Performance.OBJECT_COUNT) == objects, Performance.get_monitor(Performance.OBJECT_COUNT) - objects)
	Verdicts.check("no_video_memory_is_left", Performance.get_monitor(Performance.RENDER_VIDEO_MEM_USED) <= textures, Performance.get_monitor(Performance.RENDER_VIDEO_MEM_USED) - textures)
	# A hair takes 5 MB: twenty would be a hundred.
	Verdicts.check("memory_is_bounded", resident() - memory < 20000000, resident() - memory)
