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
			documented("PlaitHair3D")
			documented("PlaitGroom")
			hair.groom = null
			print("finished")
			get_tree().quit()


## The help of the editor, which the library carries, names every property and method.
func documented(type: String) -> void:
	var text := FileAccess.get_file_as_string("res://%s.xml" % type)
	var missing := []
	var accessors := []
	for property in ClassDB.class_get_property_list(type, true):
		if property.usage & (PROPERTY_USAGE_GROUP | PROPERTY_USAGE_CATEGORY):
			continue
		accessors.append_array(["get_" + property.name, "set_" + property.name])
		if not '<member name="%s"' % property.name in text:
			missing.append(property.name)
	for method in ClassDB.class_get_method_list(type, true):
		if not method.name in accessors and not '<method name="%s"' % method.name in text:
			missing.append(method.name)
	Verdicts.check("documents_" + type, missing.is_empty() and not accessors.is_empty(), missing)
