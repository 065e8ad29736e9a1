// Rods, after the solution: velocities and positions, contacts that only showed up now, and the twist of every joint.
//
// Going straight on for a step lengthens an edge that turns by half the square of its angle, which a stiff edge takes back
// in the next step with a force many times the strand's weight: at 60 steps a second 25 cm of hair never came to rest. So
// edges turn instead: each gets the length that the linear system gave it, from root to tip.

STRUCT(rod_vertex)
    real3 position, velocity;
END(rod_vertex)

#define CONTACT_SLACK 5e-4f // m: how deep the springs of the system may let a vertex go

// Where a vertex goes that is in a surface farther than that: out, at the distance it has from its parent. Velocities are a
// matter of the system, in the next step: an impulse on one vertex alone is worth a fall from metres in its stiff edges.
FN real3 rod_pushed_out(buffer_ref colliders, contact_lists lists, real3 position, real3 parent, real3 aside,
                        real length, real radius, real slack, mask m) {
    contact deep = resolve_contacts(colliders, lists, position, position, radius - slack, R(0.0f));
    mask inside = both(m, deep.touched);
    if (any(inside)) {
        for (uint round = 0u; round < 2u; round++) {
            contact c = resolve_contacts(colliders, lists, position, position, radius, R(0.0f));
            // As far off the surface as it is now, and along it as far as the edge is long.
            real3 segment = sub3(c.position, parent);
            real off = max_(min_(dot3(segment, c.normal), length), -length);
            real3 level = sub3(segment, mul3(c.normal, dot3(segment, c.normal)));
            mask upright = lt(dot3(level, level), R(1e-6f) * length * length);
            level = sel3(upright, sub3(aside, mul3(c.normal, dot3(aside, c.normal))), level);
            real size = sqrt_(max_(dot3(level, level), R(1e-24f)));
            real3 kept = add3(mul3(c.normal, off), mul3(level, sqrt_(length * length - off * off) / size));
            position = sel3(both(inside, c.touched), add3(parent, kept), position);
        }
    }
    return position;
}

// What an edge's direction changes by in a step other than the last one's, squared: more than 45 degrees at a joint is more
// than the linear system knows about. Its solution then throws the next joints over in turn, for ever: a strand that had
// once folded back went on at 2 m/s on a head that stood still. So such a strand loses its motion, as in
// plait_hair_settle, and goes on from where it is.
#define BEND_MOST 0.6f

// Lanes in m go with their roots.
FN void end_stop(buffer_ref velocities, buffer_ref spin, uint first, uint vertices, mask m) {
    real3 root = LD3(velocities, 3u * first);
    for (uint row = first + 1u; row < first + vertices; row++) {
        real3 velocity = sel3(m, root, LD3(velocities, 3u * row));
        real rate = sel(m, R(0.0f), LD(spin, SPIN_ROWS * row + SPIN_RATE));
        ST3(velocities, 3u * row, velocity);
        ST(spin, SPIN_ROWS * row + SPIN_RATE, rate);
    }
}

