"""The scene of scene.h."""
import numpy

import plait

STRANDS, VERTICES, BONES, FRAMES, EVERY = 48, 12, 2, 600, 10
UPRIGHT = numpy.array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0], "f4")
TURNED = numpy.array([0.75, 0, 0.5, 0, 0, 1, 0, 0, -0.5, 0, 0.75, 0], "f4")


def positions():
    s, v = numpy.meshgrid(numpy.arange(STRANDS), numpy.arange(VERTICES), indexing="ij")
    return numpy.stack([(s % 8 - 4) / 64 + v * (s % 5 - 2) / 128, 0.125 + v / 128,
                        (s // 8 - 3) / 64 + v * (s % 3 - 1) / 64], axis=-1).reshape(-1, 3)


def colliders():
    return [plait.sphere(0, (0, 0.0625, 0), 0.0625, 0.25),
            plait.capsule(1, (0, -0.25, 0), (0, 0, 0), 0.0625, 0.03125)]


def frame(i):
    bones = numpy.stack([TURNED if i // 150 % 2 else UPRIGHT] * 2)
    bones[:, 3] = i % 64 / 256
    bones[1, 7] = -0.125
    return {"dt": 1 / 64, "bones": bones, "gravity": (0, -9.8125, 0), "wind": (i // 100 % 3 / 2, 0, 0)}


def open_hair(context, solver, strands=STRANDS, copies=1):
    groom = context.create_groom(numpy.tile(positions()[:strands * VERTICES], (copies, 1)), [VERTICES] * strands * copies, BONES)
    body = context.create_body(colliders(), BONES)
    return context.create_hair(groom, context.open_device("cpu"), solver, body=body)


def run(context, solver):
    hair = open_hair(context, solver)
    written = []
    for i in range(1, FRAMES + 1):
        hair.step(**frame(i))
        if i % EVERY == 0:
            written.append(hair.positions.tobytes())
    return b"".join(written)
