// Positions to the host's memory, w: the radius. The box around all of them, radii included, goes to the status.

#define NOWHERE 3e38f

KERNEL(output_position) {
    OUTPUT_BEGIN(s)
    OUTPUT_INDEX(s)
    real3 low = vec3(R(NOWHERE), R(NOWHERE), R(NOWHERE));
    real3 high = vec3(R(-NOWHERE), R(-NOWHERE), R(-NOWHERE));
    for (uint v = 0u; v < s.count; v++) {
        mask there = below(v, s.vertices);
        real3 p = output_place(s, output_point(BUF(positions), BUF(snapshot), s, v));
        real radius = LD(BUF(radii), s.first + v) * s.scale;
        output_store(BUF(memory), s.index + v * VAL(stride), VAL(components), p, radius, there);
        low = vec3(min_(low.x, sel(there, p.x - radius, low.x)), min_(low.y, sel(there, p.y - radius, low.y)),
                   min_(low.z, sel(there, p.z - radius, low.z)));
        high = vec3(max_(high.x, sel(there, p.x + radius, high.x)), max_(high.y, sel(there, p.y + radius, high.y)),
                    max_(high.z, sel(there, p.z + radius, high.z)));
    }
    mask strand = below(0u, s.vertices);
    ATOMIC_MIN(BUF(status), U(STATUS_LOW), order_bits(low.x), strand);
    ATOMIC_MIN(BUF(status), U(STATUS_LOW + 1u), order_bits(low.y), strand);
    ATOMIC_MIN(BUF(status), U(STATUS_LOW + 2u), order_bits(low.z), strand);
    ATOMIC_MAX(BUF(status), U(STATUS_HIGH), order_bits(high.x), strand);
    ATOMIC_MAX(BUF(status), U(STATUS_HIGH + 1u), order_bits(high.y), strand);
    ATOMIC_MAX(BUF(status), U(STATUS_HIGH + 2u), order_bits(high.z), strand);
}
