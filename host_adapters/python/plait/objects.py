"""Contexts, devices, grooms, bodies, bindings and hairs as objects.

Each owns a handle until close() or the end of a with statement. Closing a context closes everything made in it. The thread
rules are those of the header: one call at a time for each hair.
"""
import ctypes
import threading

import numpy

from . import native
from .errors import PlaitError
from .library import load


def _named(prefix):
    return {name[len(prefix):].lower(): value for name, value in vars(native).items() if name.startswith(prefix)}


BACKENDS = _named("PLAIT_BACKEND_")  # "best", "cpu", "vulkan", ...
SOLVERS = _named("PLAIT_SOLVER_")  # "shape", "hybrid"
_PARAMS = {value: getattr(native, f"plait_{name}_params") for name, value in SOLVERS.items()}
_FLOATS = ctypes.POINTER(ctypes.c_float)


class _Owned:
    """A handle and the call that ends it."""

    def __init__(self, context, handle, destroy):
        self.context, self.handle, self._destroy = context, handle, destroy

    def close(self):
        """Ends the object; does nothing a second time, or when the context is closed, which has ended it."""
        if self.handle.id and self.context.handle.id:
            handle, self.handle = self.handle, type(self.handle)()
            self.context._check(self._destroy, handle)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        handle = getattr(self, "handle", None)  # None: the constructor has failed
        if handle is not None and handle.id and self.context.handle.id:
            self._destroy(handle)

    def _query(self, call, struct):
        info = struct()
        self.context._check(call, self.handle, ctypes.byref(info))
        return info


class Context(_Owned):
    """Owns everything else. log(level, id, text) gets messages of min_level (native.PLAIT_LOG_xxx) and above; from any thread."""

    def __init__(self, log=None, min_level=native.PLAIT_LOG_WARNING, thread_count=0):
        self.library = load()
        self._log, self._min_level, self._reasons = log, min_level, threading.local()
        self._callback = native.plait_logger_log(self._on_message)  # Plait calls it as long as the context lives
        logger = native.plait_logger(log=self._callback, min_level=min(min_level, native.PLAIT_LOG_ERROR))
        desc = native.plait_context_desc(logger=ctypes.pointer(logger), thread_count=thread_count)
        super().__init__(self, native.plait_context(), self.library.plait_context_destroy)
        self._check(self.library.plait_context_create, ctypes.byref(desc), ctypes.byref(self.handle))

    def _on_message(self, _user, level, number, text):
        text = text.decode("utf-8", "replace")
        if level >= native.PLAIT_LOG_ERROR:
            self._reasons.last = number, text
        if self._log and level >= self._min_level:
            self._log(level, number, text)

    def _check(self, call, *arguments):
        result = call(*arguments)
        if result < 0:
            self._fail(call, result)
        return result

    def _fail(self, call, result):
        number, text = getattr(self._reasons, "last", (0, ""))
        reason = text if number == result else ""  # calls that do not find their context log nothing
        raise PlaitError(call.__name__, result, self.library.plait_result_text(result).decode(), reason)

    def devices(self):
        """native.plait_device_info of all devices of this machine, best first."""
        count = ctypes.c_uint32()
        self._check(self.library.plait_device_enumerate, self.handle, ctypes.byref(count), None)
        infos = native.array_of(native.plait_device_info, count.value)
        self._check(self.library.plait_device_enumerate, self.handle, ctypes.byref(count), infos)
        return list(infos)[:count.value]

    def open_device(self, backend="best", index=0):
        """backend: a name of BACKENDS."""
        return Device(self, _choice("backend", backend, BACKENDS), index)

    def create_groom(self, positions, vertex_counts, bone_count=1, **more):
        """See Groom."""
        return Groom(self, positions, vertex_counts, bone_count, **more)

    def load_groom(self, path):
        """A groom from an .npz file as host_adapters/groom_files/npz.md describes it, with roots on bones. Its unit is
        groom.meters_per_unit, and that of hairs made of it."""
        with numpy.load(path) as file:
            arrays = {name: file[name] for name in file.files}
        version = arrays.get("version", 1)
        if version != 1:
            raise ValueError(f"{path}: version {version}; 1 is read here")
        if "mesh_positions" in arrays:
            raise ValueError(f"{path}: roots are on a mesh, which needs native.plait_groom_mesh_desc")
        positions = arrays["positions"]
        counts = arrays.get("vertex_counts", [positions.shape[1]] * len(positions) if positions.ndim == 3 else None)
        if counts is None:
            raise ValueError(f"{path}: positions of the shape {positions.shape} need vertex_counts")
        names = ("radii", "root_bones", "bind_pose", "root_normals", "group_indices", "held_counts")
        more = {name: arrays[name] for name in names if name in arrays}
        if "root_binding_bones" in arrays:
            more["root_bindings"] = arrays["root_binding_bones"], arrays["root_binding_weights"]
        groom = Groom(self, positions.reshape(-1, 3), counts, _count_bones(path, arrays), groups=_groups(arrays), **more)
        groom.meters_per_unit = float(arrays.get("meters_per_unit", 0))
        return groom

    def create_body(self, colliders, bone_count=1):
        """colliders: what capsule(), sphere() and half_space() return."""
        return Body(self, colliders, bone_count)

    def create_hair(self, groom, device, solver="shape", **more):
        """See Hair."""
        return Hair(self, groom, device, solver, **more)

    def create_binding(self, guides, render, guide_count=0, parting_angle=0):
        """Which strands of the groom guides each strand of the groom render follows."""
        return Binding(self, guides, render, guide_count, parting_angle)


