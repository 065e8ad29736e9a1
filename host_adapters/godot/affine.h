/* affine.h - 3x4 row-major matrices, as plait.h has them, and Godot's Transform3D, whose three rows come before its origin. */
#ifndef PLAIT_GODOT_AFFINE_H
#define PLAIT_GODOT_AFFINE_H

static inline void affine_from_godot(const float g[12], float m[12]) {
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++) m[4 * row + column] = g[3 * row + column];
        m[4 * row + 3] = g[9 + row];
    }
}

static inline void affine_apply(const float m[12], const float p[3], float to[3]) {
    float x = p[0], y = p[1], z = p[2];
    for (int row = 0; row < 3; row++)
        to[row] = m[4 * row] * x + m[4 * row + 1] * y + m[4 * row + 2] * z + m[4 * row + 3];
}

/* to = a b; to may be neither. */
static inline void affine_multiply(const float a[12], const float b[12], float to[12]) {
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 4; column++)
            to[4 * row + column] = a[4 * row] * b[column] + a[4 * row + 1] * b[4 + column] +
                                   a[4 * row + 2] * b[8 + column] + (column == 3 ? a[4 * row + 3] : 0);
}

/* Returns 0 if there is no inverse. to may not be m. */
static inline int affine_invert(const float m[12], float to[12]) {
    float c[3][3], determinant;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            c[i][j] = m[4 * i1 + j1] * m[4 * i2 + j2] - m[4 * i1 + j2] * m[4 * i2 + j1];
        }
    determinant = m[0] * c[0][0] + m[1] * c[0][1] + m[2] * c[0][2];
    if (!(determinant > 1e-30f || determinant < -1e-30f)) return 0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) to[4 * i + j] = c[j][i] / determinant;
        to[4 * i + 3] = -(to[4 * i] * m[3] + to[4 * i + 1] * m[7] + to[4 * i + 2] * m[11]);
    }
    return 1;
}

#endif
