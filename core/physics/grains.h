// What hair as a continuum resists: the Drucker-Prager model of sand (Klar et al. 2016) and a weakly compressible fluid
// (Tampubolon et al. 2017). Both keep the elastic part of the deformation, as Hencky strains along its principal directions,
// and how much the material has expanded beyond what it resists: so much it must be compressed before it resists again
// (volume correction, Tampubolon et al. 2017, sec. 4.3.4). The fluid is the sand that resists no shear: both have one state,
// and one can become the other while it runs.
#ifndef PLAIT_PHYSICS_GRAINS_H
#define PLAIT_PHYSICS_GRAINS_H

// Beyond e as large or as small strains are cut: there hair is torn apart or crushed, not strained.
#define GRAINS_MOST_STRAIN 1.0f

STRUCT(grains)
    real shear;       // Lame's second constant mu, Pa
    real compression; // the first, lambda, Pa
    real cone;        // slope of the yield surface, in strains: grains_cone
    mask fluid;
END(grains)

STRUCT(grain)
    real3 strain; // Hencky strains, elastic
    real excess;  // volume gained, as a strain: 0 or more
END(grain)

// Of the friction angle by its sine: (3 lambda + 2 mu) / (2 mu) alpha, alpha = sqrt(2/3) 2 sin / (3 - sin) (Klar et al. 2016,
// eq. 27 and 29).
FN real grains_alpha(real sine) { return R(1.63299316f) * sine / (R(3.0f) - sine); }
FN real grains_cone(real shear, real compression, real sine) {
    return (R(3.0f) * compression + R(2.0f) * shear) / (R(2.0f) * shear) * grains_alpha(sine);
}

// Back to the yield surface along the shear (Klar et al. 2016, sec. 7.3): none where the material expands, on the cone where
// it slips, as it is where it holds. volume: that of the strains, and the excess; shear: size of their deviator.
STRUCT(grains_yield)
    real third;  // of the volume that is left
    real share;  // of the deviator
    real excess; // that is left
END(grains_yield)

FN grains_yield grains_yield_of(grains g, real volume, real shear) {
    real allowed = sel(g.fluid, R(0.0f), -volume * g.cone);
    real share = sel(lt(allowed, shear), allowed / max_(shear, R(1e-20f)), R(1.0f));
    mask apart = not_(lt(volume, R(0.0f)));
    grains_yield y;
    y.share = sel(apart, R(0.0f), share);
    y.third = sel(apart, R(0.0f), volume * R(0.333333333f));
    y.excess = sel(apart, min_(volume, R(GRAINS_MOST_STRAIN)), R(0.0f));
    return y;
}

FN grain grains_return(grains g, real3 strain, real excess) {
    real volume = strain.x + strain.y + strain.z + excess;
    real bias = (excess - volume) * R(0.333333333f);
    real3 shear = vec3(strain.x + bias, strain.y + bias, strain.z + bias);
    grains_yield y = grains_yield_of(g, volume, sqrt_(dot3(shear, shear)));
    grain r;
    r.strain = vec3(y.third + y.share * shear.x, y.third + y.share * shear.y, y.third + y.share * shear.z);
    r.excess = y.excess;
    return r;
}

// Kirchhoff stresses of elastic strains. Sand: 2 mu e + lambda tr e. Fluid: -J p with the pressure K/7 (J^-7 - 1) of Tait; no
// stiffer than at four fifths of the volume, for the sake of explicit steps.
FN real3 grains_stress(grains g, real3 strain) {
    real volume = strain.x + strain.y + strain.z;
    real3 sand = vec3(R(2.0f) * g.shear * strain.x + g.compression * volume,
                      R(2.0f) * g.shear * strain.y + g.compression * volume,
                      R(2.0f) * g.shear * strain.z + g.compression * volume);
    if (any(g.fluid)) {
        real bulk = g.compression + R(0.666666667f) * g.shear;
        real cut = max_(volume, R(-0.223143551f));
        real power = exponential_of(R(-7.0f) * cut);
        real pressure = bulk * (power * R(0.142857143f) + (cut - volume) * (R(1.0f) + power));
        real fluid = -pressure * (R(1.0f) + exponential_of(volume));
        sand = sel3(g.fluid, vec3(fluid, fluid, fluid), sand);
    }
    return sand;
}

