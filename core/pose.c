#include "pose.h"
#include "bone.h"
#include "layout.h"

#include <float.h>

#define LEAST_REACH 4.0 // m: there floats are as fine as half a micrometre

// The bone with the most roots: one that is elsewhere with a few of them must not take the origin along.
static void find_anchor(const struct groom *groom, double *weights, struct pose *pose) {
    for (uint32_t s = 0; s < groom->info.strand_count; s++)
        for (int i = 0; i < 4; i++) weights[groom->bindings[s].bones[i]] += groom->bindings[s].weights[i];
    for (uint32_t b = 1; b < pose->bone_count; b++)
        if (weights[b] > weights[pose->anchor_bone]) pose->anchor_bone = b;
    double3 sum = d3(0, 0, 0);
    for (uint32_t s = 0; s < groom->info.strand_count; s++)
        for (int i = 0; i < 4; i++)
            if (groom->bindings[s].bones[i] == pose->anchor_bone)
                sum = d3_add(sum, d3_mul(d3_load(groom->positions + 3 * (size_t)groom->first_vertex[s]),
                                         groom->bindings[s].weights[i]));
    double3 centre = d3_mul(sum, pose->meters_per_unit / weights[pose->anchor_bone]);
    pose->anchor = affine_point(&pose->bones[pose->anchor_bone].bind_inverse, centre);
    double3 size = d3_sub(d3_load(groom->info.bounds_max), d3_load(groom->info.bounds_min));
    pose->reach = fmax(LEAST_REACH, d3_length(size) * pose->meters_per_unit);
}

bool pose_create(struct context *context, const struct groom *groom, double meters_per_unit, struct pose *pose) {
    uint32_t count = groom->info.bone_count;
    pose->bone_count = count;
    pose->meters_per_unit = meters_per_unit;
    pose->bones = memory_allocate(context, count, sizeof *pose->bones);
    pose->skin = memory_allocate(context, count, BONE_FLOATS * sizeof(float));
    double *weights = memory_allocate(context, count, sizeof *weights);
    bool made = pose->bones && pose->skin && weights;
    if (made) {
        pose_set_current(pose, groom->bind_pose);
        for (uint32_t b = 0; b < count; b++)
            pose->bones[b].bind_inverse = affine_inverse(&pose->bones[b].current.matrix);
        pose->follows_point = groom->mesh;
        for (uint32_t s = 0; s < groom->info.strand_count && !groom->mesh; s++)
            for (uint32_t i = 0; i < groom->influences; i++) {
                struct pose_bone *bone = &pose->bones[groom->bindings[s].bones[i]];
                bone->named = true;
                if (groom->bindings[s].weights[i] > 0) bone->bound = true;
            }
        pose_set_body(pose, NULL);
        find_anchor(groom, weights, pose);
    }
    memory_release(context, weights);
    return made;
}

void pose_destroy(struct context *context, struct pose *pose) {
    memory_release(context, pose->bones);
    memory_release(context, pose->skin);
}

// ---- parts of a matrix ----

static void quaternion_of(const double r[9], double q[4]) {
    double trace = r[0] + r[4] + r[8];
    if (trace > 0) {
        double s = 2 * sqrt(trace + 1);
        q[0] = (r[7] - r[5]) / s;
        q[1] = (r[2] - r[6]) / s;
        q[2] = (r[3] - r[1]) / s;
        q[3] = s / 4;
    } else {
        int i = r[0] > r[4] ? (r[0] > r[8] ? 0 : 2) : (r[4] > r[8] ? 1 : 2);
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double s = 2 * sqrt(1 + r[4 * i] - r[4 * j] - r[4 * k]);
        q[i] = s / 4;
        q[j] = (r[3 * j + i] + r[3 * i + j]) / s;
        q[k] = (r[3 * k + i] + r[3 * i + k]) / s;
        q[3] = (r[3 * k + j] - r[3 * j + k]) / s;
    }
    double size = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int c = 0; c < 4; c++) q[c] /= size;
}

