#!/usr/bin/env python3
"""Writes hair curves of USD or Alembic files as a groom that Plait reads (see npz.md).

    curves_to_npz.py hair.usd hair.npz
    curves_to_npz.py hair.abc hair.npz --group-by-object

USD files (.usd, .usda, .usdc, .usdz) are read with usd-core, Alembic files with Blender's module bpy; both come from PyPI:
pip install usd-core numpy, or pip install bpy. Curves are taken as they are at the first frame, in world space; the points of
cubic curves are taken for vertices, which suits the bases that pass through them (Catmull-Rom, linear).

Attributes by the names that Unreal Engine's groom importer knows, as primvars or properties of the curves:

    groom_width           width at each vertex, of each strand or of all: radii are half of it (else the curves' own widths)
    groom_guide           1: the strand is a guide
    groom_group_id        the group of each strand, or of the whole object
    groom_root_uv         texture coordinates of the scalp
    groom_closest_guides  up to three guides of each strand, by their groom_id or their index among the guides
    groom_guide_weights   and their weights
    groom_id              a number for each strand, which groom_closest_guides mean

Of Alembic files these are what Blender hands on: with 5.0 the curves' own widths.
"""
import argparse
import os
import sys

import numpy


class Curves:
    """Curves of one object: points of all strands, and what belongs to them."""

    def __init__(self, name, counts, points):
        self.name = name
        self.counts = numpy.asarray(counts, "u4").reshape(-1)
        self.points = numpy.asarray(points, "f4").reshape(-1, 3)
        self.attributes = {}  # by name: (rows, columns), one row for all, each strand or each vertex
        if self.counts.sum() != len(self.points):
            raise ValueError(f"{name}: its strands have {self.counts.sum()} points, there are {len(self.points)}")

    def set(self, name, values, columns=1):
        values = numpy.asarray(values)
        if values.size:
            self.attributes[name] = values.reshape(-1, columns)

    def per_strand(self, name):
        """The attribute as one row for each strand, or None."""
        values = self.attributes.get(name)
        if values is None:
            return None
        if len(values) == 1:
            return numpy.repeat(values, len(self.counts), axis=0)
        if len(values) == len(self.counts):
            return values
        if len(values) == len(self.points):
            return values[numpy.concatenate([[0], numpy.cumsum(self.counts)[:-1]]).astype(int)]
        raise ValueError(f"{self.name}: {name} has {len(values)} values for {len(self.counts)} strands")

    def per_vertex(self, name):
        values = self.attributes.get(name)
        if values is not None and len(values) == len(self.points) != len(self.counts):
            return values
        values = self.per_strand(name)
        return None if values is None else numpy.repeat(values, self.counts, axis=0)


# ---- files


NAMES = {"groom_width": 1, "groom_guide": 1, "groom_group_id": 1, "groom_root_uv": 2, "groom_id": 1,
         "groom_closest_guides": 0, "groom_guide_weights": 0}  # and their columns; 0: any


def read_usd(path):
    """All BasisCurves of a stage; returns them, and metres per unit."""
    from pxr import Usd, UsdGeom

    stage = Usd.Stage.Open(path)
    cache = UsdGeom.XformCache(Usd.TimeCode.EarliestTime())
    found = []
    for prim in stage.Traverse():
        if not prim.IsA(UsdGeom.Curves):
            continue
        curves, time = UsdGeom.Curves(prim), Usd.TimeCode.EarliestTime()
        points = numpy.asarray(curves.GetPointsAttr().Get(time) or [], "f8").reshape(-1, 3)
        matrix = numpy.asarray(cache.GetLocalToWorldTransform(prim), "f8")  # of row vectors
        points = points @ matrix[:3, :3] + matrix[3, :3]
        hair = Curves(str(prim.GetPath()), curves.GetCurveVertexCountsAttr().Get(time) or [], points)
        widths = curves.GetWidthsAttr().Get(time)
        scale = abs(numpy.linalg.det(matrix[:3, :3])) ** (1 / 3)
        for name, columns in NAMES.items():
            primvar = UsdGeom.PrimvarsAPI(prim).GetPrimvar(name)
            values = primvar.ComputeFlattened(time) if primvar and primvar.HasValue() else None
            if values is None and prim.HasAttribute(name):
                values = prim.GetAttribute(name).Get(time)
            if values is not None:
                values = numpy.asarray(values)
                rows = primvar.GetElementSize() if primvar and columns == 0 else columns
                hair.set(name, values * scale if name == "groom_width" else values, max(rows, 1) if values.ndim < 2 else
                         values.shape[1])
        if "groom_width" not in hair.attributes and widths is not None:
            hair.set("groom_width", numpy.asarray(widths) * scale)
        found.append(hair)
    return found, UsdGeom.GetStageMetersPerUnit(stage)


