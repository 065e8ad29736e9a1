/* Motion capture files: .bvh, a skeleton of joints and a table of channels, as text (Meredith and Maddock 2001, section 4). */
#include "groom_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CHANNELS = 6 };

typedef struct parsing {
    gf_text text;
    plait_gf_motion *motion;
    plait_gf_report *report;
    uint32_t room; /* for joints */
} parsing;

static plait_result parse_motion(parsing *p, double scale);
static plait_result parse_joints(parsing *p, double scale);
static plait_result parse_joint(parsing *p, int32_t parent);
static plait_result parse_channels(parsing *p, uint32_t joint);
static plait_result parse_frames(parsing *p, double scale);

plait_result plait_gf_motion_read(const char *path, float scale, plait_gf_motion *motion, plait_gf_report *report) {
    plait_gf_report unread;
    void *bytes = NULL;
    size_t size = 0;
    plait_result result;
    report = report ? report : &unread;
    memset(report, 0, sizeof *report);
    if (!motion) return gf_fail(report, PLAIT_ERROR_INVALID_ARGUMENT, "motion is null");
    memset(motion, 0, sizeof *motion);
    if (!path) return gf_fail(report, PLAIT_ERROR_INVALID_ARGUMENT, "path is null");
    result = gf_read_file(path, &bytes, &size, report);
    if (result == PLAIT_OK) result = plait_gf_motion_read_memory(bytes, size, scale, motion, report);
    free(bytes);
    return result;
}

plait_result plait_gf_motion_read_memory(const void *bytes, size_t size, float scale, plait_gf_motion *motion,
                                         plait_gf_report *report) {
    plait_gf_report unread;
    parsing p;
    plait_result result;
    memset(&p, 0, sizeof p);
    p.report = report ? report : &unread;
    memset(p.report, 0, sizeof *p.report);
    if (!motion) return gf_fail(p.report, PLAIT_ERROR_INVALID_ARGUMENT, "motion is null");
    memset(motion, 0, sizeof *motion);
    if (!bytes || !(scale > 0 && scale <= 1e6f))
        return gf_fail(p.report, PLAIT_ERROR_INVALID_ARGUMENT,
                       "bytes are null, or scale is not more than 0 and up to 1e6");
    p.text.at = bytes;
    p.text.end = p.text.at + size;
    p.text.line = 1;
    p.motion = motion;
    result = parse_motion(&p, (double)scale);
    if (result == PLAIT_ERROR_OUT_OF_MEMORY) gf_fail(p.report, result, "out of memory");
    if (result != PLAIT_OK) plait_gf_motion_free(motion);
    return result;
}

void plait_gf_motion_free(plait_gf_motion *motion) {
    if (!motion) return;
    free(motion->names);
    free(motion->parents);
    free(motion->offsets);
    free(motion->end_offsets);
    free(motion->first_channels);
    free(motion->channels);
    free(motion->values);
    memset(motion, 0, sizeof *motion);
}

static plait_result wrong(parsing *p, const char *expected) {
    return gf_fail(p->report, PLAIT_ERROR_INVALID_GROOM, "line %u: %s should be where \"%.40s\" is", p->text.line,
                   expected, p->text.at == p->text.end && !p->text.token[0] ? "the end of the file" : p->text.token);
}

static plait_result parse_motion(parsing *p, double scale) {
    plait_result result;
    if (!gf_next_token(&p->text) || strcmp(p->text.token, "HIERARCHY") != 0)
        return gf_fail(p->report, PLAIT_ERROR_UNSUPPORTED, "line 1: not a .bvh file: it does not begin with HIERARCHY");
    result = parse_joints(p, scale);
    return result == PLAIT_OK ? parse_frames(p, scale) : result;
}

/* Joints in the order of the file: parents before children. */
static plait_result parse_joints(parsing *p, double scale) {
    plait_gf_motion *m = p->motion;
    int32_t joint = -1; /* whose braces are open */
    int in_end = 0;
    uint32_t i;
    plait_result result = PLAIT_OK;
    for (;;) {
        const char *token = p->text.token;
        if (!gf_next_token(&p->text)) return wrong(p, "MOTION");
        if (strcmp(token, "MOTION") == 0 && joint < 0) break;
        if (strcmp(token, joint < 0 ? "ROOT" : "JOINT") == 0 && !in_end) {
            result = parse_joint(p, joint);
            joint = (int32_t)m->joint_count - 1;
        } else if (strcmp(token, "End") == 0 && joint >= 0 && !in_end) {
            if (!gf_next_token(&p->text) || strcmp(token, "Site") != 0) return wrong(p, "Site");
            if (!gf_next_token(&p->text) || strcmp(token, "{") != 0) return wrong(p, "{");
            in_end = 1;
        } else if (strcmp(token, "OFFSET") == 0 && joint >= 0) {
            float *to = (in_end ? m->end_offsets : m->offsets) + 3 * (size_t)joint;
            for (i = 0; i < 3; i++) {
                double value;
                if (!gf_next_token(&p->text) || !gf_number(token, &value)) return wrong(p, "a number");
                to[i] = (float)(value * scale);
                if (!(fabsf(to[i]) <= 1e6f)) return wrong(p, "a number up to 1e6");
            }
        } else if (strcmp(token, "CHANNELS") == 0 && joint >= 0 && !in_end) {
            result = parse_channels(p, (uint32_t)joint);
        } else if (strcmp(token, "}") == 0 && joint >= 0) {
            if (in_end)
                in_end = 0;
            else
                joint = m->parents[joint];
        } else {
            return wrong(p, joint < 0 ? "ROOT or MOTION" : "JOINT, OFFSET, CHANNELS, End Site or }");
        }
        if (result != PLAIT_OK) return result;
    }
    return m->joint_count ? PLAIT_OK : wrong(p, "ROOT");
}