// Polar decomposition by Higham's iteration: R becomes the mean of itself and its inverse transpose. bone_sound made sure
// that the determinant is positive and not small.
static void split_bone(struct bone_key *key) {
    double r[9];
    for (int i = 0; i < 9; i++) r[i] = key->matrix.m[i / 3 * 4 + i % 3];
    for (int iteration = 0; iteration < 40; iteration++) {
        double c[9]; // cofactors: the inverse transpose times the determinant
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                int a = (i + 1) % 3, b = (i + 2) % 3, d = (j + 1) % 3, e = (j + 2) % 3;
                c[3 * i + j] = r[3 * a + d] * r[3 * b + e] - r[3 * a + e] * r[3 * b + d];
            }
        double determinant = r[0] * c[0] + r[1] * c[1] + r[2] * c[2];
        double change = 0;
        for (int i = 0; i < 9; i++) {
            double next = 0.5 * (r[i] + c[i] / determinant);
            change += fabs(next - r[i]);
            r[i] = next;
        }
        if (change < 1e-14) break;
    }
    quaternion_of(r, key->rotation);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            key->stretch[3 * i + j] =
                r[i] * key->matrix.m[j] + r[3 + i] * key->matrix.m[4 + j] + r[6 + i] * key->matrix.m[8 + j];
}

static bool same_matrix(const affine *a, const affine *b) { return memcmp(a, b, sizeof *a) == 0; }

void pose_set_host_origin(struct pose *pose, const double origin[3]) {
    for (int c = 0; c < 3; c++) {
        pose->host_origin[c] = origin[c] * pose->meters_per_unit;
        if (pose->host_origin_known) continue;
        pose->origin[c] += pose->host_origin[c];
        pose->previous_origin[c] = pose->current_origin[c] = pose->host_origin[c];
    }
    pose->host_origin_known = true;
}

static void shift(affine *matrix, const double way[3]) {
    for (int row = 0; row < 3; row++) matrix->m[4 * row + 3] -= way[row];
}

bool pose_follow(struct pose *pose, float moved[3]) {
    double3 at = affine_point(&pose->bones[pose->anchor_bone].current.matrix, pose->anchor);
    if (pose->follows_point) at = pose->point;
    if (fmax(fabs(at.x), fmax(fabs(at.y), fabs(at.z))) <= pose->reach) return false;
    // As floats, which is how the device goes along; what a jump of more than 2^24 m leaves over is for the next frame.
    double way[3] = {(float)floor(at.x + 0.5), (float)floor(at.y + 0.5), (float)floor(at.z + 0.5)};
    for (int c = 0; c < 3; c++) {
        pose->origin[c] += way[c];
        moved[c] = (float)way[c];
    }
    pose->point = d3_sub(pose->point, d3(way[0], way[1], way[2]));
    for (uint32_t b = 0; b < pose->bone_count; b++) {
        shift(&pose->bones[b].previous.matrix, way);
        shift(&pose->bones[b].current.matrix, way);
        shift(&pose->bones[b].step, way);
    }
    return true;
}

bool pose_set_current(struct pose *pose, const float *bones) {
    if (!bones) return false;
    memcpy(pose->current_origin, pose->host_origin, sizeof pose->current_origin);
    bool moved = false;
    double way[3]; // from the host's origin to ours. Minus zero makes no difference to any number, plus would to -0
    for (int c = 0; c < 3; c++) way[c] = pose->origin[c] - pose->host_origin[c];
    for (uint32_t b = 0; b < pose->bone_count; b++) {
        affine matrix = affine_load(bones + 12 * (size_t)b);
        for (int row = 0; row < 3; row++) matrix.m[4 * row + 3] *= pose->meters_per_unit;
        shift(&matrix, way);
        struct pose_bone *bone = &pose->bones[b];
        if (same_matrix(&matrix, &bone->current.matrix)) continue;
        if (!bone_sound(bones + 12 * (size_t)b, NULL)) continue; // nothing hangs on it: it stays where it was something
        bone->current.matrix = matrix;
        if (bone->used) split_bone(&bone->current);
        moved = true;
    }
    return moved;
}

