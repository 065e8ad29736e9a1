"""Prints what calls cost, in microseconds: the same as in host.c, as many times."""
import time

import plait
import scene

with plait.Context(thread_count=1) as context:
    hair = scene.open_hair(context, "shape", strands=1)
    before = time.perf_counter()
    for _ in range(50000):
        hair.query()
    print(f"query {(time.perf_counter() - before) / 50000 * 1e6:.4f}")
    frames = [scene.frame(i) for i in range(1, 20001)]  # made before: numpy's cost is not a call's
    before = time.perf_counter()
    for frame in frames:
        hair.step(**frame)
    print(f"step {(time.perf_counter() - before) / 20000 * 1e6:.4f}")