static plait_result parse_joint(parsing *p, int32_t parent) {
    plait_gf_motion *m = p->motion;
    uint32_t i = m->joint_count;
    if (i == PLAIT_MAX_BONES)
        return gf_fail(p->report, PLAIT_ERROR_TOO_LARGE, "line %u: too many joints", p->text.line);
    if (i == p->room) {
        p->room = p->room ? 2 * p->room : 32;
        if (!gf_grow((void **)(void *)&m->names, p->room, PLAIT_GF_NAME_SIZE) ||
            !gf_grow((void **)(void *)&m->parents, p->room, sizeof *m->parents) ||
            !gf_grow((void **)(void *)&m->offsets, p->room, 3 * sizeof *m->offsets) ||
            !gf_grow((void **)(void *)&m->end_offsets, p->room, 3 * sizeof *m->end_offsets) ||
            !gf_grow((void **)(void *)&m->first_channels, (size_t)p->room + 1, sizeof *m->first_channels) ||
            !gf_grow((void **)(void *)&m->channels, MOST_CHANNELS * (size_t)p->room, 1))
            return PLAIT_ERROR_OUT_OF_MEMORY;
    }
    if (!gf_next_token(&p->text)) return wrong(p, "a name");
    memset(m->names + (size_t)i * PLAIT_GF_NAME_SIZE, 0, PLAIT_GF_NAME_SIZE);
    memcpy(m->names + (size_t)i * PLAIT_GF_NAME_SIZE, p->text.token, strlen(p->text.token));
    /* Some writers put spaces into names. */
    while (gf_next_token(&p->text) && strcmp(p->text.token, "{") != 0) {
    }
    if (strcmp(p->text.token, "{") != 0) return wrong(p, "{");
    m->parents[i] = parent;
    memset(m->offsets + 3 * (size_t)i, 0, 3 * sizeof *m->offsets);
    memset(m->end_offsets + 3 * (size_t)i, 0, 3 * sizeof *m->end_offsets);
    m->first_channels[i] = m->first_channels[i + 1] = m->channel_count;
    m->joint_count++;
    return PLAIT_OK;
}

/* Channels are 0 to 2: position, 3 to 5: rotation. */
static plait_result parse_channels(parsing *p, uint32_t joint) {
    static const char *const names[] = {"position", "rotation"};
    plait_gf_motion *m = p->motion;
    double count;
    uint32_t i;
    if (joint + 1 != m->joint_count || m->first_channels[joint + 1] != m->first_channels[joint])
        return wrong(p, "channels of this joint, once, before its children");
    if (!gf_next_token(&p->text) || !gf_number(p->text.token, &count) || !(count >= 0 && count <= MOST_CHANNELS) ||
        count != floor(count))
        return wrong(p, "a number of channels, up to 6");
    for (i = 0; i < (uint32_t)count; i++) {
        char axis;
        int kind;
        if (!gf_next_token(&p->text)) return wrong(p, "a channel");
        axis = (char)(p->text.token[0] | 0x20);
        for (kind = 0; kind < 2 && strcmp(p->text.token + 1, names[kind]) != 0; kind++) {
        }
        if (axis < 'x' || axis > 'z' || kind == 2) return wrong(p, "Xposition, Xrotation or the like");
        m->channels[m->channel_count++] = (uint8_t)(3 * kind + axis - 'x');
    }
    m->first_channels[joint + 1] = m->channel_count;
    return PLAIT_OK;
}

static plait_result parse_frames(parsing *p, double scale) {
    plait_gf_motion *m = p->motion;
    double frames, seconds, value;
    size_t i, count;
    if (!gf_next_token(&p->text) || strcmp(p->text.token, "Frames:") != 0) return wrong(p, "Frames:");
    if (!gf_next_token(&p->text) || !gf_number(p->text.token, &frames) || !(frames >= 1 && frames <= 1e8) ||
        frames != floor(frames))
        return wrong(p, "a number of frames, 1 or more");
    if (!gf_next_token(&p->text) || strcmp(p->text.token, "Frame") != 0) return wrong(p, "Frame Time:");
    if (!gf_next_token(&p->text) || strcmp(p->text.token, "Time:") != 0) return wrong(p, "Time:");
    if (!gf_next_token(&p->text) || !gf_number(p->text.token, &seconds) || !(seconds >= 1e-6 && seconds <= 1e3))
        return wrong(p, "seconds, 1e-6 to 1000");
    /* Each number takes two characters or more. */
    if (frames * m->channel_count > (double)(p->text.end - p->text.at) / 2 + 1)
        return gf_fail(p->report, PLAIT_ERROR_INVALID_GROOM,
                       "line %u: %.0f frames of %u channels do not fit into %zu bytes", p->text.line, frames,
                       m->channel_count, (size_t)(p->text.end - p->text.at));
    m->frame_count = (uint32_t)frames;
    m->frame_s = (float)seconds;
    count = (size_t)m->frame_count * m->channel_count;
    m->values = gf_allocate(count, sizeof *m->values);
    if (!m->values) return PLAIT_ERROR_OUT_OF_MEMORY;
    for (i = 0; i < count; i++) {
        int is_position = m->channels[i % m->channel_count] < 3;
        if (!gf_next_token(&p->text) || !gf_number(p->text.token, &value)) return wrong(p, "a number");
        m->values[i] = (float)(is_position ? value * scale : value);
        if (!(fabsf(m->values[i]) <= 1e6f)) return wrong(p, "a number up to 1e6");
    }
    if (gf_next_token(&p->text)) gf_note(p->report, "line %u: what follows the last frame is ignored", p->text.line);
    return PLAIT_OK;
}
