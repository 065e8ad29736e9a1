// Rods, after the solution of a step: vertices and edges move on with their new velocities.
//
// Nothing is put back to length, and nothing pushed out of surfaces: both are forces of the system. What they were before, as
// corrections behind it, made energy, the more the faster the steps.

// A solution that turns an edge far from where it was expected lengthens it: segments would come to the limit where strands
// strike a surface. Such a solution is not taken. Its velocities are the guess of another one for the same part of the step, as
// long as the strand has turns left. A run needs that in half a percent of all steps; without it segments of 1a and 3b were
// overstretched in 0.2 percent, with it in none.
#define AGAIN_TURN 0.35f // rad

FN mask rod_again(buffer_ref care, buffer_ref solution, buffer_ref rods, uint pack, uint first, uint vertices,
                  real scale, real step, uint part) {
    real limit = R(AGAIN_TURN) * scale / step;
    real over = R(0.0f);
    real3 last = vec3(R(0.0f), R(0.0f), R(0.0f));
    solution = ROW(solution, 4u * first);
    rods = ROW(rods, ROD_ROWS * first);
    for (uint i = 1u; i < vertices; i++) {
        solution = ROW(solution, 4u);
        real3 change = LD3(solution, 0u);
        real3 apart = sub3(change, last);
        real most = LD(rods, ROD_LENGTH) * limit;
        rods = ROW(rods, ROD_ROWS);
        over = max_(over, sel(lt(R(0.0f), most), dot3(apart, apart) - most * most, R(0.0f))); // 0: no edge
        last = change;
    }
    real turns = part == 0u ? R(3.5f) : part == 1u ? R(2.5f) : part == 2u ? R(1.5f) : R(0.5f); // left, and a half
    return both(lt(R(0.0f), over), lt(rod_parts(care, pack) - rod_done(care, pack, part), turns));
}

// A strand whose edges turn by more than CARE_TURN from where a solution expected them takes its next step in twice as many
// parts, up to four; one whose edges turn by less than half of that in half as many. One solution is a descent only while
// strains are nearly linear on its way. Coils of 40 turns that were flung at 20 m/s whipped for ever in whole steps of 1/120 s;
// none does in parts, and it costs 4 percent of a step more while they are flung.
#define CARE_TURN 0.5f // rad

// A strand that is slow but jerked about by a surface takes twice as many parts too, and keeps them until it moves on: where
// it lies firmly pressed, as pulled tight over the head, a spring and friction that follow each other from step to step may
// go on for ever. While its root stands still much faster strands count as slow: coils on a head whipped at 0.3 to 0.9 m/s for
// ever (44 of 100 strands of 4c, 5 of 4a), and at 1.6 m/s at 200 to 420 steps a second (36 of 200 of 4b). Always, that would
// make a run cost two to four times as much.
#define CARE_SLOW 0.3f  // m/s
#define CARE_STILL 0.1f // m/s, of a root that counts as still
#define CARE_BRISK 3.0f // m/s, what is slow then
#define CARE_JERK 0.01f // m/s

FN void rod_take_care(buffer_ref care, uint pack, mask moves, real most, real jerk, mask slow, uint part) {
    uint row = pack * CARE_ROWS;
    real parts = rod_parts(care, pack);
    real last = part == 0u ? R(0.0f) : LD(care, row + CARE_MOST);
    most = sel(moves, max_(most, last), last);
    ST(care, row + CARE_MOST, most);
    real count = rod_done(care, pack, part);
    mask done = both(moves, lt(parts, count + R(1.5f)));
    ST(care, row + CARE_DONE, sel(done, R(4.0f), sel(moves, count + R(1.0f), count)));
    real next = sel(lt(R(CARE_TURN * CARE_TURN), most), parts * R(2.0f), parts);
    next = sel(lt(most, R(CARE_TURN * CARE_TURN * 0.25f)), parts * R(0.5f), next);
    real least = LD(care, row + CARE_TREMBLE);
    real tremble = sel(lt(R(CARE_JERK * CARE_JERK), jerk), parts * R(2.0f), least);
    tremble = sel(slow, max_(tremble, least), R(0.0f));
    next = max_(min_(max_(next, tremble), R(4.0f)), R(1.0f));
    ST(care, row + CARE_PARTS, sel(done, next, LD(care, row + CARE_PARTS)));
    ST(care, row + CARE_TREMBLE, sel(done, min_(tremble, R(4.0f)), least));
}

