// Roots on triangles whose vertices core has brought, metres.

FN real3 mesh_corner(buffer_ref vertices, lane_uint vertex) {
    lane_uint at = vertex * 3u;
    return vec3(GATHER(vertices, at), GATHER(vertices, at + 1u), GATHER(vertices, at + 2u));
}

KERNEL(mesh_roots) {
    uint row = PACK(item) * MESH_CORNER_ROWS;
    mesh_triangle t;
    t.a = mesh_corner(BUF(vertices), LD_UINT(BUF(corners), row));
    t.b = mesh_corner(BUF(vertices), LD_UINT(BUF(corners), row + 1u));
    t.c = mesh_corner(BUF(vertices), LD_UINT(BUF(corners), row + 2u));
    mesh_place(BUF(bind), BUF(from), BUF(to), PACK(item), t);
}