class Device(_Owned):
    """Where hair is simulated."""

    def __init__(self, context, backend, index):
        library = context.library
        desc = native.plait_device_desc(backend=backend, index=index)
        super().__init__(context, native.plait_device(), library.plait_device_close)
        context._check(library.plait_device_open, context.handle, ctypes.byref(desc), ctypes.byref(self.handle))

    def query(self):
        """native.plait_device_info"""
        return self._query(self.context.library.plait_device_query, native.plait_device_info)


class Groom(_Owned):
    """The asset. positions: [vertices][3], strand by strand, root first, in the bind pose. vertex_counts: [strands]. Further
    arrays as in native.plait_groom_desc: radii, root_bones, bind_pose ([bones][12] or [bones][3][4]), root_normals,
    group_indices, held_counts; root_bindings: bones and weights, [strands][4] each; groups: (radius, friction) of each group.
    offsets[s] is the first vertex of strand s. meters_per_unit: what hairs made of it take, unless they are told; 0: 1.
    """

    def __init__(self, context, positions, vertex_counts, bone_count=1, radii=None, root_bones=None, root_bindings=None,
                 bind_pose=None, root_normals=None, group_indices=None, groups=None, held_counts=None):
        counts = _array("vertex_counts", vertex_counts, "u4", (-1,))
        strands, vertices = len(counts), int(counts.sum(dtype="u8"))
        self.offsets = numpy.concatenate([[0], numpy.cumsum(counts, dtype="u8")]).astype("i8")
        descs = native.array_of(native.plait_group_desc, len(groups or ()))
        for one, (radius, friction) in zip(descs, groups or ()):
            one.radius, one.friction = radius, friction
        # The arrays live until the call has copied them.
        arrays = {
            "vertex_counts": counts,
            "positions": _array("positions", positions, "f4", (vertices, 3)),
            "radii": _array("radii", radii, "f4", (vertices,)),
            "root_bones": _array("root_bones", root_bones, "u4", (strands,)),
            "root_bindings": _root_bindings(root_bindings, strands),
            "bind_pose": _bones("bind_pose", bind_pose, bone_count),
            "root_normals": _array("root_normals", root_normals, "f4", (strands, 3)),
            "group_indices": _array("group_indices", group_indices, "u2", (strands,)),
            "held_counts": _array("held_counts", held_counts, "u4", (strands,)),
        }
        desc = native.plait_groom_desc(strand_count=strands, bone_count=bone_count, group_count=len(descs))
        types = dict(native.plait_groom_desc._fields_)
        for name, array in arrays.items():
            if array is not None:
                setattr(desc, name, array.ctypes.data_as(types[name]))
        if descs:
            desc.groups = descs
        library = context.library
        super().__init__(context, native.plait_groom(), library.plait_groom_destroy)
        context._check(library.plait_groom_create, context.handle, ctypes.byref(desc), ctypes.byref(self.handle))
        self.strand_count, self.vertex_count, self.bone_count = strands, vertices, bone_count
        self.meters_per_unit = 0

    def query(self):
        """native.plait_groom_info"""
        return self._query(self.context.library.plait_groom_query, native.plait_groom_info)


class Body(_Owned):
    """Colliders that follow bones."""

    def __init__(self, context, colliders, bone_count):
        array = (native.plait_collider * len(colliders))(*colliders)
        desc = native.plait_body_desc(bone_count=bone_count, collider_count=len(array), colliders=array)
        library = context.library
        super().__init__(context, native.plait_body(), library.plait_body_destroy)
        context._check(library.plait_body_create, context.handle, ctypes.byref(desc), ctypes.byref(self.handle))


