"""Plait, hair simulation: grooms from numpy arrays in, moving strands as numpy arrays out.

    import numpy, plait

    with plait.Context() as context:
        device = context.open_device("cpu")
        groom = context.create_groom(positions, vertex_counts)
        hair = context.create_hair(groom, device, solver="hybrid")
        for _ in range(120):
            hair.step(1 / 60, gravity=(0, -9.81, 0))
        print(hair.positions)               # a view of the memory that Plait writes to

plait.native is the C interface under its own names, with its documentation; load() is the library itself.
"""
from .errors import PlaitError
from .library import load
from .objects import (BACKENDS, SOLVERS, Binding, Body, Context, Device, Groom, Hair, capsule, half_space, hybrid_params,
                      render_params, shape_params, sphere, volume_params)

__all__ = ["BACKENDS", "SOLVERS", "Binding", "Body", "Context", "Device", "Groom", "Hair", "PlaitError", "capsule", "half_space",
           "hybrid_params", "load", "render_params", "shape_params", "sphere", "volume_params"]