KERNEL(rod_end) {
    uint pack = PACK(item);
    uint constants = pack * HYBRID_ROWS;
    rod_strands s = rod_strands_of(BUF(packs), BUF(strands), BUF(roots), BUF(constants), BUF(frame), BUF(colliders),
                                   BUF(candidates), VAL(max_colliders), item);

    real3 x_last = vec3(R(0.0f), R(0.0f), R(0.0f)); // the vertex before: as it was, its solution, and as it is
    real3 solved_last = x_last;
    real3 shift = x_last;  // what the lengths of the edges so far have added
    real3 pushed = x_last; // and surfaces
    rod_vertex last;
    last.position = x_last;
    last.velocity = x_last;
    real3 tangent_last = s.frame.tangent; // the edge before
    real3 director_last = s.frame.side;
    real rate = R(0.0f);
    real length = R(0.0f);
    real3 turn_last = x_last; // change of the last edge's direction
    real most_bent = R(0.0f);
    real sum = R(0.0f); // finite only if everything is
    for (uint i = 0u; i < s.vertices; i++) {
        uint row = s.first + i;
        mask is_free = both(below(i, s.count), not_(below(i, s.held)));
        real3 x = LD3(BUF(positions), 3u * row);
        rod_vertex v;
        real3 solved = add3(LD3(BUF(velocities), 3u * row), LD3(BUF(solution), 4u * row));
        v.velocity = solved;
        v.position = add3(x, mul3(v.velocity, s.step));
        real3 edge_before = sub3(x, x_last);
        real before_size = sqrt_(max_(dot3(edge_before, edge_before), R(1e-24f)));
        real3 tangent_before = mul3(edge_before, R(1.0f) / before_size);
        real3 normal = LD3(BUF(work), WORK_ROWS * row + WORK_NORMAL);
        real wanted = before_size + dot3(tangent_before, sub3(solved, solved_last)) * s.step;
        uint edge_row = i > 0u ? row - 1u : row;
        real natural = LD(BUF(rods), ROD_ROWS * edge_row + ROD_LENGTH) * s.scale;
        real most = max_(before_size - natural * R(0.02f), natural * R(1.01f));
        real least = min_(before_size + natural * R(0.02f), natural * R(0.98f));
        wanted = max_(min_(wanted, most), least);
        if (i > 0u) {
            real3 edge_after = add3(edge_before, mul3(sub3(solved, solved_last), s.step));
            real size = sqrt_(max_(dot3(edge_after, edge_after), R(1e-24f)));
            real3 turn = sub3(mul3(edge_after, R(1.0f) / size), tangent_before);
            real3 bend = sub3(turn, turn_last);
            most_bent = max_(most_bent, sel(is_free, dot3(bend, bend), R(0.0f)));
            turn_last = turn;
            shift = add3(shift, mul3(edge_after, (wanted - size) / size));
            // On a surface the vertex stays where the solution has it, as far as a turn of its edge by a quarter allows: what
            // lies there would hop.
            mask lies = lt(R(0.5f), dot3(normal, normal));
            if (any(lies)) {
                real way = sqrt_(max_(dot3(shift, shift), R(1e-24f)));
                real3 kept = mul3(shift, max_(R(1.0f) - R(0.25f) * wanted / way, R(0.0f)));
                real3 segment = sub3(add3(add3(v.position, kept), pushed), last.position);
                real length_now = sqrt_(max_(dot3(segment, segment), R(1e-24f)));
                kept = add3(kept, mul3(segment, (wanted - length_now) / length_now));
                shift = sel3(lies, kept, shift);
            }
            shift = sel3(is_free, shift, vec3(R(0.0f), R(0.0f), R(0.0f)));
            real3 gained = sub3(shift, mul3(normal, dot3(normal, shift)));
            // Nor does what surfaces push out gain any: strands rooted in them never came to rest.
            gained = sel3(lt(R(0.0f), dot3(pushed, pushed)), vec3(R(0.0f), R(0.0f), R(0.0f)), gained);
            v.position = add3(v.position, shift);
            v.velocity = add3(v.velocity, mul3(gained, s.step_inverse));
        }
        // What comes out of a surface that it had entered takes no velocity along.
        real leaves = dot3(sub3(v.velocity, LD3(BUF(work), WORK_ROWS * row + WORK_SURFACE)), normal);
        real entered = max_(-LD(BUF(work), WORK_ROWS * row + WORK_GAP), R(0.0f)) * s.step_inverse;
        real3 slower = sub3(v.velocity, mul3(normal, min_(max_(leaves, R(0.0f)), entered)));
        v.velocity = sel3(is_free, slower, v.velocity);
        if (i % CONTACT_RUN == 0u) s.lists = contact_lists_next(BUF(colliders), s.lists, v.position);
        v.position = add3(v.position, pushed); // the strand goes along with what was pushed out before
        if (s.lists.near_count > 0u && i > 0u) {
            real3 outside = rod_pushed_out(BUF(colliders), s.lists, v.position, last.position, director_last, wanted,
                                           s.radius, R(CONTACT_SLACK) * s.scale, is_free);
            pushed = add3(pushed, sub3(outside, v.position));
            v.position = outside;
        }
        if (i > 0u) {
            uint edge = row - 1u;
            real rest = LD(BUF(rods), ROD_ROWS * edge + ROD_LENGTH) * s.scale;
            real3 segment = sub3(v.position, last.position);
            real size = sqrt_(max_(dot3(segment, segment), R(1e-24f)));
            real3 direction = mul3(segment, R(1.0f) / size);
            mask torn = both(is_free, lt(rest * ROD_MOST, size));
            if (any(torn)) {
                real outward = max_(dot3(sub3(v.velocity, last.velocity), direction), R(0.0f));
                v.velocity = sel3(torn, sub3(v.velocity, mul3(direction, outward)), v.velocity);
                v.position = sel3(torn, add3(last.position, mul3(direction, rest * ROD_MOST)), v.position);
                size = sel(torn, rest * ROD_MOST, size);
            }
            mask is_edge = lt(R(0.0f), rest);
            v.position = sel3(is_edge, v.position, last.position); // beyond the tip there is nothing
            length = length + sel(is_edge, size, R(0.0f));
            real3 tangent = sel3(is_edge, direction, tangent_last);

            // The director as the last step had it, carried along with the edge and turned by its own rate.
            tangent_before = sel3(is_edge, tangent_before, tangent);
            real3 director = LD3(BUF(work), WORK_ROWS * edge + WORK_DIRECTOR);
            director = sel3(is_edge, director, director_last);
            real rate_before = LD(BUF(spin), SPIN_ROWS * edge + SPIN_RATE);
            rate = rate_before + LD(BUF(solution), 4u * edge + 3u) / max_(rest, R(1e-9f));
            rate = sel(is_edge, rate, R(0.0f));
            if (i == 1u) {
                director = rod_turn(frame_next(s.frame, tangent).side, tangent,
                                    LD(BUF(constants), constants + HYBRID_ROOT_SINE),
                                    LD(BUF(constants), constants + HYBRID_ROOT_COSINE));
            } else {
                sine_cosine turn = angle_direction(rate * s.step);
                director = rod_turn(rod_transport(director, tangent_before, tangent), tangent, turn.sine, turn.cosine);
                real3 straight = rod_transport(director_last, tangent_last, tangent);
                real angle = angle_of(dot3(cross3(straight, director), tangent), dot3(straight, director));
                real twist = LD(BUF(spin), SPIN_ROWS * edge + SPIN_TWIST);
                twist = twist + angle_wrap(angle - twist);
                twist = sel(is_edge, twist, R(0.0f));
                ST(BUF(spin), SPIN_ROWS * edge + SPIN_TWIST, twist);
                sum = sum + twist;
            }
            ST(BUF(spin), SPIN_ROWS * edge + SPIN_RATE, rate);
            sum = sum + rate;
            tangent_last = tangent;
            director_last = director;
        }
        ST3(BUF(positions), 3u * row, v.position);
        ST3(BUF(velocities), 3u * row, v.velocity);
        sum = sum + (v.position.x + v.position.y + v.position.z) + (v.velocity.x + v.velocity.y + v.velocity.z);
        x_last = x;
        solved_last = solved;
        last = v;
    }
    mask wild = lt(R(BEND_MOST), most_bent);
    if (any(wild)) end_stop(BUF(velocities), BUF(spin), s.first, s.vertices, wild);
    mask bad = not_(lt(abs_(sum), R(1e18f)));
    if (any(bad)) {
        rest_strands(BUF(positions), BUF(velocities), BUF(targets), BUF(roots), pack, s.first, s.vertices, bad);
        spin_rest_strands(BUF(spin), s.first, s.vertices, bad);
        length = sel(bad, LD(BUF(constants), constants + HYBRID_LENGTH) * s.scale, length);
        ATOMIC_ADD_UINT(BUF(status), STATUS_NONFINITE, count_lanes(bad));
    }
    real rest_inverse = LD(BUF(constants), constants + HYBRID_LENGTH_INVERSE) / s.scale;
    ST(BUF(results), pack * RESULT_ROWS + RESULT_STRETCH,
       sel(lt(R(0.0f), rest_inverse), length * rest_inverse, R(1.0f)));
}