void pose_set_matrix(struct pose *pose, uint32_t bone, const affine *matrix) {
    pose->bones[bone].current.matrix = *matrix;
    split_bone(&pose->bones[bone].current);
}

void pose_set_body(struct pose *pose, const struct body *body) {
    for (uint32_t b = 0; b < pose->bone_count; b++) {
        struct pose_bone *bone = &pose->bones[b];
        bool used = bone->named || (body && b < body->bone_count && body->has_collider[b]);
        if (used && !bone->used) {
            split_bone(&bone->current);
            bone->previous = bone->current;
            bone->step = bone->before = bone->current.matrix;
        }
        bone->used = used;
    }
}

// What a coordinate of a bone that does not move can differ by when it is given from another origin: it was rounded to a
// float twice, and a few times in double precision on the way to ours.
static double rounding_between(const struct pose *pose, int c, double from, double to) {
    double ours = pose->origin[c], a = pose->previous_origin[c], b = pose->current_origin[c];
    return FLT_EPSILON * fmax(fabs(from + ours - a), fabs(to + ours - b)) +
           4 * DBL_EPSILON * fmax(fabs(ours), fmax(fabs(a), fabs(b)));
}

bool pose_moved(const struct pose *pose, uint32_t bone) {
    const affine *from = &pose->bones[bone].previous.matrix, *to = &pose->bones[bone].current.matrix;
    if (same_matrix(from, to)) return false;
    bool same_origin = true;
    for (int c = 0; c < 3; c++) same_origin = same_origin && pose->previous_origin[c] == pose->current_origin[c];
    if (same_origin) return true;
    for (int i = 0; i < 12; i++) {
        double most = i % 4 == 3 ? rounding_between(pose, i / 4, from->m[i], to->m[i]) : 0;
        if (fabs(to->m[i] - from->m[i]) > most) return true;
    }
    return false;
}

void pose_end_frame(struct pose *pose) {
    for (uint32_t b = 0; b < pose->bone_count; b++)
        if (pose->bones[b].used) pose->bones[b].previous = pose->bones[b].current;
    memcpy(pose->previous_origin, pose->current_origin, sizeof pose->previous_origin);
}

void pose_jump(struct pose *pose) {
    pose_end_frame(pose);
    for (uint32_t b = 0; b < pose->bone_count; b++) pose->bones[b].step = pose->bones[b].current.matrix;
}

// ---- between two frames ----

// sin(t a) / sin(a) for cos(a) = x in [0, 1], as the series of D. Eberly, "A fast and accurate algorithm for computing
// SLERP" (2011), with enough terms for double precision: each is less than half of 1 - x times the one before, and below 1e-24
// no bit changes. Bones turn by a few degrees a frame, for which seven are enough. No table, no libm: the same everywhere.
static double sine_ratio(double x, double t) {
    double sum = 1, most = 1;
    int terms = 0;
    for (; terms < 40 && most > 1e-24; terms++) most *= 0.5 * fabs(x - 1);
    for (int i = terms; i > 0; i--) {
        double b = (t * t / (i * (2.0 * i + 1)) - i / (2.0 * i + 1)) * (x - 1);
        sum = 1 + b * sum;
    }
    return t * sum;
}

