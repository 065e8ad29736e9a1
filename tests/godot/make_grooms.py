"""make_grooms.py FOLDER: the same four strands as test.hair, test.tfx and test.npz, written byte by byte. In metres."""
import struct
import sys

folder = sys.argv[1]
STRANDS, VERTICES = 4, 8
strands = [[(0.02 * s, -0.03 * v, 0.01 * v) for v in range(VERTICES)] for s in range(STRANDS)]
flat = [c for strand in strands for p in strand for c in p]

# Cem Yuksel's format: signature, counts, bits of the arrays (2: points), segments, thickness, transparency, colour, text.
with open(folder + "/test.hair", "wb") as f:
    f.write(struct.pack("<4sIIIIff3f88s", b"HAIR", STRANDS, STRANDS * VERTICES, 2, VERTICES - 1, 0.0001, 0, 0.5, 0.5, 0.5, b""))
    f.write(struct.pack("<%df" % len(flat), *flat))

# TressFX 4: version, strands, vertices each, and where positions begin; a position has four floats.
with open(folder + "/test.tfx", "wb") as f:
    header = struct.pack("<fII6I", 4.0, STRANDS, VERTICES, 160, 0, 0, 0, 0, 0)
    f.write(header.ljust(160, b"\0"))
    for strand in strands:
        for p in strand:
            f.write(struct.pack("<4f", *p, 1.0))

import numpy  # the last file, so that the others are there without it

# In centimetres, to see that the unit counts; compressed, to see that Godot unpacks it.
numpy.savez_compressed(folder + "/test.npz", positions=100 * numpy.array(strands, numpy.float32), meters_per_unit=numpy.float32(0.01),
                       bone_names=numpy.array(["Spine", "Head"], dtype="S"), root_bones=numpy.array([1, 1, 1, 1], numpy.uint32))

# With a bad radius, two bones for each root, and colours: the loader says what becomes of these.
numpy.savez(folder + "/lossy.npz", positions=numpy.array(strands, numpy.float32), radii=numpy.full(STRANDS * VERTICES, -1, numpy.float32),
            colors=numpy.ones((STRANDS * VERTICES, 3), numpy.float32), bone_names=numpy.array(["Spine", "Head"], dtype="S"),
            root_binding_bones=numpy.array([[0, 1, 0, 0]] * STRANDS, numpy.uint32),
            root_binding_weights=numpy.array([[0.25, 0.75, 0, 0]] * STRANDS, numpy.float32))