class Binding(_Owned):
    """Which guides each render strand follows."""

    def __init__(self, context, guides, render, guide_count, parting_angle):
        library = context.library
        desc = native.plait_binding_desc(guides=guides.handle, render=render.handle, guide_count=guide_count,
                                         parting_angle=parting_angle)
        super().__init__(context, native.plait_binding(), library.plait_binding_destroy)
        context._check(library.plait_binding_create, context.handle, ctypes.byref(desc), ctypes.byref(self.handle))
        self.vertex_count = render.vertex_count


class Hair(_Owned):
    """One running head of hair. solver: a name of SOLVERS. params: what shape_params() or hybrid_params() returns, or a list of
    them, one for each group. Further settings are fields of native.plait_hair_desc: meters_per_unit (the groom's, unless given),
    step_rate_hz, substeps, max_frame_s, teleport_distance, teleport_angle, flags.
    """

    def __init__(self, context, groom, device, solver="shape", params=None, body=None, bones=None, **settings):
        self._library, self.groom = context.library, groom
        start = _bones("bones", bones, groom.bone_count)
        desc = native.plait_hair_desc(groom=groom.handle, device=device.handle, solver=_choice("solver", solver, SOLVERS))
        settings.setdefault("meters_per_unit", groom.meters_per_unit)
        for name, value in settings.items():
            if name not in ("meters_per_unit", "step_rate_hz", "substeps", "max_frame_s", "teleport_distance", "teleport_angle",
                            "flags"):
                raise TypeError(f"{name} is no setting of a hair")
            setattr(desc, name, value)
        if body:
            desc.body = body.handle
        if start is not None:
            desc.bones = start.ctypes.data_as(_FLOATS)
        array = _params(params, desc.solver)
        if array:
            desc.params_count, desc.params = len(array), ctypes.cast(array, ctypes.c_void_p)
        super().__init__(context, native.plait_hair(), self._library.plait_hair_destroy)
        context._check(self._library.plait_hair_create, context.handle, ctypes.byref(desc), ctypes.byref(self.handle))
        self.solver = desc.solver
        self._fall = 0, -9.81 / (desc.meters_per_unit or 1), 0
        # Output memory and the frame stay where they are as long as the hair lives.
        self._positions = self._put_out(self._library.plait_hair_set_output, groom.vertex_count)
        self._render_positions = None
        self._pose = numpy.zeros((groom.bone_count, 12), "f4")
        self._frame = native.plait_frame_desc(bone_count=groom.bone_count)
        self._pose_pointer, self._frame_pointer = self._pose.ctypes.data_as(_FLOATS), ctypes.pointer(self._frame)

    def step(self, dt, bones=None, gravity=None, wind=(0, 0, 0)):
        """Advances by dt seconds. bones: [bones][12] or [bones][3][4] at the end of the frame; None: as before. gravity: units per
        second squared; None: that of the earth, along -y."""
        frame = self._frame
        frame.dt, frame.gravity[:], frame.wind[:] = dt, self._fall if gravity is None else gravity, wind
        if bones is None:
            frame.bones = None
        else:
            self._pose[:] = _bones("bones", bones, len(self._pose))
            frame.bones = self._pose_pointer
        result = self._library.plait_hair_step(self.handle, self._frame_pointer)
        if result < 0:
            self.context._fail(self._library.plait_hair_step, result)

    @property
    def positions(self):
        """[vertices][3] after the last step. No copy: the next step writes into the same memory. It stays valid, with its last
        values, when the hair is closed."""
        self.wait()
        return self._positions

    @property
    def render_positions(self):
        """The same for the strands of the binding; None without one. Only those that query().render_strand_count tells."""
        self.wait()
        return self._render_positions

    def wait(self, timeout_s=10):
        """Until the output of the last step is written; at once on the CPU."""
        self.context._check(self._library.plait_hair_wait, self.handle, int(timeout_s * 1e9))

    def set_params(self, params):
        """As for the constructor, from the next step on."""
        array = _params(params, self.solver)
        self.context._check(self._library.plait_hair_set_params, self.handle, len(array), array)

    def set_volume(self, params):
        """Hair-hair forces: what volume_params() returns, or None for none."""
        self.context._check(self._library.plait_hair_set_volume, self.handle, None if params is None else ctypes.byref(params))

    def set_body(self, body):
        """Other colliders, or None."""
        self.context._check(self._library.plait_hair_set_body, self.handle, body.handle if body else native.plait_body())

    def set_binding(self, binding):
        """The hair carries these render strands, or none (None); see render_positions."""
        handle = binding.handle if binding else native.plait_binding()
        self.context._check(self._library.plait_hair_set_binding, self.handle, handle)
        self._render_positions = None
        if binding:
            self._render_positions = self._put_out(self._library.plait_hair_set_render_output, binding.vertex_count)

    def set_render_params(self, params):
        """What render_params() returns: level of detail, widths, lengths."""
        self.context._check(self._library.plait_hair_set_render_params, self.handle, ctypes.byref(params))

    def move_to(self, device):
        """Goes on on another device of the context."""
        self.context._check(self._library.plait_hair_set_device, self.handle, device.handle)

    def reset(self, bones=None):
        """Every strand in its rest shape at these bones (None: the present ones), without motion."""
        self._place(self._library.plait_hair_reset, bones)

    def teleport(self, bones=None):
        """Every strand is carried rigidly to these bones."""
        self._place(self._library.plait_hair_teleport, bones)

    def settle(self, gravity=None, wind=(0, 0, 0), max_speed=1e-3, max_acceleration=1e-2, max_steps=10000,
               progress=None, progress_steps=0):
        """Brings the hair to rest; returns native.plait_settle_info. progress(info) is called now and then; what it raises ends
        the call and comes out of it."""
        raised = []

        def on_progress(_user, info):
            try:
                progress(info.contents)
            except BaseException as error:  # must not go through the C code between
                raised.append(error)
                return native.PLAIT_ERROR_TIMEOUT
            return native.PLAIT_OK

        desc = native.plait_settle_desc(gravity=self._fall if gravity is None else gravity, wind=wind, max_speed=max_speed, max_acceleration=max_acceleration,
                                        max_steps=max_steps, progress_steps=progress_steps)
        if progress:
            desc.progress = native.plait_settle_desc_progress(on_progress)
        info = native.plait_settle_info()
        result = self._library.plait_hair_settle(self.handle, ctypes.byref(desc), ctypes.byref(info))
        if raised:
            raise raised[0]
        if result < 0:
            self.context._fail(self._library.plait_hair_settle, result)
        return info

    def save(self):
        """Everything that future steps depend on, as bytes."""
        size = ctypes.c_uint64()
        self.context._check(self._library.plait_hair_state_size, self.handle, ctypes.byref(size))
        memory = ctypes.create_string_buffer(size.value)
        self.context._check(self._library.plait_hair_save, self.handle, memory, size)
        return memory.raw

    def load(self, state):
        """Goes on from what save() returned."""
        self.context._check(self._library.plait_hair_load, self.handle, state, len(state))

    def query(self):
        """native.plait_hair_info"""
        return self._query(self._library.plait_hair_query, native.plait_hair_info)

    def stats(self):
        """native.plait_stats_info"""
        return self._query(self._library.plait_hair_stats, native.plait_stats_info)

    def _put_out(self, call, vertex_count):
        memory = numpy.zeros((vertex_count, 3), "f4")
        attribute = native.plait_output_attribute(attribute=native.PLAIT_ATTRIBUTE_POSITION,
                                                  format=native.PLAIT_FORMAT_FLOAT32X3, stride=12)
        desc = native.plait_output_desc(attribute_count=1, attributes=ctypes.pointer(attribute), memory=memory.ctypes.data,
                                        size=memory.nbytes)
        self.context._check(call, self.handle, ctypes.byref(desc))
        return memory

    def _place(self, call, bones):
        array = _bones("bones", bones, self.groom.bone_count)
        pointer = None if array is None else array.ctypes.data_as(_FLOATS)
        self.context._check(call, self.handle, self.groom.bone_count, pointer)


