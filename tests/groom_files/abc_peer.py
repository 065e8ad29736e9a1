"""An Alembic file that Blender makes becomes a groom that Plait reads: abc_peer.py TOOL NPZ_PEER FOLDER. Exit code 77: no bpy."""
import os
import subprocess
import sys

try:
    import bpy
    import numpy
except ImportError as missing:
    print(f"skipped: {missing.name} is not installed")
    sys.exit(77)

tool, peer, folder = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
source, result, again = (os.path.join(folder, name) for name in ("hair.abc", "hair.npz", "again.npz"))

# Blender has z up, Alembic and grooms have y up.
counts = [4, 3, 6]
points = numpy.random.default_rng(5).random((sum(counts), 3)).astype("f4")
radii = (0.01 * numpy.arange(1, sum(counts) + 1)).astype("f4")
bpy.ops.wm.read_factory_settings(use_empty=True)
hair = bpy.data.hair_curves.new("hair")
hair.add_curves(counts)
hair.position_data.foreach_set("vector", points[:, [0, 2, 1]].ravel() * numpy.tile([1, -1, 1], sum(counts)))
radius = hair.attributes.get("radius") or hair.attributes.new("radius", "FLOAT", "POINT")
radius.data.foreach_set("value", radii)
thing = bpy.data.objects.new("hair", hair)
bpy.context.scene.collection.objects.link(thing)
thing.location = (0, 0, 1.5)
bpy.ops.wm.alembic_export(filepath=source, as_background_job=False, start=1, end=1)

done = subprocess.run([sys.executable, tool, source, result], capture_output=True, text=True)
assert done.returncode == 0, done.stderr
assert "3 strands, 13 vertices" in done.stdout, done.stdout
done = subprocess.run([peer, result, again], capture_output=True, text=True)
assert done.returncode == 0, done
with numpy.load(again) as arrays:
    assert arrays["vertex_counts"].tolist() == counts, arrays["vertex_counts"]
    assert numpy.allclose(arrays["positions"], points + [0, 1.5, 0], atol=1e-6), arrays["positions"] - points
    assert numpy.allclose(arrays["radii"], radii, rtol=1e-5), arrays["radii"] / radii
print("Blender", bpy.app.version_string, "agrees")
