extends Node3D
## Runs in an exported game, where files are in a pack and libraries beside the program.


func _ready() -> void:
	Verdicts.check("is_a_pack", not DirAccess.dir_exists_absolute(ProjectSettings.globalize_path("res://addons")))
	for i in 5:
		await get_tree().process_frame
	var hair: PlaitHair3D = $Hair
	Verdicts.check("hair_from_a_file", hair.get_positions().size() == 32, hair.get_error())
	hair.backend = PlaitHair3D.BACKEND_VULKAN
	await get_tree().process_frame
	await get_tree().process_frame
	Verdicts.check("module_is_found", hair.get_active_backend() == "vulkan", hair.get_error())
	print("finished")
	get_tree().quit()
