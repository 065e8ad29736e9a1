/* What a report says, for people. */
#include "groom_files.h"

#include <stddef.h>
#include <string.h>

typedef struct kind {
    size_t offset; /* of its count, a uint32_t of plait_gf_report */
    const char *what;
} kind;

/* Reasons to leave a strand out, and what was repaired. */
static const kind SKIPPED[] = {
    {offsetof(plait_gf_report, skipped_short), "fewer than two different points"},
    {offsetof(plait_gf_report, skipped_long), "too many vertices"},
    {offsetof(plait_gf_report, skipped_not_finite), "coordinates that are not finite or too large"},
    {offsetof(plait_gf_report, skipped_unbound), "bound to no bone"},
};
static const kind REPAIRED[] = {
    {offsetof(plait_gf_report, welded_strands), "strands with points that coincided with the one before"},
    {offsetof(plait_gf_report, scaled_weights), "strands whose weights did not sum to one, and do now"},
    {offsetof(plait_gf_report, repaired_radii), "radii that cannot be, now 0"},
    {offsetof(plait_gf_report, repaired_normals), "root normals without a direction, now that of the first segment"},
    {offsetof(plait_gf_report, repaired_held), "strands that held none or too many vertices"},
    {offsetof(plait_gf_report, repaired_groups), "strands of a group that does not exist, now in group 0"},
    {offsetof(plait_gf_report, repaired_shading),
     "colours, transparencies or texture coordinates that were not finite, now 0"},
    {offsetof(plait_gf_report, repaired_guide_weights),
     "strands whose weights of guides cannot be or did not sum to one, and do now"},
};
enum { SKIPPED_COUNT = sizeof SKIPPED / sizeof *SKIPPED, REPAIRED_COUNT = sizeof REPAIRED / sizeof *REPAIRED };

static uint32_t count_of(const plait_gf_report *report, const kind *k) {
    uint32_t count;
    memcpy(&count, (const char *)report + k->offset, sizeof count);
    return count;
}

static void add_line(char *text, size_t size, uint32_t count, const char *before, const char *what) {
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%u %s%s", used ? "\n" : "", count, before, what);
}

void plait_gf_report_text(const plait_gf_report *report, char *text, size_t size) {
    size_t i, used;
    if (!text || size == 0) return;
    text[0] = 0;
    for (i = 0; report && i < SKIPPED_COUNT; i++)
        if (count_of(report, &SKIPPED[i]))
            add_line(text, size, count_of(report, &SKIPPED[i]), "strands left out: ", SKIPPED[i].what);
    for (i = 0; report && i < REPAIRED_COUNT; i++)
        if (count_of(report, &REPAIRED[i])) add_line(text, size, count_of(report, &REPAIRED[i]), "", REPAIRED[i].what);
    used = strlen(text);
    if (report && report->notes[0]) snprintf(text + used, size - used, "%s%s", used ? "\n" : "", report->notes);
}

const char *gf_most_skipped(const plait_gf_report *report, uint32_t *count) {
    size_t i, most = 0;
    for (i = 1; i < SKIPPED_COUNT; i++)
        if (count_of(report, &SKIPPED[i]) > count_of(report, &SKIPPED[most])) most = i;
    *count = count_of(report, &SKIPPED[most]);
    return SKIPPED[most].what;
}
