"""NumPy reads what Plait writes, and Plait reads what NumPy writes: numpy_peer.py NPZ_PEER FOLDER. Exit code 77: no NumPy."""
import os
import subprocess
import sys
import zipfile

try:
    import numpy
except ImportError:
    print("skipped: NumPy is not installed")
    sys.exit(77)

peer, folder = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
source, result = os.path.join(folder, "source.npz"), os.path.join(folder, "result.npz")

counts = numpy.array([3, 2, 4], "u4")
strands, vertices = len(counts), int(counts.sum())
random = numpy.random.default_rng(1)
full = {
    "version": numpy.array(1, "u4"),
    "meters_per_unit": numpy.array(0.25, "f4"),
    "radius": numpy.array(0.5, "f4"),
    "transparency": numpy.array(0.125, "f4"),
    "color": numpy.array([0.5, 0.25, 1], "f4"),
    "vertex_counts": counts,
    "positions": random.random((vertices, 3)).astype("f4"),
    "radii": random.random(vertices).astype("f4"),
    "transparencies": random.random(vertices).astype("f4"),
    "colors": random.random((vertices, 3)).astype("f4"),
    "uvs": random.random((vertices, 2)).astype("f4"),
    "root_binding_bones": numpy.array([[1, 0, 0, 0], [2, 1, 0, 0], [0, 1, 2, 0]], "u4"),
    "root_binding_weights": numpy.array([[1, 0, 0, 0], [0.5, 0.5, 0, 0], [0.25, 0.25, 0.5, 0]], "f4"),
    "root_normals": random.random((strands, 3)).astype("f4") + numpy.float32(0.1),
    "root_uvs": random.random((strands, 2)).astype("f4"),
    "group_indices": numpy.array([0, 1, 1], "u2"),
    "group_radii": numpy.array([0.5, 0.25], "f4"),
    "group_frictions": numpy.array([1, 0.5], "f4"),
    "held_counts": numpy.array([1, 2, 3], "u4"),
    "source_strands": numpy.array([5, 7, 9], "u4"),
    "bind_pose": numpy.tile(numpy.eye(3, 4, dtype="f4").reshape(12), (3, 1)),
    "bone_names": numpy.array([b"head", b"neck", b"spine"], "S128"),
    "guides": numpy.array([0, 2], "u4"),
    "closest_guides": numpy.array([[0], [1], [1]], "u4"),
    "guide_weights": numpy.array([[1], [1], [1]], "f4"),
    "mesh_positions": random.random((4, 3)).astype("f4"),
    "mesh_triangles": numpy.array([[0, 1, 2], [1, 2, 3]], "u4"),
    "root_triangles": numpy.array([1, 0, 1], "u4"),
    "root_barycentrics": numpy.array([[0.5, 0.25, 0.25], [1, 0, 0], [0, 0.5, 0.5]], "f4"),
    "hair_header": numpy.frombuffer(b"HAIR".ljust(128, b"."), "u1"),
}


def run():
    return subprocess.run([peer, source, result], capture_output=True, text=True)


def comes_out(arrays, expected, save=numpy.savez):
    save(source, **arrays)
    done = run()
    assert done.returncode == 0, done.stderr
    with numpy.load(result) as written:
        assert set(written.files) >= set(expected), set(expected) - set(written.files)
        for name, array in expected.items():
            assert written[name].dtype == array.dtype, (name, written[name].dtype)
            assert written[name].shape == array.shape, (name, written[name].shape)
            assert (written[name] == array).all(), name
    return done.stdout


def refused(arrays, text):
    numpy.savez(source, **arrays)
    done = run()
    assert done.returncode == 1 and text in done.stderr, (text, done)


# Everything, with both ways to save.
for save in (numpy.savez, numpy.savez_compressed):
    assert comes_out(full, full, save) == "\n"

# The types that NumPy makes when nobody asks for others, and rows in either order.
for kind, integer in (("f8", "i8"), ("f4", "i4"), ("f8", "u8")):
    other = {name: array.astype(kind if array.dtype.kind == "f" else integer) if array.dtype.kind in "fu" else array
             for name, array in full.items()}
    comes_out(other, full)
comes_out({name: numpy.asfortranarray(array) for name, array in full.items()}, full)
comes_out({**full, "bone_names": numpy.array([b"head", b"neck", b"spine"])}, full)
comes_out({**full, "radii": full["radii"].reshape(-1, 1)}, full)