static affine between(const struct bone_key *a, const struct bone_key *b, double t) {
    double cosine = 0;
    for (int i = 0; i < 4; i++) cosine += a->rotation[i] * b->rotation[i];
    double sign = cosine < 0 ? -1 : 1; // the shorter of the two arcs
    double wa = sine_ratio(cosine * sign, 1 - t), wb = sine_ratio(cosine * sign, t) * sign;
    double q[4], size = 0;
    for (int i = 0; i < 4; i++) {
        q[i] = wa * a->rotation[i] + wb * b->rotation[i];
        size += q[i] * q[i];
    }
    double s = 2 / size, x = q[0], y = q[1], z = q[2], w = q[3];
    double r[9] = {1 - s * (y * y + z * z), s * (x * y - w * z),     s * (x * z + w * y),
                   s * (x * y + w * z),     1 - s * (x * x + z * z), s * (y * z - w * x),
                   s * (x * z - w * y),     s * (y * z + w * x),     1 - s * (x * x + y * y)};
    double stretch[9];
    for (int i = 0; i < 9; i++) stretch[i] = (1 - t) * a->stretch[i] + t * b->stretch[i];
    affine out;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            out.m[4 * i + j] = r[3 * i] * stretch[j] + r[3 * i + 1] * stretch[3 + j] + r[3 * i + 2] * stretch[6 + j];
        out.m[4 * i + 3] = (1 - t) * a->matrix.m[4 * i + 3] + t * b->matrix.m[4 * i + 3];
    }
    return out;
}

void pose_step(struct pose *pose, double fraction) {
    for (uint32_t b = 0; b < pose->bone_count; b++) {
        struct pose_bone *bone = &pose->bones[b];
        if (!bone->used) continue;
        const struct bone_key *from = &bone->previous, *to = &bone->current;
        bone->before = bone->step;
        bool whole = fraction > 1 - 1e-6 || same_matrix(&from->matrix, &to->matrix);
        bone->step = whole ? to->matrix : between(from, to, fraction);
    }
}

bool pose_beyond(const struct pose *pose, double distance, double half_angle_cosine) {
    for (uint32_t b = 0; b < pose->bone_count; b++) {
        if (!pose->bones[b].bound) continue;
        const struct bone_key *from = &pose->bones[b].previous, *to = &pose->bones[b].current;
        double3 way = d3(to->matrix.m[3] - from->matrix.m[3], to->matrix.m[7] - from->matrix.m[7],
                         to->matrix.m[11] - from->matrix.m[11]);
        if (distance > 0 && d3_length(way) > distance) return true;
        double cosine = 0;
        for (int i = 0; i < 4; i++) cosine += from->rotation[i] * to->rotation[i];
        if (fabs(cosine) < half_angle_cosine) return true;
    }
    return false;
}

// ---- what the device reads ----

// Root mean square of the scales of the three axes: exact where they agree.
static double scale_of(const affine *a) {
    double sum = 0;
    for (int i = 0; i < 12; i++)
        if (i % 4 != 3) sum += a->m[i] * a->m[i];
    return sqrt(sum / 3);
}

static void skin_bone(const struct pose *pose, uint32_t b, const affine *matrix) {
    if (!pose->bones[b].named) return;
    affine skin = affine_multiply(matrix, &pose->bones[b].bind_inverse);
    float *out = pose->skin + (size_t)b * BONE_FLOATS;
    for (int i = 0; i < 12; i++) out[i] = (float)skin.m[i];
    out[BONE_SCALE] = (float)scale_of(&skin);
}

void pose_skin_before(struct pose *pose) {
    for (uint32_t b = 0; b < pose->bone_count; b++) skin_bone(pose, b, &pose->bones[b].before);
}

void pose_skin_step(struct pose *pose) {
    for (uint32_t b = 0; b < pose->bone_count; b++) skin_bone(pose, b, &pose->bones[b].step);
}

void pose_skin_current(struct pose *pose) {
    for (uint32_t b = 0; b < pose->bone_count; b++) skin_bone(pose, b, &pose->bones[b].current.matrix);
}

bool pose_step_is_current(const struct pose *pose) {
    for (uint32_t b = 0; b < pose->bone_count; b++)
        if (pose->bones[b].used && !same_matrix(&pose->bones[b].step, &pose->bones[b].current.matrix)) return false;
    return true;
}

static void store3(float *out, double3 v) {
    out[0] = (float)v.x;
    out[1] = (float)v.y;
    out[2] = (float)v.z;
}

