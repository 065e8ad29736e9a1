"""A USD file that this makes becomes a groom that Plait reads: usd_peer.py TOOL NPZ_PEER FOLDER. Exit code 77: no usd-core."""
import os
import subprocess
import sys

try:
    import numpy
    from pxr import Gf, Sdf, Usd, UsdGeom, Vt
except ImportError as missing:
    print(f"skipped: {missing.name} is not installed")
    sys.exit(77)

tool, peer, folder = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
source, result, again = (os.path.join(folder, name) for name in ("hair.usda", "hair.npz", "again.npz"))

stage = Usd.Stage.CreateNew(source) if not os.path.exists(source) else Usd.Stage.Open(source)
stage.GetRootLayer().Clear()
UsdGeom.SetStageMetersPerUnit(stage, 0.01)
head = UsdGeom.Xform.Define(stage, "/head")
head.AddTranslateOp().Set(Gf.Vec3d(0, 100, 0))
head.AddScaleOp().Set(Gf.Vec3f(2, 2, 2))


def curves(path, counts, points, **primvars):
    hair = UsdGeom.BasisCurves.Define(stage, path)
    hair.CreateTypeAttr("linear")
    hair.CreateCurveVertexCountsAttr(counts)
    hair.CreatePointsAttr(Vt.Vec3fArray.FromNumpy(numpy.asarray(points, "f4")))
    for name, (kind, scope, values, size) in primvars.items():
        primvar = UsdGeom.PrimvarsAPI(hair).CreatePrimvar(name, kind, scope, size)
        primvar.Set(values)
    return hair


types, random = Sdf.ValueTypeNames, numpy.random.default_rng(3)
first, second = random.random((7, 3)), random.random((5, 3))
curves("/head/dense", [4, 3], first,
       groom_width=(types.FloatArray, "vertex", Vt.FloatArray([0.01 * (i + 1) for i in range(7)]), 1),
       groom_guide=(types.IntArray, "uniform", Vt.IntArray([1, 0]), 1),
       groom_id=(types.IntArray, "uniform", Vt.IntArray([70, 71]), 1),
       groom_group_id=(types.IntArray, "constant", Vt.IntArray([5]), 1),
       groom_root_uv=(types.Float2Array, "uniform", Vt.Vec2fArray([(0.25, 0.5), (0.75, 1)]), 1),
       groom_closest_guides=(types.IntArray, "uniform", Vt.IntArray([70, 72, 72, 70]), 2),
       groom_guide_weights=(types.FloatArray, "uniform", Vt.FloatArray([1, 0, 0.25, 0.75]), 2))
flat = curves("/flat", [5], second,
              groom_guide=(types.IntArray, "uniform", Vt.IntArray([1]), 1),
              groom_id=(types.IntArray, "uniform", Vt.IntArray([72]), 1),
              groom_group_id=(types.IntArray, "uniform", Vt.IntArray([9]), 1),
              groom_closest_guides=(types.IntArray, "uniform", Vt.IntArray([72, 70]), 2),
              groom_guide_weights=(types.FloatArray, "uniform", Vt.FloatArray([0.5, 0.5]), 2))
flat.CreateWidthsAttr([0.5])
flat.SetWidthsInterpolation("constant")
stage.GetRootLayer().Save()

done = subprocess.run([sys.executable, tool, source, result], capture_output=True, text=True)
assert done.returncode == 0, done.stderr
assert "3 strands, 12 vertices, 2 guides" in done.stdout, done.stdout
done = subprocess.run([peer, result, again], capture_output=True, text=True)
assert done.returncode == 0 and done.stdout == "\n", done

expected = {
    "vertex_counts": [4, 3, 5],
    "positions": numpy.concatenate([2 * first + [0, 100, 0], second]),
    "radii": [0.01 * (i + 1) for i in range(7)] + 5 * [0.25],  # half the width, twice as large
    "group_indices": [0, 0, 1],
    "root_uvs": [[0.25, 0.5], [0.75, 1], [0, 0]],
    "guides": [0, 2],
    "closest_guides": [[0, 1], [1, 0], [1, 0]],
    "guide_weights": [[1, 0], [0.25, 0.75], [0.5, 0.5]],
    "meters_per_unit": 0.01,
}
with numpy.load(again) as arrays:
    for name, values in expected.items():
        assert numpy.allclose(arrays[name], values, rtol=1e-6), (name, arrays[name])

stage.RemovePrim("/head")
stage.RemovePrim("/flat")
stage.GetRootLayer().Save()
for path in (source, os.path.join(folder, "nowhere.usda")):
    done = subprocess.run([sys.executable, tool, path, result], capture_output=True, text=True)
    assert done.returncode == 1 and path in done.stderr and "Traceback" not in done.stderr, done.stderr
print("usd-core", ".".join(map(str, Usd.GetVersion())), "agrees")