# The least: strands of equal length as a block.
block = random.random((4, 5, 3))
least = {"positions": block.reshape(20, 3).astype("f4"), "vertex_counts": numpy.full(4, 5, "u4")}
comes_out({"positions": block}, least)
comes_out({"positions": numpy.asfortranarray(block)}, least)
comes_out({**least, "positions": numpy.asfortranarray(block)}, least)

# Either of what is said about groups does without the other.
for name in ("group_radii", "group_frictions"):
    rest = {other: array for other, array in full.items() if other != name}
    usual = numpy.full(2, 0 if name == "group_radii" else 1, "f4")
    assert comes_out(rest, {**rest, name: usual}) == "\n"
refused({**full, "group_radii": full["group_radii"][:1]}, "group_frictions")
refused({**full, "group_frictions": numpy.array([1, -1])}, "group_frictions")

# Weights of guides that cannot be are repaired, and counted.
pairs = {**full, "closest_guides": numpy.array([[0, 1]] * strands, "u4")}
told = comes_out({**pairs, "guide_weights": numpy.array([[5, 5], [numpy.nan, -2], [0.25, 0.75]], "f4")},
                 {**pairs, "guide_weights": numpy.array([[0.5, 0.5], [0.5, 0.5], [0.25, 0.75]], "f4")})
assert told.startswith("2 strands whose weights of guides"), told
told = comes_out({**full, "uvs": numpy.full((vertices, 2), numpy.inf)}, {**full, "uvs": numpy.zeros((vertices, 2), "f4")})
assert told.startswith(f"{vertices} colours, transparencies or texture"), told

# What is not known is named; what is wrong is refused, and the array is named.
assert "render_thing.npy" in comes_out({**full, "render_thing": numpy.zeros(3)}, full)
refused({"vertex_counts": counts}, "positions")
refused({**full, "positions": full["positions"][:-1]}, "positions")
refused({**full, "positions": full["positions"].astype(">f4")}, "positions")
refused({**full, "positions": full["positions"].astype("f2")}, "positions")
refused({**full, "radii": full["radii"][:4]}, "radii")
refused({**full, "vertex_counts": counts.astype("f4")}, "vertex_counts")
refused({**full, "held_counts": numpy.array([-1, 1, 1])}, "held_counts")
refused({**full, "group_indices": numpy.array([0, 65536, 0])}, "group_indices")
refused({**full, "bone_names": numpy.array(["head", "neck", "spine"])}, "bone_names")
refused({**full, "bone_names": full["bone_names"][:2]}, "bone_names")
refused({**full, "hair_header": numpy.full(128, b"x" * 500)}, "hair_header")
refused({**full, "guides": numpy.array([2, 0])}, "guide")
refused({**full, "closest_guides": numpy.array([[0], [2], [0]])}, "guide")
refused({**full, "guide_weights": numpy.ones((strands, 2))}, "guide_weights")
refused({**full, "version": 2}, "version")
refused({**full, "root_bones": numpy.zeros(strands, "u4")}, "root_bones")
refused({name: array for name, array in full.items() if name != "root_binding_weights"}, "root_binding")
refused({**full, "mesh_triangles": numpy.array([[0, 1, 2], [1, 2, 4]])}, "mesh_triangles")
refused({**full, "mesh_positions": numpy.full((4, 3), numpy.nan)}, "mesh_positions")
refused({**full, "root_triangles": numpy.array([0, 2, 1])}, "root_triangles")
refused({**full, "root_barycentrics": numpy.ones((strands, 3))}, "root_barycentrics")
for name in ("mesh_positions", "mesh_triangles", "root_triangles"):
    refused({other: array for other, array in full.items() if other != name}, "mesh" if name[0] == "m" else "root_b")
# Headers that lie, in archives that are whole otherwise.
for shape in (b"(8, 3), }", b"(9, 3, 1)", b"(99, 3)  ", b"(9, 2)   ", b"(3, 3)   ", b"(9, 3, 99", b"(9, 3     "):
    numpy.savez(source, **full)
    with zipfile.ZipFile(source) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    assert b"(9, 3), }" in files["positions.npy"]
    files["positions.npy"] = files["positions.npy"].replace(b"(9, 3), }", shape)
    with zipfile.ZipFile(source, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    done = run()
    assert done.returncode == 1 and "positions" in done.stderr, (shape, done)
print("NumPy", numpy.__version__, "agrees")
