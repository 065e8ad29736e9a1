// What the kernels of rods that know of surfaces begin with: the strands of a pack, their roots, and the colliders that they
// can reach.

// In how many parts a strand takes its step. Its state says so, which may come from a file.
FN real rod_parts(buffer_ref care, uint pack) {
    return max_(min_(LD(care, pack * CARE_ROWS + CARE_PARTS), R(4.0f)), R(1.0f));
}

// How many of them are done. part: which of the CARE_TURNS turns of the step it is. A strand takes each turn until its step is
// done; most are with one.
FN real rod_done(buffer_ref care, uint pack, uint part) {
    return part == 0u ? R(0.0f) : LD(care, pack * CARE_ROWS + CARE_DONE);
}

FN mask rod_takes_part(buffer_ref care, uint pack, uint part) {
    return lt(rod_done(care, pack, part), rod_parts(care, pack));
}

// Is it the same part again, from the velocities that the turn before found?
FN mask rod_repeats(buffer_ref care, uint pack, uint part) {
    return lt(R(0.5f), part == 0u ? R(0.0f) : LD(care, pack * CARE_ROWS + CARE_AGAIN));
}

// Vertices begin to end - 1 move in all lanes. Most do, and nothing need be asked for each.
STRUCT(rod_inside)
    uint begin, end;
END(rod_inside)

FN rod_inside rod_inside_of(lane_uint held, lane_uint count, uint vertices) {
    rod_inside r;
    r.begin = 0u;
    r.end = vertices;
    while (r.begin < vertices && any(below(r.begin, held))) r.begin++;
    while (r.end > 0u && any(not_(below(r.end - 1u, count)))) r.end--;
    return r;
}

STRUCT(rod_strands)
    uint first, vertices; // of the pack
    lane_uint count, held;
    real parts;
    real step, step_inverse; // of a part
    real scale, radius;
    real3 origin; // of the root
    strand_frame frame;
    contact_lists lists;
END(rod_strands)

FN rod_strands rod_strands_of(buffer_ref packs, buffer_ref strands, buffer_ref held, buffer_ref roots,
                              buffer_ref constants, buffer_ref frame, buffer_ref care, buffer_ref colliders,
                              buffer_ref lists, uint max_colliders, uint item) {
    uint pack = PACK(item);
    uint root = pack * ROOT_ROWS;
    uint row = pack * HYBRID_ROWS;
    rod_strands s;
    s.first = UNIFORM_UINT(packs, pack * PACK_UINTS + PACK_FIRST);
    s.vertices = UNIFORM_UINT(packs, pack * PACK_UINTS + PACK_VERTICES);
    s.count = LD_UINT(strands, pack * STRAND_UINT_ROWS + STRAND_VERTICES);
    s.held = LD_UINT(held, pack);
    s.parts = rod_parts(care, pack);
    s.step = UNIFORM(frame, FRAME_STEP) / s.parts;
    s.step_inverse = UNIFORM(frame, FRAME_STEP_INVERSE) * s.parts;
    s.scale = LD(roots, root + ROOT_SCALE);
    s.radius = LD(constants, row + HYBRID_RADIUS) * s.scale;
    s.origin = LD3(roots, root + ROOT_POSITION);
    s.frame.side = LD3(roots, root + ROOT_SIDE);
    s.frame.tangent = LD3(roots, root + ROOT_NORMAL);
    real reach = LD(constants, row + HYBRID_LENGTH) * s.scale * ROD_REACH + s.radius;
    real run_reach = LD(constants, row + HYBRID_RUN_LENGTH) * s.scale * ROD_REACH + s.radius;
    s.lists = contact_lists_of(colliders, UNIFORM_UINT(frame, FRAME_COLLIDERS), lists, max_colliders, item, s.origin,
                               reach, run_reach);
    return s;
}
