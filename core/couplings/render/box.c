// The box that 16-bit positions are relative to. It is known before the frame is written, and to the host at once, because it does not
// look at strands: guides stay within their length of their roots, and these are where bones are. What is between guides is as far
// from them as it was drawn, or styled.
#include "binding_search.h"
#include "couplings/render/data.h"
#include "couplings/render/render.h"

#define STRETCH 1.25 // of guides, at most, see plait_stats_info.worst_stretch

bool box_wanted(const struct hair *hair) {
    for (uint32_t i = 0; i < hair->render_output.count; i++)
        if (hair->render_output.attributes[i].kernel == KERNEL_render_position)
            return hair->render_output.attributes[i].components == PACKED_WORDS;
    return false;
}

static double3 between(const float *points, uint32_t count, double at) {
    const uint32_t k = (uint32_t)at < count - 1 ? (uint32_t)at : count - 2;
    const double3 a = d3_load(points + 3 * (size_t)k), b = d3_load(points + 3 * (size_t)k + 3);
    return d3_add(a, d3_mul(d3_sub(b, a), at - k));
}

static const float *points_of(const struct groom *groom, uint32_t strand) {
    return groom->positions + 3 * (size_t)groom->first_vertex[strand];
}

// How far vertices are from the places of their guides that they follow: the roots, and then what differs in shape.
static double find_reach(const struct binding *b) {
    double most = 0;
    for (uint32_t i = 0; i < b->info.strand_count; i++) {
        const uint32_t strand = b->order[i], count = b->render->vertex_counts[strand];
        const float *own = points_of(b->render, strand);
        for (uint32_t g = 0; g < b->guide_count; g++) {
            const struct binding_row *row = &b->rows[b->strand_rows[(size_t)i * b->guide_count + g]];
            const uint32_t n = b->guides->vertex_counts[row->guide];
            const double3 apart = d3_sub(d3_load(own), d3_load(points_of(b->guides, row->guide)));
            double farthest = 0;
            for (uint32_t v = 0; v < count; v++) {
                double at = (double)v * (n - 1) / (count - 1);
                if (row->places != EVEN_ROW) at = b->places[row->places + v];
                double3 off = d3_sub(d3_load(own + 3 * (size_t)v), between(points_of(b->guides, row->guide), n, at));
                farthest = fmax(farthest, d3_length(d3_sub(off, apart)));
            }
            most = fmax(most, d3_length(apart) + farthest);
        }
    }
    return most;
}

// How far the middles of clumps are.
static double find_clump_reach(const struct hair *hair) {
    const struct binding *b = hair->binding;
    const struct groom *render = b->render;
    double most = 0;
    for (uint32_t i = 0; i < b->info.strand_count; i++) {
        const uint32_t strand = b->order[i], middle = b->order[hair->clumps[i]];
        const uint32_t count = render->vertex_counts[strand], n = render->vertex_counts[middle];
        for (uint32_t v = 0; v < count && strand != middle; v++) {
            double3 off = d3_sub(d3_load(points_of(render, strand) + 3 * (size_t)v),
                                 between(points_of(render, middle), n, (double)v * (n - 1) / (count - 1)));
            most = fmax(most, d3_dot(off, off));
        }
    }
    return sqrt(most);
}

static void find_balls(const struct hair *hair, struct bone_ball *balls) {
    const struct groom *groom = hair->groom;
    const double unit = hair->pose.meters_per_unit;
    for (uint32_t bone = 0; bone < hair->pose.bone_count; bone++) {
        balls[bone].centre = d3(0, 0, 0);
        balls[bone].radius = -1;
    }
#define FOR_EACH_ROOT(body)                                                                                            \
    for (uint32_t s = 0; s < groom->info.strand_count; s++)                                                            \
        for (int i = 0; i < 4; i++) {                                                                                  \
            struct bone_ball *ball = &balls[groom->bindings[s].bones[i]];                                              \
            const double3 root = d3_mul(d3_load(points_of(groom, s)), unit);                                           \
            if (groom->bindings[s].weights[i] > 0) body                                                                \
        }
    FOR_EACH_ROOT({ // any point among the roots will do for a centre
        ball->centre = ball->radius < 0 ? root : d3_mul(d3_add(ball->centre, root), 0.5);
        ball->radius = 0;
    })
    FOR_EACH_ROOT({
        ball->radius =
            fmax(ball->radius, d3_length(d3_sub(root, ball->centre)) + STRETCH * unit * strand_length(groom, s));
    })
#undef FOR_EACH_ROOT
}

