// Logarithm and exponential near one as our own series: the same bits wherever float32 rounds to nearest, and as exact for
// values near one as for others. For arguments up to e^2 and from e^-2 on; what is beyond is taken as that.
#ifndef PLAIT_PHYSICS_LOGARITHM_H
#define PLAIT_PHYSICS_LOGARITHM_H

#define LOGARITHM_LOW (-0.864664717f) // e^-2 - 1
#define LOGARITHM_HIGH 6.38905610f    // e^2 - 1

// ln(1 + x): a power of two away from one, then 2 artanh(y / (2 + y)).
FN real logarithm_of(real x) {
    real y = max_(min_(x, R(LOGARITHM_HIGH)), R(LOGARITHM_LOW));
    real twos = R(0.0f);
    for (uint i = 0u; i < 3u; i++) {
        mask large = lt(R(0.414213562f), y);
        mask small = lt(y, R(-0.292893219f));
        twos = twos + sel(large, R(1.0f), sel(small, R(-1.0f), R(0.0f)));
        y = sel(large, R(0.5f) * y - R(0.5f), sel(small, R(2.0f) * y + R(1.0f), y));
    }
    real s = y / (R(2.0f) + y);
    real z = s * s;
    real series =
        R(0.333333333f) + z * (R(0.2f) + z * (R(0.142857143f) + z * (R(0.111111111f) + z * R(0.0909090909f))));
    return twos * R(0.693147181f) + (R(2.0f) * s + R(2.0f) * s * z * series);
}

// e^x - 1: of an eighth of x, then doubled three times.
FN real exponential_of(real x) {
    real y = max_(min_(x, R(2.0f)), R(-2.0f)) * R(0.125f);
    real u = y + y * y *
                     (R(0.5f) +
                      y * (R(0.166666667f) + y * (R(0.0416666667f) + y * (R(0.00833333333f) + y * R(0.00138888889f)))));
    u = u * (R(2.0f) + u);
    u = u * (R(2.0f) + u);
    return u * (R(2.0f) + u);
}

#endif
