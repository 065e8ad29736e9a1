@tool
extends Node3D
## Runs in the editor, which has the scene open.

var count := 0
var at_rest := PackedVector3Array()


func _process(_delta: float) -> void:
	if not Engine.is_editor_hint():
		return
	var hair: PlaitHair3D = $Hair
	count += 1
	match count:
		1:
			Verdicts.check("warns_without_a_groom", hair._get_configuration_warnings().size() == 1)
			hair.groom = Verdicts.groom(20, 12)
		5:
			at_rest = hair.get_positions()
			Verdicts.check("shows_the_rest_pose", Verdicts.is_near(at_rest, hair.groom.positions, 1e-5), at_rest.size())
			hair.position.x = 0.1
		30:
			var moved := hair.get_positions()
			var right := moved.size() == at_rest.size()
			for i in moved.size():
				right = right and moved[i].distance_to(at_rest[i] + Vector3(0.1, 0, 0)) < 1e-5
			Verdicts.check("follows_the_node", right)
			var range_of := ""
			for property in hair.get_property_list():
				if property.name == "shape_drag":
					range_of = property.hint_string
			Verdicts.check("properties_have_units", "suffix:1/s" in range_of, range_of)
			hair.groom = null
			print("finished")
			get_tree().quit()
