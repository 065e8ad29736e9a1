// Roots on triangles: where a mesh carries the root of each strand, and the frame that its first segment starts from.

#define MESH_LEAST 1e-3f // of the rest length and height of a triangle: below, it has no direction

// The corners of a triangle now, metres.
STRUCT(mesh_triangle)
    real3 a, b, c;
END(mesh_triangle)

// What the last frame has left in `to` goes to `from`.
FN void mesh_place(buffer_ref bind_rows, buffer_ref from, buffer_ref to, uint pack, mesh_triangle t) {
    uint bind = pack * MESH_ROWS;
    uint root = pack * ROOT_ROWS;
    for (uint r = 0u; r < ROOT_ROWS; r++) {
        real value = LD(to, root + r);
        ST(from, root + r, value);
    }
    real3 a = t.a;
    real3 edge1 = sub3(t.b, a);
    real3 edge2 = sub3(t.c, a);
    real3 across = cross3(edge1, edge2);
    real first = sqrt_(dot3(edge1, edge1));
    real area = sqrt_(dot3(across, across));
    real per_length = R(1.0f) / max_(first, R(1e-18f));
    // In the axes of the triangle now, its deformation from the rest pose is {{stretch1, shear}, {0, stretch2}}.
    real stretch1 = first * LD(bind_rows, bind + MESH_PER_LENGTH);
    real stretch2 = area * per_length * LD(bind_rows, bind + MESH_PER_HEIGHT);
    real shear = dot3(edge1, edge2) * per_length * LD(bind_rows, bind + MESH_PER_HEIGHT) -
                 first * LD(bind_rows, bind + MESH_LEAN);
    mask lost = not_(both(lt(R(MESH_LEAST), min_(stretch1, stretch2)), lt(stretch1 + area, R(1e30f))));

    // The rotation nearest to it, in the plane (polar decomposition of a 2x2 matrix of positive determinant).
    real sum = stretch1 + stretch2;
    real size = R(1.0f) / sqrt_(max_(sum * sum + shear * shear, R(1e-30f)));
    real cosine = sum * size;
    real sine = R(0.0f) - shear * size;
    real3 along = mul3(edge1, per_length);
    real3 normal = mul3(across, R(1.0f) / max_(area, R(1e-36f)));
    real3 beside = cross3(normal, along);
    real3 x = add3(mul3(along, cosine), mul3(beside, sine));
    real3 y = sub3(mul3(beside, cosine), mul3(along, sine));

    real3 local = LD3(bind_rows, bind + MESH_NORMAL);
    real3 tangent = add3(add3(mul3(x, local.x), mul3(y, local.y)), mul3(normal, local.z));
    tangent = mul3(tangent, R(1.0f) / sqrt_(max_(dot3(tangent, tangent), R(1e-12f))));
    local = LD3(bind_rows, bind + MESH_SIDE);
    strand_frame f = frame_upright(add3(add3(mul3(x, local.x), mul3(y, local.y)), mul3(normal, local.z)), tangent);
    f.side = sel3(lost, LD3(to, root + ROOT_SIDE), f.side);
    f.tangent = sel3(lost, LD3(to, root + ROOT_NORMAL), f.tangent);
    real scale = sel(lost, LD(to, root + ROOT_SCALE), sqrt_(stretch1 * stretch2));
    real3 off = mul3(frame_direction(f, LD3(bind_rows, bind + MESH_OFFSET)), scale);
    real3 on = add3(mul3(edge1, LD(bind_rows, bind + MESH_WEIGHT1)), mul3(edge2, LD(bind_rows, bind + MESH_WEIGHT2)));
    // Not finite, in memory that nobody has checked: all stays.
    real3 position = add3(a, add3(on, off));
    mask sound = lt(dot3(position, position), R(1e30f));
    ST3(to, root + ROOT_POSITION, sel3(sound, position, LD3(to, root + ROOT_POSITION)));
    ST3(to, root + ROOT_SIDE, f.side);
    ST3(to, root + ROOT_NORMAL, f.tangent);
    ST(to, root + ROOT_SCALE, scale);
}
