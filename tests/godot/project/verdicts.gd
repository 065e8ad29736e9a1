class_name Verdicts
## Prints a line for each test, as run.sh wants it.


static func check(name: String, passed: bool, detail: Variant = "") -> void:
	print("passed " + name if passed else "failed %s: %s" % [name, detail])


## Strands that hang from a disc of 12 cm, curved, so that solvers have something to do.
static func groom(strands: int, vertices: int) -> PlaitGroom:
	var positions := PackedVector3Array()
	var counts := PackedInt32Array()
	for i in strands:
		var angle := 2.399963 * i
		var root := Vector3(cos(angle), 0.0, sin(angle)) * 0.06 * sqrt(float(i) / strands)
		counts.append(vertices)
		for k in vertices:
			positions.append(root + Vector3(0.004 * sin(0.9 * k), -0.016 * k, 0.004 * cos(0.9 * k)))
	var made := PlaitGroom.new()
	made.positions = positions
	made.vertex_counts = counts
	made.radius = 0.0002
	return made


static func is_near(a: PackedVector3Array, b: PackedVector3Array, distance: float) -> bool:
	return farthest(a, b) <= distance


static func farthest(a: PackedVector3Array, b: PackedVector3Array) -> float:
	if a.size() != b.size() or a.is_empty():
		return INF
	var most := 0.0
	for i in a.size():
		most = maxf(most, a[i].distance_to(b[i]))
	return most
