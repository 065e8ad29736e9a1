// Teleport: deformations turn with their strands, as positions do in `carry`, which comes behind.

// Of a symmetric matrix, R M R^T, by what it does to the axes: columns of R are where they go.
FN symmetric volume_turn(rigid_carry c, symmetric m) {
    real3 axis_x = carry_direction(c, vec3(R(1.0f), R(0.0f), R(0.0f)));
    real3 axis_y = carry_direction(c, vec3(R(0.0f), R(1.0f), R(0.0f)));
    real3 axis_z = carry_direction(c, vec3(R(0.0f), R(0.0f), R(1.0f)));
    real3 to_x = vec3(axis_x.x, axis_y.x, axis_z.x); // rows
    real3 to_y = vec3(axis_x.y, axis_y.y, axis_z.y);
    real3 to_z = vec3(axis_x.z, axis_y.z, axis_z.z);
    real3 mx = symmetric_times(m, to_x);
    real3 my = symmetric_times(m, to_y);
    real3 mz = symmetric_times(m, to_z);
    symmetric r;
    r.xx = dot3(to_x, mx);
    r.xy = dot3(to_x, my);
    r.xz = dot3(to_x, mz);
    r.yy = dot3(to_y, my);
    r.yz = dot3(to_y, mz);
    r.zz = dot3(to_z, mz);
    return r;
}

KERNEL(volume_carry) {
    uint pack = PACK(item);
    uint first = UNIFORM_UINT(BUF(packs), pack * PACK_UINTS + PACK_FIRST);
    uint vertices = UNIFORM_UINT(BUF(packs), pack * PACK_UINTS + PACK_VERTICES);
    rigid_carry c = carry_between(BUF(from), BUF(to), pack);
    for (uint v = 0u; v < vertices; v++) {
        uint row = STRAIN_ROWS * (first + v);
        symmetric m = volume_turn(c, volume_load(BUF(strains), row));
        VOLUME_STORE(BUF(strains), row, m);
    }
}
