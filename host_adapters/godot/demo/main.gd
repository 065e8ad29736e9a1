extends Node3D
## A head that turns and nods. Keys: B another backend, S the other solver, W wind, L fewer strands.

@onready var hair: PlaitHair3D = $Hair
@onready var skeleton: Skeleton3D = $Skeleton

var time := 0.0


func _ready() -> void:
	hair.groom = GroomMaker.make(9000, 20, 0.34, Vector3(0, 0.42, 0), 0.1)
	hair.guide_count = 500
	hair.settle(400)


func _process(delta: float) -> void:
	time += delta
	var neck := skeleton.find_bone("Neck")
	var turn := 0.9 * sin(2.6 * time)
	var nod := 0.25 * sin(1.7 * time)
	skeleton.set_bone_pose_rotation(neck, Quaternion.from_euler(Vector3(nod, turn, 0.12 * sin(3.1 * time))))


func _unhandled_key_input(event: InputEvent) -> void:
	if not event.is_pressed() or event.is_echo():
		return
	match event.keycode:
		KEY_B:
			hair.backend = PlaitHair3D.BACKEND_VULKAN if hair.get_active_backend() == "cpu" else PlaitHair3D.BACKEND_CPU
		KEY_S:
			hair.solver = PlaitHair3D.SOLVER_HYBRID if hair.solver == PlaitHair3D.SOLVER_SHAPE else PlaitHair3D.SOLVER_SHAPE
		KEY_W:
			hair.wind = Vector3(3, 0, 1) if hair.wind == Vector3.ZERO else Vector3.ZERO
		KEY_L:
			hair.lod_strands = 1.0 if hair.lod_strands < 0.5 else 0.1
