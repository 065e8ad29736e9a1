"""The Python package through its public interface: python_test.py HOST. The library comes from PLAIT_LIBRARY. Exit code 77: no
NumPy."""
import ctypes
import gc
import os
import subprocess
import sys
import tempfile
import threading
import unittest

try:
    import numpy
except ImportError:
    print("skipped: NumPy is not installed")
    sys.exit(77)

import plait
import scene
from plait import native

HOST = sys.argv.pop(1)


class Frames(unittest.TestCase):
    def bits_are_those_of_c(self, solver):
        with tempfile.TemporaryDirectory() as folder, plait.Context(thread_count=1) as context:
            path = os.path.join(folder, "strands")
            subprocess.run([HOST, solver, path], check=True)
            with open(path, "rb") as file:
                expected = file.read()
            self.assertEqual(len(expected), scene.FRAMES // scene.EVERY * scene.STRANDS * scene.VERTICES * 12)
            self.assertEqual(scene.run(context, solver), expected)

    def test_600_frames_of_shape_have_the_bits_of_a_c_host(self):
        self.bits_are_those_of_c("shape")

    def test_600_frames_of_hybrid_have_the_bits_of_a_c_host(self):
        self.bits_are_those_of_c("hybrid")


class Objects(unittest.TestCase):
    def setUp(self):
        self.messages = []
        self.context = plait.Context(log=lambda *message: self.messages.append(message), thread_count=1)
        self.addCleanup(self.context.close)

    def test_positions_are_a_view_that_steps_write_to(self):
        hair = scene.open_hair(self.context, "shape")
        hair.step(**scene.frame(1))
        view = hair.positions
        before = view.copy()
        hair.step(**scene.frame(2))
        self.assertIs(hair.positions, view)
        self.assertFalse(numpy.array_equal(view, before))
        hair.close()
        self.assertTrue(numpy.isfinite(view).all())

    def test_an_error_names_its_argument(self):
        hair = scene.open_hair(self.context, "shape")
        with self.assertRaises(plait.PlaitError) as raised:
            hair.step(-1)
        self.assertEqual(raised.exception.result, native.PLAIT_ERROR_INVALID_ARGUMENT)
        self.assertIn("frame.dt is -1", str(raised.exception))
        self.assertIn("frame.dt is -1", self.messages[-1][2])
        bad = scene.positions()
        bad[13] = numpy.nan
        with self.assertRaisesRegex(plait.PlaitError, "strand 1, vertex 1"):
            self.context.create_groom(bad, [scene.VERTICES] * scene.STRANDS, scene.BONES)

    def test_arrays_of_a_wrong_shape_are_refused_by_name(self):
        with self.assertRaisesRegex(ValueError, "^positions has the shape"):
            self.context.create_groom(scene.positions()[1:], [scene.VERTICES] * scene.STRANDS)
        hair = scene.open_hair(self.context, "shape")
        with self.assertRaisesRegex(ValueError, "^bones has the shape"):
            hair.step(0.01, bones=numpy.zeros((3, 12)))
        with self.assertRaisesRegex(ValueError, "solver is 'mass_spring'"):
            scene.open_hair(self.context, "mass_spring")
        with self.assertRaisesRegex(TypeError, "colour is no setting"):
            self.context.create_hair(hair.groom, self.context.open_device("cpu"), colour=1)

    def test_a_stale_handle_is_an_error_and_closing_twice_is_not(self):
        hair = scene.open_hair(self.context, "shape")
        stale = native.plait_hair(hair.handle.id)
        hair.close()
        hair.close()
        info = native.plait_hair_info()
        result = self.context.library.plait_hair_query(stale, ctypes.byref(info))
        self.assertEqual(result, native.PLAIT_ERROR_INVALID_HANDLE)

    def test_a_context_ends_what_is_left_in_it(self):
        with plait.Context(thread_count=1) as context:
            hair = scene.open_hair(context, "shape")
        with self.assertRaises(plait.PlaitError) as raised:
            hair.step(0.01)
        self.assertEqual(raised.exception.result, native.PLAIT_ERROR_INVALID_HANDLE)
        hair.close()

    def test_objects_that_nobody_holds_are_ended(self):
        for _ in range(300):  # 255 contexts at once are the limit
            scene.open_hair(plait.Context(thread_count=1), "shape").step(0.01)
        gc.collect()

    def test_callbacks_live_as_long_as_they_are_needed(self):
        hair = scene.open_hair(self.context, "hybrid")
        steps = []
        gc.collect()
        info = hair.settle(progress=lambda info: (gc.collect(), steps.append(info.step_count)), progress_steps=5, max_steps=20,
                           max_speed=1e-9, max_acceleration=1e-9)
        self.assertEqual(steps[:2], [5, 10])
        self.assertEqual(info.step_count, 20)

        def stop(_info):
            raise KeyError("enough")

        with self.assertRaisesRegex(KeyError, "enough"):
            hair.settle(progress=stop, progress_steps=1)

    def test_jobs_of_the_host_give_the_same_strands(self):
        library, threads = self.context.library, []

        def parallel_for(_user, count, job, argument):
            def work(first):
                for index in range(first, count, 2):
                    job(argument, index)
            threads[:] = [threading.Thread(target=work, args=(first,)) for first in (0, 1)]
            for one in threads:
                one.start()
            for one in threads:
                one.join()

        callback = native.plait_jobs_parallel_for(parallel_for)
        jobs = native.plait_jobs(parallel_for=callback, thread_count=2)
        desc = native.plait_context_desc(jobs=ctypes.pointer(jobs))
        other = plait.Context()
        own, other.handle = other.handle, native.plait_context()
        self.assertEqual(library.plait_context_create(ctypes.byref(desc), ctypes.byref(other.handle)), 0)
        hairs = [scene.open_hair(context, "shape", copies=100) for context in (self.context, other)]
        for i in range(1, 20):
            for hair in hairs:
                hair.step(**scene.frame(i))
        self.assertTrue(threads)
        self.assertTrue(numpy.array_equal(hairs[0].positions, hairs[1].positions))
        other.close()
        library.plait_context_destroy(own)

    def test_a_saved_state_goes_on_bit_for_bit(self):
        one, two = (scene.open_hair(self.context, "hybrid") for _ in range(2))
        for i in range(1, 30):
            one.step(**scene.frame(i))
        two.load(one.save())
        for hair in one, two:
            hair.step(**scene.frame(30))
        self.assertTrue(numpy.array_equal(one.positions, two.positions))
        with self.assertRaises(plait.PlaitError) as raised:
            two.load(b"not a state at all")
        self.assertEqual(raised.exception.result, native.PLAIT_ERROR_INVALID_STATE)

    def test_a_hair_moves_to_another_device_and_back(self):
        hair = scene.open_hair(self.context, "shape")
        for backend in ("null", "cpu"):
            hair.step(**scene.frame(1))
            hair.move_to(self.context.open_device(backend))
            hair.step(**scene.frame(2))
        self.assertEqual(hair.stats().frame_count, 4)

    def test_parameters_change_the_motion_and_wrong_ones_are_refused(self):
        soft, stiff = (scene.open_hair(self.context, "shape") for _ in range(2))
        soft.set_params(plait.shape_params(compliance_root_s2=0.1, compliance_tip_s2=0.1))
        stiff.set_params(plait.shape_params(compliance_root_s2=0, compliance_tip_s2=0))
        for i in range(1, 60):
            for hair in soft, stiff:
                hair.step(**scene.frame(1))
        self.assertGreater(stiff.positions[11, 1], soft.positions[11, 1] + 0.01)
        with self.assertRaisesRegex(TypeError, "plait_shape_params"):
            soft.set_params(plait.hybrid_params())
        with self.assertRaisesRegex(TypeError, "stiffness is no field"):
            plait.shape_params(stiffness=1)

    def test_render_strands_follow_their_guides(self):
        hair = scene.open_hair(self.context, "shape")
        dense = numpy.concatenate([scene.positions(), scene.positions() + [0.001, 0, 0]])
        render = self.context.create_groom(dense, [scene.VERTICES] * scene.STRANDS * 2, scene.BONES)
        hair.set_binding(self.context.create_binding(hair.groom, render))
        for i in range(1, 20):
            hair.step(**scene.frame(i))
        guides = hair.positions
        self.assertEqual(hair.render_positions.shape, (len(guides) * 2, 3))
        numpy.testing.assert_allclose(hair.render_positions[:len(guides)], guides, atol=1e-5)

    def test_a_groom_from_an_npz_file_follows_its_bones(self):
        bones = numpy.zeros((scene.STRANDS, 4), "u4")
        weights = numpy.zeros((scene.STRANDS, 4), "f4")
        bones[:, 0], weights[:, 0] = numpy.arange(scene.STRANDS) % 2, 1
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "groom.npz")
            numpy.savez(path, positions=scene.positions().reshape(scene.STRANDS, scene.VERTICES, 3), root_binding_bones=bones,
                        root_binding_weights=weights, group_radii=[1e-4, 2e-4], group_indices=bones[:, 0])
            groom = self.context.load_groom(path)
            numpy.savez(path, positions=scene.positions(), vertex_counts=[2], mesh_positions=[])
            with self.assertRaisesRegex(ValueError, "roots are on a mesh"):
                self.context.load_groom(path)
        info = groom.query()
        self.assertEqual((info.strand_count, info.bone_count, info.group_count), (scene.STRANDS, 2, 2))
        hair = self.context.create_hair(groom, self.context.open_device("cpu"))
        pose = numpy.stack([scene.UPRIGHT, scene.UPRIGHT])
        pose[1, 7] = 0.5  # the second bone goes up
        hair.step(0, pose)
        rise = hair.positions[groom.offsets[:-1], 1] - scene.positions()[groom.offsets[:-1], 1]
        numpy.testing.assert_allclose(rise, bones[:, 0] * 0.5, atol=1e-6)

    def load(self, **arrays):
        """A groom from an .npz file with the scene's strands and these arrays."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "groom.npz")
            numpy.savez(path, **{"positions": scene.positions().reshape(scene.STRANDS, scene.VERTICES, 3), **arrays})
            return self.context.load_groom(path)

    def test_an_npz_file_tells_groups_bones_radius_and_unit(self):
        indices = numpy.arange(scene.STRANDS) % 3
        self.assertEqual(self.load(group_indices=indices).query().group_count, 3)  # as curves_to_npz.py writes them
        self.assertEqual(self.load(group_indices=indices, group_frictions=[1, 0.5, 0, 1]).query().group_count, 4)
        self.assertEqual(self.load(bone_names=numpy.array(["head", "neck", "tail"], "S")).query().bone_count, 3)
        far = numpy.tile(numpy.array([[1, 9, 0, 0]]), (scene.STRANDS, 1))  # a bone that counts nothing need not exist
        self.assertEqual(self.load(root_binding_bones=far, root_binding_weights=far == 1).query().bone_count, 2)
        device = self.context.open_device("cpu")
        hair = self.context.create_hair(self.load(radius=0.25), device)
        hair.step(0)
        self.assertAlmostEqual(hair.query().bounds_max[1], hair.positions[:, 1].max() + 0.25, places=5)
        # In centimetres all falls as in metres, only that the numbers are larger.
        metres, centimetres = (self.context.create_hair(self.load(positions=scene.positions().reshape(scene.STRANDS, -1, 3) * size,
                                                                  meters_per_unit=1 / size), device) for size in (1, 100))
        self.assertAlmostEqual(centimetres.groom.meters_per_unit, 0.01)
        for _ in range(30):
            metres.step(1 / 60)
            centimetres.step(1 / 60)
        self.assertGreater(abs(metres.positions - scene.positions()).max(), 0.01)
        numpy.testing.assert_allclose(centimetres.positions / 100, metres.positions, atol=1e-4)

    def test_npz_files_that_cannot_be_are_refused(self):
        with self.assertRaisesRegex(ValueError, "version 9"):
            self.load(version=9)
        with self.assertRaisesRegex(ValueError, "vertex_counts"):
            self.load(positions=scene.positions())
        with self.assertRaisesRegex(ValueError, "3 and 2 bones"):
            self.load(bind_pose=numpy.tile(scene.UPRIGHT, (3, 1)), bone_names=numpy.array(["head", "neck"], "S"))

    def test_devices_are_listed_and_unknown_ones_refused(self):
        names = [native.PLAIT_BACKEND_CPU, native.PLAIT_BACKEND_VULKAN, native.PLAIT_BACKEND_CUDA, native.PLAIT_BACKEND_NULL]
        self.assertIn(native.PLAIT_BACKEND_CPU, [info.backend for info in self.context.devices()])
        self.assertTrue(all(info.backend in names for info in self.context.devices()))
        with self.assertRaises(plait.PlaitError):
            self.context.open_device("cpu", index=99)


if __name__ == "__main__":
    unittest.main()
