// Root skinning: where the bones carry the root of each strand, and the frame that its first segment starts from.

STRUCT(skinned_root)
    real3 position, side, normal;
    real scale;
END(skinned_root)

// What one bone makes of the root, times its weight. Linear blend skinning, so that roots stay on a skinned mesh.
FN skinned_root skin_one(buffer_ref bones, lane_uint bone, real weight, real3 position, real3 side, real3 normal) {
    lane_uint m = bone * BONE_FLOATS;
    real3 row0 = vec3(GATHER(bones, m), GATHER(bones, m + 1u), GATHER(bones, m + 2u));
    real3 row1 = vec3(GATHER(bones, m + 4u), GATHER(bones, m + 5u), GATHER(bones, m + 6u));
    real3 row2 = vec3(GATHER(bones, m + 8u), GATHER(bones, m + 9u), GATHER(bones, m + 10u));
    real3 shift = vec3(GATHER(bones, m + 3u), GATHER(bones, m + 7u), GATHER(bones, m + 11u));
    skinned_root r;
    r.position = vec3(dot3(row0, position), dot3(row1, position), dot3(row2, position));
    r.position = mul3(add3(r.position, shift), weight);
    r.side = mul3(vec3(dot3(row0, side), dot3(row1, side), dot3(row2, side)), weight);
    r.normal = mul3(vec3(dot3(row0, normal), dot3(row1, normal), dot3(row2, normal)), weight);
    r.scale = GATHER(bones, m + BONE_SCALE) * weight;
    return r;
}

KERNEL(roots) {
    uint pack = PACK(item);
    uint bind = pack * BIND_ROWS;
    uint root = pack * ROOT_ROWS;
    real3 position = LD3(BUF(bind), bind + BIND_POSITION);
    real3 side = LD3(BUF(bind), bind + BIND_SIDE);
    real3 normal = LD3(BUF(bind), bind + BIND_NORMAL);
    skinned_root sum = skin_one(BUF(bones), LD_UINT(BUF(bone_indices), pack * BIND_BONE_ROWS),
                                LD(BUF(bind), bind + BIND_WEIGHTS), position, side, normal);
    for (uint i = 1u; i < VAL(influences); i++) {
        skinned_root next = skin_one(BUF(bones), LD_UINT(BUF(bone_indices), pack * BIND_BONE_ROWS + i),
                                     LD(BUF(bind), bind + BIND_WEIGHTS + i), position, side, normal);
        sum.position = add3(sum.position, next.position);
        sum.side = add3(sum.side, next.side);
        sum.normal = add3(sum.normal, next.normal);
        sum.scale = sum.scale + next.scale;
    }
    // Blending opposite rotations can cancel; the guards keep the frame finite until the bones agree again.
    real3 tangent = mul3(sum.normal, R(1.0f) / sqrt_(max_(dot3(sum.normal, sum.normal), R(1e-12f))));
    strand_frame f = frame_upright(sum.side, tangent);
    if (VAL(remember) != 0u) {
        for (uint r = 0u; r < ROOT_ROWS; r++) {
            real value = LD(BUF(frames), root + r);
            ST(BUF(before), root + r, value);
        }
    }
    ST3(BUF(frames), root + ROOT_POSITION, sum.position);
    ST3(BUF(frames), root + ROOT_SIDE, f.side);
    ST3(BUF(frames), root + ROOT_NORMAL, f.tangent);
    ST(BUF(frames), root + ROOT_SCALE, sum.scale);
}
