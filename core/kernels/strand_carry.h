// Rigid motion of a strand with its root frame.

STRUCT(rigid_carry)
    strand_frame from, to;
    real3 origin_from, origin_to;
    real scale;
END(rigid_carry)

FN rigid_carry carry_between(buffer_ref from, buffer_ref to, uint pack) {
    uint root = pack * ROOT_ROWS;
    rigid_carry c;
    c.origin_from = LD3(from, root + ROOT_POSITION);
    c.from.side = LD3(from, root + ROOT_SIDE);
    c.from.tangent = LD3(from, root + ROOT_NORMAL);
    c.origin_to = LD3(to, root + ROOT_POSITION);
    c.to.side = LD3(to, root + ROOT_SIDE);
    c.to.tangent = LD3(to, root + ROOT_NORMAL);
    c.scale = LD(to, root + ROOT_SCALE) / max_(LD(from, root + ROOT_SCALE), R(1e-20f));
    return c;
}

FN real3 carry_direction(rigid_carry c, real3 v) {
    real3 local = vec3(dot3(v, c.from.side), dot3(v, c.from.tangent), dot3(v, cross3(c.from.side, c.from.tangent)));
    return frame_direction(c.to, local);
}

FN real3 carry_vector(rigid_carry c, real3 v) { return mul3(carry_direction(c, v), c.scale); }

FN real3 carry_point(rigid_carry c, real3 p) { return add3(c.origin_to, carry_vector(c, sub3(p, c.origin_from))); }
