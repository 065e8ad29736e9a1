// Roots on triangles whose vertices lie in memory of the host's, in its unit and seen from its origin.

FN real3 mesh_input_corner(buffer_ref memory, lane_uint at, real unit, real3 origin) {
    real3 p = vec3(GATHER_HOST(memory, at), GATHER_HOST(memory, at + 1u), GATHER_HOST(memory, at + 2u));
    return sub3(mul3(p, unit), origin);
}

KERNEL(mesh_input) {
    uint row = PACK(item) * MESH_CORNER_ROWS;
    real unit = UNIFORM(BUF(frame), FRAME_ROOTS);
    real3 origin = UNIFORM3(BUF(frame), FRAME_SHIFT);
    mesh_triangle t;
    t.a = mesh_input_corner(BUF(memory), LD_UINT(BUF(corners), row) * VAL(stride) + VAL(offset), unit, origin);
    t.b = mesh_input_corner(BUF(memory), LD_UINT(BUF(corners), row + 1u) * VAL(stride) + VAL(offset), unit, origin);
    t.c = mesh_input_corner(BUF(memory), LD_UINT(BUF(corners), row + 2u) * VAL(stride) + VAL(offset), unit, origin);
    mesh_place(BUF(bind), BUF(from), BUF(to), PACK(item), t);
}