def capsule(bone, a, b, radius_a, radius_b=None, friction=0):
    """A collider between two points in the bone's space."""
    collider = native.plait_collider(kind=native.PLAIT_COLLIDER_CAPSULE, bone=bone, friction=friction)
    collider.points[0][:], collider.points[1][:] = a, b
    collider.radii[:] = radius_a, radius_a if radius_b is None else radius_b
    return collider


def sphere(bone, centre, radius, friction=0):
    """A collider about a point in the bone's space."""
    collider = native.plait_collider(kind=native.PLAIT_COLLIDER_SPHERE, bone=bone, friction=friction)
    collider.points[0][:], collider.radii[0] = centre, radius
    return collider


def half_space(bone, point, normal, friction=0):
    """Everything behind a plane in the bone's space."""
    collider = native.plait_collider(kind=native.PLAIT_COLLIDER_HALF_SPACE, bone=bone, friction=friction)
    collider.points[0][:], collider.points[1][:] = point, normal
    return collider


def shape_params(meters_per_unit=1, **fields):
    """Defaults of solver shape with other values for some fields."""
    return _filled(native.plait_shape_params, lambda params: load().plait_shape_params_default(meters_per_unit, params), fields)


def hybrid_params(meters_per_unit=1, **fields):
    """Defaults of solver hybrid with other values for some fields."""
    return _filled(native.plait_hybrid_params, lambda params: load().plait_hybrid_params_default(meters_per_unit, params), fields)


