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

// m s + d
FN symmetric symmetric_linear(symmetric m, real s, real d) {
    symmetric r;
    r.xx = fma_(m.xx, s, d);
    r.xy = m.xy * s;
    r.xz = m.xz * s;
    r.yy = fma_(m.yy, s, d);
    r.yz = m.yz * s;
    r.zz = fma_(m.zz, s, d);
    return r;
}

FN symmetric symmetric_sum(symmetric a, symmetric b) {
    symmetric r;
    r.xx = a.xx + b.xx;
    r.xy = a.xy + b.xy;
    r.xz = a.xz + b.xz;
    r.yy = a.yy + b.yy;
    r.yz = a.yz + b.yz;
    r.zz = a.zz + b.zz;
    return r;
}

FN symmetric symmetric_select(mask m, symmetric a, symmetric b) {
    symmetric r;
    r.xx = sel(m, a.xx, b.xx);
    r.xy = sel(m, a.xy, b.xy);
    r.xz = sel(m, a.xz, b.xz);
    r.yy = sel(m, a.yy, b.yy);
    r.yz = sel(m, a.yz, b.yz);
    r.zz = sel(m, a.zz, b.zz);
    return r;
}

// Of all elements, squared and added up.
FN real symmetric_norm2(symmetric m) {
    real across = fma_(m.yz, m.yz, fma_(m.xz, m.xz, m.xy * m.xy));
    return fma_(m.zz, m.zz, fma_(m.yy, m.yy, m.xx * m.xx)) + (across + across);
}

// The product of two that commute, as functions of one matrix do: it is symmetric.
FN symmetric symmetric_product(symmetric a, symmetric b) {
    symmetric r;
    r.xx = fma_(a.xz, b.xz, fma_(a.xy, b.xy, a.xx * b.xx));
    r.xy = fma_(a.xz, b.yz, fma_(a.xy, b.yy, a.xx * b.xy));
    r.xz = fma_(a.xz, b.zz, fma_(a.xy, b.yz, a.xx * b.xz));
    r.yy = fma_(a.yz, b.yz, fma_(a.yy, b.yy, a.xy * b.xy));
    r.yz = fma_(a.yz, b.zz, fma_(a.yy, b.yz, a.xy * b.xz));
    r.zz = fma_(a.zz, b.zz, fma_(a.yz, b.yz, a.xz * b.xz));
    return r;
}

FN symmetric symmetric_inverse(symmetric m) {
    symmetric r;
    r.xx = fma_(m.yy, m.zz, -(m.yz * m.yz));
    r.xy = fma_(m.xz, m.yz, -(m.xy * m.zz));
    r.xz = fma_(m.xy, m.yz, -(m.xz * m.yy));
    r.yy = fma_(m.xx, m.zz, -(m.xz * m.xz));
    r.yz = fma_(m.xy, m.xz, -(m.xx * m.yz));
    r.zz = fma_(m.xx, m.yy, -(m.xy * m.xy));
    real inverse = R(1.0f) / fma_(m.xz, r.xz, fma_(m.xy, r.xy, m.xx * r.xx));
    return symmetric_linear(r, inverse, R(0.0f));
}

// Half the logarithm of 1 + m, artanh(m / (2 + m)) as a series. Where symmetric_norm2 is below SYMMETRIC_NEAR, what is left out
// is 1e-7.
#define SYMMETRIC_NEAR 0.2f
FN symmetric symmetric_half_logarithm(symmetric m) {
    symmetric y = symmetric_product(m, symmetric_inverse(symmetric_linear(m, R(1.0f), R(2.0f))));
    symmetric y2 = symmetric_product(y, y);
    symmetric series = symmetric_linear(y2, R(0.111111111f), R(0.142857143f));
    series = symmetric_linear(symmetric_product(series, y2), R(1.0f), R(0.2f));
    series = symmetric_linear(symmetric_product(series, y2), R(1.0f), R(0.333333333f));
    return symmetric_sum(y, symmetric_product(y, symmetric_product(y2, series)));
}

// The exponential less one, as a quotient of polynomials of the third degree (Pade). Of what the logarithm gives, doubled, it is
// right to 3e-7.
FN symmetric symmetric_exponential(symmetric m) {
    symmetric m2 = symmetric_product(m, m);
    symmetric odd = symmetric_product(m, symmetric_linear(m2, R(0.00833333333f), R(0.5f)));
    symmetric below = symmetric_sum(symmetric_linear(m2, R(0.1f), R(1.0f)), symmetric_linear(odd, R(-1.0f), R(0.0f)));
    return symmetric_product(symmetric_linear(odd, R(2.0f), R(0.0f)), symmetric_inverse(below));
}

FN real3 symmetric_times(symmetric m, real3 v) {
    return vec3(m.xx * v.x + m.xy * v.y + m.xz * v.z, m.xy * v.x + m.yy * v.y + m.yz * v.z,
                m.xz * v.x + m.yz * v.y + m.zz * v.z);
}

#endif
