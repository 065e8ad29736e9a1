#include "bone.h"
#include "vector.h"

#include <stdarg.h>
#include <stdio.h>

#define MIN_SCALE 1e-6
#define MAX_SCALE 1e6
#define MAX_STRETCH_RATIO 1000
#define MAX_TRANSLATION 1e9
#define ROUNDING 1.00001 // matrices come in float32, and limits must not depend on rotation

// A^T A, whose eigenvalues are the squares of the scales.
static void squares_of(const affine *a, double s[3][3]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) s[i][j] = a->m[i] * a->m[j] + a->m[4 + i] * a->m[4 + j] + a->m[8 + i] * a->m[8 + j];
}

// Whether scales are well within the limits, by the circles that eigenvalues lie in (Gershgorin): so with nearly all bones
// there are, for a tenth of the cost.
static bool surely_within(double s[3][3]) {
    double least = INFINITY, greatest = 0;
    for (int i = 0; i < 3; i++) {
        double radius = fabs(s[i][(i + 1) % 3]) + fabs(s[i][(i + 2) % 3]);
        least = fmin(least, s[i][i] - radius);
        greatest = fmax(greatest, s[i][i] + radius);
    }
    return least > MIN_SCALE * MIN_SCALE && greatest < MAX_SCALE * MAX_SCALE && greatest < 100 * least;
}

// Least and greatest scale in any direction: singular values, as roots of the eigenvalues of A^T A by Jacobi's rotations.
static void scales_of(double s[3][3], double *least, double *greatest) {
    for (int rotation = 0; rotation < 24; rotation++) {
        int p = rotation % 3, q = (p + 1) % 3, r = (p + 2) % 3;
        if (s[p][q] == 0) continue;
        double theta = (s[q][q] - s[p][p]) / (2 * s[p][q]);
        double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
        double c = 1 / sqrt(t * t + 1), spq = s[p][q], srp = s[r][p], srq = s[r][q];
        s[p][p] -= t * spq;
        s[q][q] += t * spq;
        s[p][q] = s[q][p] = 0;
        s[r][p] = s[p][r] = c * (srp - t * srq);
        s[r][q] = s[q][r] = c * (srq + t * srp);
    }
    *least = sqrt(fmax(fmin(s[0][0], fmin(s[1][1], s[2][2])), 0));
    *greatest = sqrt(fmax(s[0][0], fmax(s[1][1], s[2][2])));
}

__attribute__((format(printf, 2, 3))) static bool unsound(char reason[BONE_REASON_SIZE], const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (reason) vsnprintf(reason, BONE_REASON_SIZE, format, arguments);
    va_end(arguments);
    return false;
}

bool bone_sound(const float *matrix, char reason[BONE_REASON_SIZE]) {
    for (int i = 0; i < 12; i++)
        if (!is_finite(matrix[i])) return unsound(reason, "is not finite, element %d", i);
    affine a = affine_load(matrix);
    if (fmax(fabs(a.m[3]), fmax(fabs(a.m[7]), fabs(a.m[11]))) > MAX_TRANSLATION)
        return unsound(reason, "lies more than 1e9 units from the origin");
    double s[3][3], least, greatest, determinant = affine_determinant(&a);
    squares_of(&a, s);
    if (determinant > 0 && surely_within(s)) return true;
    scales_of(s, &least, &greatest);
    if (least * ROUNDING < MIN_SCALE || greatest > MAX_SCALE * ROUNDING)
        return unsound(reason, "scales by %g, not by 1e-6 to 1e6", greatest > MAX_SCALE ? greatest : least);
    if (determinant <= 0) return unsound(reason, "mirrors (determinant %g)", determinant);
    if (greatest > least * MAX_STRETCH_RATIO * ROUNDING)
        return unsound(reason, "scales one direction %g times as much as another, more than 1000", greatest / least);
    return true;
}

plait_result check_bone(const struct call *call, const char *what, uint32_t index, const float *matrix) {
    char reason[BONE_REASON_SIZE];
    if (bone_sound(matrix, reason)) return PLAIT_OK;
    if (!call) return PLAIT_ERROR_INVALID_ARGUMENT;
    return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "%s[%u] %s", what, index, reason);
}