void render_find_box(struct hair *hair) {
    if (!hair->binding || !box_wanted(hair)) return;
    struct render_place *place = render_place_of(hair);
    const struct groom *render = hair->binding->render;
    if (!place->reach_known) {
        place->reach = find_reach(hair->binding);
        find_balls(hair, place->balls);
        for (uint32_t v = 0; v < render->info.vertex_count; v++)
            place->radius = fmax(place->radius, render->radii[v] < 0 ? DEFAULT_RADIUS_M / hair->pose.meters_per_unit
                                                                     : (double)render->radii[v]);
        place->clump_reach = -1;
        place->reach_known = true;
    }
    if (hair->styles && place->clump_reach < 0) place->clump_reach = find_clump_reach(hair);
}

// The most that a matrix makes of a length: no more than the root of the largest sum of a row of its square (Gershgorin), and
// just that for rotations and scales.
static double stretch_of(const float *m) {
    double most = 0;
    for (int i = 0; i < 3; i++) {
        double sum = 0;
        for (int j = 0; j < 3; j++)
            sum += fabs((double)m[i] * m[j] + (double)m[4 + i] * m[4 + j] + (double)m[8 + i] * m[8 + j]);
        most = fmax(most, sum);
    }
    return sqrt(most);
}

// How far styles move vertices, host units, and how much wider they make them.
static double style_reach(const struct hair *hair, double *wider) {
    double most = 0;
    *wider = hair->styles ? 0 : 1;
    for (uint32_t g = 0; hair->styles && g < hair->binding->render->info.group_count; g++) {
        const plait_render_style *s = &hair->styles[g];
        double pulled = s->clump > 0 && s->clump_size > 0 ? render_place_of(hair)->clump_reach : 0;
        most = fmax(most, pulled + s->scatter + s->curl_radius + s->frizz);
        *wider = fmax(*wider, fmax(s->width_root, s->width_tip));
    }
    return most;
}

void box_write(struct hair *hair, double gain, float values[RENDER_SETTING_WORDS]) {
    const struct pose *pose = &hair->pose;
    const struct render_place *place = render_place_of(hair);
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, scale = 0, wider;
    const double reach =
        1.001 * (place->reach + style_reach(hair, &wider) + push_reach(hair)); // and what rounding adds
    const double radius = fmax(1.001 * place->radius * wider * gain, 1e-30);
    for (uint32_t b = 0; b < pose->bone_count; b++) {
        const struct bone_ball *ball = &place->balls[b];
        if (ball->radius < 0) continue;
        const float *skin = pose->skin + (size_t)b * BONE_FLOATS;
        const affine matrix = affine_load(skin);
        const double3 at = affine_point(&matrix, ball->centre);
        const double stretch = stretch_of(skin), centre[3] = {at.x, at.y, at.z};
        const double around = stretch * (ball->radius / pose->meters_per_unit + reach + radius);
        for (int c = 0; c < 3; c++) {
            double seen = (centre[c] - (pose->host_origin[c] - pose->origin[c])) / pose->meters_per_unit;
            low[c] = fmin(low[c], seen - around);
            high[c] = fmax(high[c], seen + around);
        }
        scale = fmax(scale, stretch);
    }
    plait_hair_info *info = &hair->info;
    for (int c = 0; c < 3; c++) {
        info->render_box_min[c] = values[RENDER_BOX + c] = (float)low[c];
        info->render_box_max[c] = (float)high[c];
        values[RENDER_BOX_INVERSE + c] = 1 / fmaxf(info->render_box_max[c] - info->render_box_min[c], 1e-30f);
    }
    info->render_max_radius = (float)(radius * scale);
    values[RENDER_RADIUS_INVERSE] = 1 / fmaxf(info->render_max_radius, 1e-30f);
}