static void capsule_values(double3 base, double3 tip, double r0, double r1, float *out) {
    double3 axis = d3_sub(tip, base);
    double length = d3_length(axis);
    if (length <= fabs(r0 - r1) || length < 1e-9) { // one sphere contains the other
        if (r1 > r0) base = tip;
        r0 = r1 = r0 > r1 ? r0 : r1;
        length = 0;
        axis = d3(0, 1, 0);
    } else {
        axis = d3_mul(axis, 1 / length);
    }
    double slope = length > 0 ? (r0 - r1) / length : 0;
    store3(out + COLLIDER_BASE, base);
    store3(out + COLLIDER_AXIS, axis);
    store3(out + COLLIDER_SIDE, d3_across(axis));
    out[COLLIDER_LENGTH] = (float)length;
    out[COLLIDER_RADIUS] = (float)r0;
    out[COLLIDER_SLOPE] = (float)slope;
    out[COLLIDER_LEAN] = (float)(slope / sqrt(1 - slope * slope));
    out[COLLIDER_REACH] = (float)(r0 > r1 ? r0 : r1);
}

// All but how it moves.
static void place_collider(const struct pose *pose, const affine *bone, const plait_collider *collider, float *out) {
    double unit = pose->meters_per_unit, scale = scale_of(bone) * unit;
    double3 p0 = affine_point(bone, d3_mul(d3_load(collider->points[0]), unit));
    uint32_t is_plane = collider->kind == PLAIT_COLLIDER_HALF_SPACE;
    memset(out, 0, COLLIDER_FLOATS * sizeof(float));
    if (is_plane) {
        // Normals transform by the inverse transpose.
        affine inverse = affine_inverse(bone);
        double3 n = d3_load(collider->points[1]);
        const double *m = inverse.m;
        double3 normal = d3_unit(d3(m[0] * n.x + m[4] * n.y + m[8] * n.z, m[1] * n.x + m[5] * n.y + m[9] * n.z,
                                    m[2] * n.x + m[6] * n.y + m[10] * n.z));
        // Of a plane that reaches here from afar, the point next to our origin.
        store3(out + COLLIDER_BASE, d3_length(p0) > pose->reach ? d3_mul(normal, d3_dot(p0, normal)) : p0);
        store3(out + COLLIDER_AXIS, normal);
        store3(out + COLLIDER_SIDE, d3_across(normal));
    } else {
        bool capsule = collider->kind == PLAIT_COLLIDER_CAPSULE;
        double3 p1 = capsule ? affine_point(bone, d3_mul(d3_load(collider->points[1]), unit)) : p0;
        capsule_values(p0, p1, collider->radii[0] * scale, collider->radii[capsule] * scale, out);
    }
    memcpy(out + COLLIDER_IS_PLANE, &is_plane, sizeof is_plane);
    out[COLLIDER_FRICTION] = collider->friction;
}

void pose_collider_now(const struct pose *pose, const plait_collider *collider, float *out) {
    static const uint32_t lengths[] = {COLLIDER_BASE,   COLLIDER_BASE + 1, COLLIDER_BASE + 2,
                                       COLLIDER_LENGTH, COLLIDER_RADIUS,   COLLIDER_REACH};
    place_collider(pose, &pose->bones[collider->bone].current.matrix, collider, out);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        out[lengths[i]] = (float)(out[lengths[i]] / pose->meters_per_unit);
}

void pose_collider(const struct pose *pose, const plait_collider *collider, float *out) {
    const affine *bone = &pose->bones[collider->bone].step;
    place_collider(pose, bone, collider, out);
    // The material point that is at x now was at before * step^-1 * x.
    affine inverse = affine_inverse(bone);
    affine back = affine_multiply(&pose->bones[collider->bone].before, &inverse);
    for (int i = 0; i < 12; i++) out[COLLIDER_SLIP + i] = (float)((i % 5 == 0 ? 1.0 : 0.0) - back.m[i]);
}