// The largest change of a velocity where a surface is touched, squared.
FN real rod_jerk(buffer_ref work, buffer_ref solution, uint first, uint vertices) {
    real jerk = R(0.0f);
    for (uint row = first; row < first + vertices; row++) {
        uint touch = WORK_ROWS * row + WORK_TOUCH;
        mask touches = lt(R(0.0f), LD(work, touch) + LD(work, touch + 3u) + LD(work, touch + 5u));
        real3 change = LD3(solution, 4u * row);
        jerk = max_(jerk, sel(touches, dot3(change, change), R(0.0f)));
    }
    return jerk;
}

KERNEL(rod_end) {
    uint pack = PACK(item);
    uint constants = pack * HYBRID_ROWS;
    mask moves = rod_takes_part(BUF(care), pack, VAL(part));
    if (!any(moves)) return;
    uint first = UNIFORM_UINT(BUF(packs), pack * PACK_UINTS + PACK_FIRST);
    uint vertices = UNIFORM_UINT(BUF(packs), pack * PACK_UINTS + PACK_VERTICES);
    lane_uint count = LD_UINT(BUF(strands), pack * STRAND_UINT_ROWS + STRAND_VERTICES);
    lane_uint held = LD_UINT(BUF(held), pack);
    real scale = LD(BUF(roots), pack * ROOT_ROWS + ROOT_SCALE);
    real step = UNIFORM(BUF(frame), FRAME_STEP) / rod_parts(BUF(care), pack);
    real3 zero = vec3(R(0.0f), R(0.0f), R(0.0f));
    mask again =
        both(moves, rod_again(BUF(care), BUF(solution), BUF(rods), pack, first, vertices, scale, step, VAL(part)));
    mask lands = both(moves, not_(again));
    bool keeps = VAL(part) > 0u || any(again); // some strand is not to move
    rod_inside inside = rod_inside_of(held, count, vertices);
    real3 x_last = zero; // the vertex before, where the step ends
    real3 v_last = zero;
    real3 tangent_ahead = LD3(BUF(clamps), pack * CLAMP_ROWS + CLAMP_TANGENT); // the edge before
    real3 tangent_last = tangent_ahead;
    real change_last = R(0.0f);
    real change_next = R(0.0f); // of the edge behind the vertex, times its length
    real most = R(0.0f);        // turn that the solution brought
    real fastest = R(0.0f);
    real length = R(0.0f);
    real sum = R(0.0f); // finite only if everything is
    mask cut = lt(R(1.0f), R(0.0f));
    buffer_ref positions =
        ROW(BUF(positions), 3u * first); // from here on: rows of the vertex, and of the edge before it
    buffer_ref velocities = ROW(BUF(velocities), 3u * first);
    buffer_ref solution = ROW(BUF(solution), 4u * first);
    buffer_ref spin = ROW(BUF(spin), SPIN_ROWS * first);
    buffer_ref rods = ROW(BUF(rods), ROD_ROWS * first);
    buffer_ref work = ROW(BUF(work), WORK_ROWS * first);
    for (uint i = 0u; i < vertices; i++) {
        real3 v = LD3(velocities, 0u);
        real3 x = LD3(positions, 0u);
        real3 v_kept = v;
        real3 x_kept = x;
        v = add3(v, LD3(solution, 0u));
        fastest = max_(fastest, fused_dot3(v, v));
        x = fma3(v, step, x);
        if (i > 0u) {
            bool is_inside = i >= inside.begin && i < inside.end;
            mask is_edge = below(i, count);
            real rest = LD(rods, ROD_LENGTH) * scale;
            real3 segment = sub3(x, x_last);
            real size = sqrt_(max_(fused_dot3(segment, segment), R(1e-24f)));
            real3 tangent = mul3(segment, R(1.0f) / size);
            mask torn = lt(rest * ROD_MOST, size);
            if (!is_inside) torn = both(both(is_edge, not_(below(i, held))), torn);
            if (any(torn)) {
                real outward = max_(dot3(sub3(v, v_last), tangent), R(0.0f));
                v = sel3(torn, sub3(v, mul3(tangent, outward)), v);
                x = sel3(torn, add3(x_last, mul3(tangent, rest * ROD_MOST)), x);
                size = sel(torn, rest * ROD_MOST, size);
                cut = either(cut, torn);
            }
            real3 tangent_then = LD3(work, WORK_TANGENT);
            real change = change_next / max_(rest, R(1e-9f));
            // Half a turn in a step at most: beyond, there is no telling which way it went, and it stops.
            real rate = LD(spin, SPIN_RATE) + change;
            rate = sel(lt(abs_(rate * step), R(3.0f)), rate, R(0.0f));
            if (!is_inside) { // beyond the tip there is nothing
                x = sel3(is_edge, x, x_last);
                size = sel(is_edge, size, R(0.0f));
                tangent = sel3(is_edge, tangent, tangent_last);
                tangent_then = sel3(is_edge, tangent_then, tangent);
                rate = sel(is_edge, rate, R(0.0f));
            }
            length = length + size;
            real twist = LD(work, WORK_TWIST) + fma_(change - change_last, step,
                                                     rod_holonomy(tangent_ahead, tangent_then, tangent_last, tangent));
            if (!is_inside) twist = sel(is_edge, twist, R(0.0f));
            real3 turned = sub3(tangent, tangent_then);
            most = max_(most, fused_dot3(turned, turned));
            if (keeps) {
                twist = sel(lands, twist, LD(spin, SPIN_TWIST));
                rate = sel(moves, rate, LD(spin, SPIN_RATE));
            }
            ST(spin, SPIN_TWIST, twist);
            ST(spin, SPIN_RATE, rate);
            sum = sum + twist + rate;
            tangent_ahead = tangent_then;
            tangent_last = tangent;
            change_last = change;
            spin = ROW(spin, SPIN_ROWS);
            rods = ROW(rods, ROD_ROWS);
            work = ROW(work, WORK_ROWS);
        }
        change_next = LD(solution, 3u);
        sum = sum + (x.x + x.y + x.z) + (v.x + v.y + v.z);
        x_last = x;
        v_last = v;
        if (keeps) {
            x = sel3(lands, x, x_kept);
            real3 found = add3(v_kept, LD3(solution, 0u));
            v = sel3(lands, v, sel3(again, found, v_kept));
        }
        ST3(positions, 0u, x);
        ST3(velocities, 0u, v);
        positions = ROW(positions, 3u);
        velocities = ROW(velocities, 3u);
        solution = ROW(solution, 4u);
    }
    cut = both(lands, cut);
    if (any(cut)) ATOMIC_ADD_UINT(BUF(status), STATUS_CUT, count_lanes(cut));
    mask bad = both(lands, not_(lt(abs_(sum), R(1e18f))));
    if (any(bad)) {
        rest_strands(BUF(positions), BUF(velocities), BUF(targets), BUF(roots), pack, first, vertices, bad);
        spin_rest_strands(BUF(spin), first, vertices, bad);
        length = sel(bad, LD(BUF(constants), constants + HYBRID_LENGTH) * scale, length);
        ATOMIC_ADD_UINT(BUF(status), STATUS_NONFINITE, count_lanes(bad));
    }
    real jerk = R(0.0f);
    real3 root = LD3(BUF(velocities), 3u * first);
    real limit = sel(lt(dot3(root, root), R(CARE_STILL * CARE_STILL)), R(CARE_BRISK), R(CARE_SLOW));
    mask slow = lt(fastest, limit * limit);
    if (any(slow)) jerk = rod_jerk(BUF(work), BUF(solution), first, vertices);
    rod_take_care(BUF(care), pack, lands, most, jerk, slow, VAL(part));
    ST(BUF(care), pack * CARE_ROWS + CARE_AGAIN, sel(again, R(1.0f), R(0.0f)));
    real rest_inverse = LD(BUF(constants), constants + HYBRID_LENGTH_INVERSE) / scale;
    real stretch = sel(lt(R(0.0f), rest_inverse), length * rest_inverse, R(1.0f));
    if (keeps) stretch = sel(lands, stretch, LD(BUF(results), pack * RESULT_ROWS + RESULT_STRETCH));
    ST(BUF(results), pack * RESULT_ROWS + RESULT_STRETCH, stretch);
}