// Elastic energy per volume of such strains, J/m^3; of sand.
FN real grains_energy(grains g, real3 strain) {
    real volume = strain.x + strain.y + strain.z;
    return g.shear * dot3(strain, strain) + R(0.5f) * g.compression * volume * volume;
}

// ---- of a deformation in space: the elastic left Cauchy-Green tensor less one, and its change ----

STRUCT(gradient)
    real3 x, y, z; // derivatives of a vector's x, y and z
END(gradient)

// (1 + A) (1 + C) (1 + A)^T - 1
FN symmetric grains_deform(symmetric c, gradient a) {
    real3 x = add3(a.x, symmetric_times(c, a.x)); // rows of A (1 + C), which is symmetric
    real3 y = add3(a.y, symmetric_times(c, a.y));
    real3 z = add3(a.z, symmetric_times(c, a.z));
    symmetric r;
    r.xx = c.xx + (x.x + x.x) + dot3(x, a.x);
    r.xy = c.xy + (x.y + y.x) + dot3(x, a.y);
    r.xz = c.xz + (x.z + z.x) + dot3(x, a.z);
    r.yy = c.yy + (y.y + y.y) + dot3(y, a.y);
    r.yz = c.yz + (y.z + z.y) + dot3(y, a.z);
    r.zz = c.zz + (z.z + z.z) + dot3(z, a.z);
    return r;
}

STRUCT(grains_state)
    symmetric deformation; // less one
    real excess;
    symmetric stress; // Kirchhoff, Pa
END(grains_state)

FN real grains_cut(real strain) { return max_(min_(strain, R(GRAINS_MOST_STRAIN)), R(-GRAINS_MOST_STRAIN)); }

// Of any deformation, by its principal directions.
FN grains_state grains_settle_far(grains g, symmetric deformation, real excess) {
    eigen e = symmetric_eigen(deformation);
    real3 strain = vec3(grains_cut(R(0.5f) * logarithm_of(e.values.x)), grains_cut(R(0.5f) * logarithm_of(e.values.y)),
                        grains_cut(R(0.5f) * logarithm_of(e.values.z)));
    grain back = grains_return(g, strain, excess);
    grains_state r;
    r.deformation =
        symmetric_of(e, vec3(exponential_of(R(2.0f) * back.strain.x), exponential_of(R(2.0f) * back.strain.y),
                             exponential_of(R(2.0f) * back.strain.z)));
    r.excess = back.excess;
    r.stress = symmetric_of(e, grains_stress(g, back.strain));
    return r;
}

// The same without principal directions: strains, return and stress are functions of the matrix itself. volume_begin takes 25 ns
// a vertex with it, 54 without.
FN grains_state grains_settle_near(grains g, symmetric deformation, real excess) {
    symmetric strain = symmetric_half_logarithm(deformation);
    real volume = strain.xx + strain.yy + strain.zz + excess;
    symmetric shear = symmetric_linear(strain, R(1.0f), (excess - volume) * R(0.333333333f));
    grains_yield y = grains_yield_of(g, volume, sqrt_(symmetric_norm2(shear)));
    symmetric back = symmetric_linear(shear, y.share, y.third);
    real third = grains_stress(g, vec3(y.third, y.third, y.third)).x;
    grains_state r;
    r.deformation = symmetric_exponential(symmetric_linear(back, R(2.0f), R(0.0f)));
    r.excess = y.excess;
    r.stress = symmetric_linear(shear, R(2.0f) * g.shear * y.share, third); // a fluid has no share
    return r;
}

// What a deformation is after the return, and the stress there.
FN grains_state grains_settle(grains g, symmetric deformation, real excess) {
    grains_state r = grains_settle_near(g, deformation, excess);
    mask far = not_(lt(symmetric_norm2(deformation), R(SYMMETRIC_NEAR)));
    if (any(far)) {
        grains_state whole = grains_settle_far(g, deformation, excess);
        r.deformation = symmetric_select(far, whole.deformation, r.deformation);
        r.excess = sel(far, whole.excess, r.excess);
        r.stress = symmetric_select(far, whole.stress, r.stress);
    }
    return r;
}

#endif
