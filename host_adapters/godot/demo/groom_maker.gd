class_name GroomMaker
## Combs hair over a round head: strands leave the scalp at a parting, lie on the head and fall. A game loads a groom from a file.


## A groom on the upper and back part of a sphere about center, in metres; the face looks along +Z.
static func make(strands: int, vertices: int, length: float, center: Vector3, radius: float) -> PlaitGroom:
	var random := RandomNumberGenerator.new()
	random.seed = 7
	var positions := PackedVector3Array()
	var counts := PackedInt32Array()
	positions.resize(strands * vertices)
	counts.resize(strands)
	counts.fill(vertices)
	for i in strands:
		var normal := _on_scalp(random)
		var lift := radius * (0.02 + 0.09 * random.randf())
		var own := length * random.randf_range(0.85, 1.0) * (0.8 if normal.z > 0.3 else 1.0)
		var phase := normal.x * 9.0 + random.randf() * 0.7
		var point := center + normal * radius
		var aside := Vector3(signf(normal.x - 0.15 + random.randf_range(-0.12, 0.12)), 0.0, -0.4).normalized()
		var direction := (0.7 * normal + aside).normalized()
		for k in vertices:
			positions[i * vertices + k] = point
			var share := float(k) / (vertices - 1)
			direction = direction.lerp(Vector3.DOWN, 0.22).normalized()
			var wave := Vector3(sin(phase + 7.0 * share), 0.0, cos(phase + 7.0 * share)) * 0.18 * share
			point += (direction + wave).normalized() * own / (vertices - 1)
			var out := point - center
			var layer := radius + lift * minf(1.0, 6.0 * share + 0.1)
			if out.length() < layer:
				point = center + out.normalized() * layer
				direction = (point - positions[i * vertices + k]).normalized()
	var groom := PlaitGroom.new()
	groom.positions = positions
	groom.vertex_counts = counts
	groom.radius = 0.00006
	return groom


static func _on_scalp(random: RandomNumberGenerator) -> Vector3:
	while true:
		var normal := Vector3(random.randfn(), random.randfn(), random.randfn()).normalized()
		var face := normal.z > 0.25 and normal.y < 0.62
		if normal.y > -0.25 and not face:
			return normal
	return Vector3.UP