def read_abc(path):
    """All hair curves that Blender finds; returns them, and metres per unit. Blender has y up of the file as z up."""
    import bpy

    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.alembic_import(filepath=os.path.abspath(path), as_background_job=False)
    found = []
    for thing in bpy.data.objects:
        if thing.type != "CURVES":
            continue
        data, matrix = thing.data, numpy.array(thing.matrix_world)
        points = numpy.empty(3 * len(data.points), "f4")
        data.position_data.foreach_get("vector", points)
        points = points.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]
        points = points[:, [0, 2, 1]] * [1, 1, -1]  # back to y up
        hair = Curves(thing.name, [curve.points_length for curve in data.curves], points)
        for attribute in data.attributes:
            columns = {"FLOAT": 1, "INT": 1, "INT8": 1, "BOOLEAN": 1, "FLOAT2": 2}.get(attribute.data_type, 0)
            name = "groom_width" if attribute.name == "radius" else attribute.name
            if name not in NAMES or not columns or ("groom_width" in hair.attributes and attribute.name == "radius"):
                continue
            values = numpy.empty(columns * len(attribute.data), "f4")
            attribute.data.foreach_get("vector" if columns == 2 else "value", values)
            hair.set(name, 2 * values if attribute.name == "radius" else values, columns)
        found.append(hair)
    return found, 1.0


# ---- the container


def to_arrays(objects, meters_per_unit, group_by_object):
    """The arrays of npz.md."""
    objects = [hair for hair in objects if len(hair.counts)]
    if not objects:
        raise ValueError("there are no curves in it")
    arrays = {
        "version": numpy.uint32(1),
        "meters_per_unit": numpy.float32(meters_per_unit),
        "vertex_counts": numpy.concatenate([hair.counts for hair in objects]),
        "positions": numpy.concatenate([hair.points for hair in objects]),
    }
    strands = len(arrays["vertex_counts"])

    def gather(name, per, columns=1, missing=0):
        """The attribute of all objects, or None if no one has it."""
        parts = [getattr(hair, per)(name) for hair in objects]
        if all(part is None for part in parts):
            return None
        lengths = [len(hair.points if per == "per_vertex" else hair.counts) for hair in objects]
        return numpy.concatenate([numpy.full((length, columns), missing) if part is None else part[:, :columns]
                                  for part, length in zip(parts, lengths)])

    widths = gather("groom_width", "per_vertex")
    if widths is not None:
        arrays["radii"] = (0.5 * widths[:, 0]).astype("f4")
    root_uvs = gather("groom_root_uv", "per_strand", 2)
    if root_uvs is not None:
        arrays["root_uvs"] = root_uvs.astype("f4")
    groups = gather("groom_group_id", "per_strand")
    if group_by_object:
        groups = numpy.repeat(numpy.arange(len(objects)), [len(hair.counts) for hair in objects]).reshape(-1, 1)
    if groups is not None:
        numbers, groups = numpy.unique(groups[:, 0], return_inverse=True)  # any numbers become 0, 1, ...
        if len(numbers) > 65536:
            raise ValueError(f"{len(numbers)} groups are too many")
        arrays["group_indices"] = groups.astype("u2").reshape(-1)
    guides = gather("groom_guide", "per_strand")
    if guides is not None and (guides[:, 0] > 0).any():
        arrays["guides"] = numpy.flatnonzero(guides[:, 0] > 0).astype("u4")
        bind(arrays, objects, gather, strands)
    return arrays


def bind(arrays, objects, gather, strands):
    """closest_guides and guide_weights, if every object has them."""
    if any(hair.per_strand(name) is None for hair in objects for name in ("groom_closest_guides", "groom_guide_weights")):
        return
    columns = min(4, *(hair.per_strand(name).shape[1] for hair in objects
                       for name in ("groom_closest_guides", "groom_guide_weights")))
    closest = gather("groom_closest_guides", "per_strand", columns).astype(int)
    ids = gather("groom_id", "per_strand")
    guides = arrays["guides"]
    if ids is not None:  # numbers of strands, instead of places in the list of guides
        place = {int(ids[guide, 0]): index for index, guide in enumerate(guides)}
        if not all(number in place for number in closest.ravel().tolist()):
            raise ValueError("groom_closest_guides names a strand that is no guide")
        closest = numpy.array([place[number] for number in closest.ravel().tolist()])
    if closest.min() < 0 or closest.max() >= len(guides):
        raise ValueError("groom_closest_guides names a guide that does not exist")
    arrays["closest_guides"] = closest.reshape(strands, columns).astype("u4")
    arrays["guide_weights"] = gather("groom_guide_weights", "per_strand", columns).astype("f4")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", help=".usd, .usda, .usdc, .usdz or .abc")
    parser.add_argument("target", help=".npz")
    parser.add_argument("--group-by-object", action="store_true", help="every object of the file is a group of its own")
    options = parser.parse_args()
    read = read_abc if options.source.lower().endswith(".abc") else read_usd
    try:
        if not os.path.exists(options.source):
            raise ValueError("there is no such file")
        objects, meters_per_unit = read(options.source)
        arrays = to_arrays(objects, meters_per_unit, options.group_by_object)
    except ImportError as problem:
        sys.exit(f"curves_to_npz.py: {options.source}: it needs a module that is not installed: {problem.name}")
    except (ValueError, RuntimeError) as problem:
        sys.exit(f"curves_to_npz.py: {options.source}: {problem}")
    numpy.savez_compressed(options.target, **arrays)
    print(f"{options.target}: {len(arrays['vertex_counts'])} strands, {len(arrays['positions'])} vertices, "
          f"{len(arrays.get('guides', []))} guides")


if __name__ == "__main__":
    main()
