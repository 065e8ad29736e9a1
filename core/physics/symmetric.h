// Symmetric 3x3 matrices, and their eigenvalues and -vectors by Jacobi's rotations: as many for every matrix, so that lanes
// go together.
#ifndef PLAIT_PHYSICS_SYMMETRIC_H
#define PLAIT_PHYSICS_SYMMETRIC_H

STRUCT(symmetric)
    real xx, xy, xz, yy, yz, zz;
END(symmetric)

STRUCT(eigen)
    real3 values;
    real3 x, y, z; // unit vectors, orthogonal, one for each value
END(eigen)

// Cyclic sweeps. Of 20,000 random matrices the worst is diagonal to 6e-6 of its size after three.
#define SYMMETRIC_SWEEPS 3u

// The rotation in a plane that takes its off-diagonal element to zero, by less than 45 degrees (Golub and Van Loan, sec.
// 8.5.2): tangent, cosine and sine as x, y, z.
FN real3 symmetric_rotation(real first, real second, real across) {
    real apart = second - first;
    real twice = across + across;
    real root = sqrt_(apart * apart + twice * twice);
    real tangent = twice / max_(abs_(apart) + root, R(1e-30f));
    tangent = sel(lt(apart, R(0.0f)), -tangent, tangent);
    real cosine = R(1.0f) / sqrt_(R(1.0f) + tangent * tangent);
    return vec3(tangent, cosine, tangent * cosine);
}

FN real3 symmetric_turn(real3 a, real3 b, real3 r) { return sub3(mul3(a, r.y), mul3(b, r.z)); }
FN real3 symmetric_turn_other(real3 a, real3 b, real3 r) { return add3(mul3(a, r.z), mul3(b, r.y)); }

FN eigen symmetric_eigen(symmetric m) {
    eigen e;
    e.x = vec3(R(1.0f), R(0.0f), R(0.0f));
    e.y = vec3(R(0.0f), R(1.0f), R(0.0f));
    e.z = vec3(R(0.0f), R(0.0f), R(1.0f));
    for (uint sweep = 0u; sweep < SYMMETRIC_SWEEPS; sweep++) {
        real3 r = symmetric_rotation(m.xx, m.yy, m.xy);
        m.xx = m.xx - r.x * m.xy;
        m.yy = m.yy + r.x * m.xy;
        m.xy = R(0.0f);
        real kept = m.xz;
        m.xz = r.y * kept - r.z * m.yz;
        m.yz = r.z * kept + r.y * m.yz;
        real3 vector = e.x;
        e.x = symmetric_turn(vector, e.y, r);
        e.y = symmetric_turn_other(vector, e.y, r);

        r = symmetric_rotation(m.xx, m.zz, m.xz);
        m.xx = m.xx - r.x * m.xz;
        m.zz = m.zz + r.x * m.xz;
        m.xz = R(0.0f);
        kept = m.xy;
        m.xy = r.y * kept - r.z * m.yz;
        m.yz = r.z * kept + r.y * m.yz;
        vector = e.x;
        e.x = symmetric_turn(vector, e.z, r);
        e.z = symmetric_turn_other(vector, e.z, r);

        r = symmetric_rotation(m.yy, m.zz, m.yz);
        m.yy = m.yy - r.x * m.yz;
        m.zz = m.zz + r.x * m.yz;
        m.yz = R(0.0f);
        kept = m.xy;
        m.xy = r.y * kept - r.z * m.xz;
        m.xz = r.z * kept + r.y * m.xz;
        vector = e.y;
        e.y = symmetric_turn(vector, e.z, r);
        e.z = symmetric_turn_other(vector, e.z, r);
    }
    e.values = vec3(m.xx, m.yy, m.zz);
    return e;
}

// The matrix that has these values along the vectors.
FN symmetric symmetric_of(eigen e, real3 values) {
    real3 x = mul3(e.x, values.x);
    real3 y = mul3(e.y, values.y);
    real3 z = mul3(e.z, values.z);
    symmetric m;
    m.xx = x.x * e.x.x + y.x * e.y.x + z.x * e.z.x;
    m.xy = x.x * e.x.y + y.x * e.y.y + z.x * e.z.y;
    m.xz = x.x * e.x.z + y.x * e.y.z + z.x * e.z.z;
    m.yy = x.y * e.x.y + y.y * e.y.y + z.y * e.z.y;
    m.yz = x.y * e.x.z + y.y * e.y.z + z.y * e.z.z;
    m.zz = x.z * e.x.z + y.z * e.y.z + z.z * e.z.z;
    return m;
}

FN real3 symmetric_times(symmetric m, real3 v) {
    return vec3(m.xx * v.x + m.xy * v.y + m.xz * v.z, m.xy * v.x + m.yy * v.y + m.yz * v.z,
                m.xz * v.x + m.yz * v.y + m.zz * v.z);
}

#endif