def volume_params(meters_per_unit=1, model=native.PLAIT_VOLUME_SAND, **fields):
    """Defaults of hair-hair forces with other values for some fields."""
    fields["model"] = model
    return _filled(native.plait_volume_params, lambda params: load().plait_volume_params_default(meters_per_unit, params), fields)


def render_params(**fields):
    """Defaults of render strands with other values for some fields."""
    return _filled(native.plait_render_params, lambda params: load().plait_render_params_default(params), fields)


def _filled(struct, fill, fields):
    params = struct()
    result = fill(ctypes.byref(params))
    if result < 0:
        raise ValueError(load().plait_result_text(result).decode())
    known = [name for name, _ in struct._fields_]
    for name, value in fields.items():
        if name not in known:
            raise TypeError(f"{name} is no field of {struct.__name__}")
        setattr(params, name, tuple(value) if isinstance(value, (list, numpy.ndarray)) else value)
    return params


def _params(params, solver):
    if params is None:
        return None
    params = list(params) if isinstance(params, (list, tuple)) else [params]
    struct = _PARAMS[solver]
    if not all(isinstance(one, struct) for one in params):
        raise TypeError(f"params must be {struct.__name__}, as the solver is")
    return (struct * len(params))(*params)


def _choice(what, name, names):
    if name not in names:
        raise ValueError(f"{what} is {name!r}: it must be one of {', '.join(names)}")
    return names[name]


def _array(name, value, kind, shape):
    if value is None:
        return None
    array = numpy.ascontiguousarray(value, kind)
    if len(array.shape) != len(shape) or any(have != want for have, want in zip(array.shape, shape) if want >= 0):
        raise ValueError(f"{name} has the shape {array.shape} instead of {shape}")
    return array


def _count_bones(path, arrays):
    """Those of the arrays about bones; without these, the ones that are named exist."""
    told = {name: len(arrays[name]) for name in ("bind_pose", "bone_names") if name in arrays}
    if len(set(told.values())) > 1:
        raise ValueError(f"{path}: bind_pose and bone_names are of {told['bind_pose']} and {told['bone_names']} bones")
    if told:
        return next(iter(told.values()))
    used = [numpy.asarray(arrays["root_bones"])] if "root_bones" in arrays else []
    if "root_binding_bones" in arrays:
        used.append(arrays["root_binding_bones"][arrays["root_binding_weights"] > 0])
    return 1 + max([int(one.max()) for one in used if one.size], default=0)


def _groups(arrays):
    """(radius, friction) of each group that the arrays tell of, or that strands are in; None: there is nothing to say."""
    told = [len(arrays[name]) for name in ("group_radii", "group_frictions") if name in arrays]
    count = told[0] if told else 1 + int(max(arrays.get("group_indices", [0]), default=0))
    radius = float(arrays.get("radius", 0))  # counts where neither vertices nor groups have their own
    if count == 1 and not told and not radius:
        return None
    radii, frictions = arrays.get("group_radii", [radius] * count), arrays.get("group_frictions", [1] * count)
    if len(radii) != len(frictions):
        raise ValueError(f"group_radii and group_frictions are of {len(radii)} and {len(frictions)} groups")
    return list(zip(radii, frictions))


def _root_bindings(value, strands):
    if value is None:
        return None
    bindings = numpy.zeros(strands, [("bones", "u4", 4), ("weights", "f4", 4)])  # plait_root_binding
    bindings["bones"] = _array("root_bindings[0]", value[0], "u4", (strands, 4))
    bindings["weights"] = _array("root_bindings[1]", value[1], "f4", (strands, 4))
    return bindings


def _bones(name, value, count):
    if value is None:
        return None
    array = numpy.ascontiguousarray(value, "f4")
    if array.size != count * 12:
        raise ValueError(f"{name} has the shape {array.shape}: [{count}][12] or [{count}][3][4] is expected")
    return array.reshape(count, 12)
