// Plait groom: looks at groom files, converts and resamples them, chooses guides, and binds roots.
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "file_groom.h"
#include "host.h"
#include "options.h"
#include "progress.h"

typedef struct groom_options {
    const char *paths[2]; // from, to
    const char *bones, *axes, *mesh, *skeleton;
    float weld, scale, unit, percent, edge, other_scale;
    uint32_t count, vertices, only, compress;
} groom_options;

typedef struct subcommand {
    const char *name, *usage, *purpose;
    size_t path_count;
    const char *options;                                 // names of those that it takes, each with a space behind
    int (*check)(const char *command, groom_options *o); // null: nothing to check
    bool (*run)(const char *command, const groom_options *o, plait_gf_groom *groom);
} subcommand;

static bool print_info(const char *command, const groom_options *o, plait_gf_groom *groom);
static bool convert(const char *command, const groom_options *o, plait_gf_groom *groom);
static bool choose_guides(const char *command, const groom_options *o, plait_gf_groom *groom);
static bool resample(const char *command, const groom_options *o, plait_gf_groom *groom);
static bool bind_roots(const char *command, const groom_options *o, plait_gf_groom *groom);
static int check_convert(const char *command, groom_options *o);
static int check_bind(const char *command, groom_options *o);
static int check_guides(const char *command, groom_options *o);
static int check_resample(const char *command, groom_options *o);

static const char FORMATS[] = "Reads .hair, .tfx and .npz files, and writes .hair and .npz files.";

static const subcommand SUBCOMMANDS[] = {
    {"info", "FILE", "Prints what a groom file has, and what had to be repaired.", 1, "bones weld scale axes ", NULL,
     print_info},
    {"convert", "FROM TO", "Writes a groom to another file: .hair or .npz, which keeps everything.", 2,
     "bones weld scale unit axes compress ", check_convert, convert},
    {"guides", "FROM TO",
     "Chooses strands that are simulated for all others, spread evenly over scalp, shapes and lengths.", 2,
     "bones weld scale unit axes count percent only compress ", check_guides, choose_guides},
    {"resample", "FROM TO", "Gives strands other vertices, evenly along their curves; curls keep their radius.", 2,
     "bones weld scale unit axes vertices edge compress ", check_resample, resample},
    {"bind", "FROM TO", "Binds roots to a mesh, to the bones of a .tfxbone file or to the nearest bones of a skeleton.",
     2, "bones weld scale unit axes mesh skeleton other-scale compress ", check_bind, bind_roots},
};
enum { SUBCOMMAND_COUNT = sizeof SUBCOMMANDS / sizeof *SUBCOMMANDS };

static int parse(const subcommand *s, const char *command, int argc, char **argv, groom_options *o);
static bool read_groom(const char *command, const groom_options *o, plait_gf_groom *groom);
static bool write_groom(const char *command, const groom_options *o, const plait_gf_groom *groom);
static bool parse_axes(const char *text, float matrix[12]);
static void print_help(FILE *out);
static void print_range(const char *name, float *numbers, size_t count);

int command_groom(int argc, char **argv) {
    const char *name = argc > 0 ? argv[0] : NULL;
    if (name && (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)) {
        print_help(stdout);
        return EXIT_SUCCESS;
    }
    for (size_t i = 0; name && i < SUBCOMMAND_COUNT; i++) {
        const subcommand *s = &SUBCOMMANDS[i];
        if (strcmp(name, s->name) != 0) continue;
        char command[32];
        snprintf(command, sizeof command, "plait groom %s", s->name);
        groom_options o = {.scale = 1, .other_scale = 1};
        plait_gf_groom groom = {0};
        int code = parse(s, command, argc - 1, argv + 1, &o);
        if (code != OPTIONS_RUN) return code;
        bool done = read_groom(command, &o, &groom) && s->run(command, &o, &groom);
        plait_gf_groom_free(&groom);
        return done ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    if (name) fprintf(stderr, "plait groom: there is no '%s'; see plait groom --help\n", name);
    if (!name) print_help(stderr);
    return EXIT_USAGE;
}

static void print_help(FILE *out) {
    fprintf(out, "usage: plait groom WHAT FILE... [OPTION...]\n\n%s\n\n", FORMATS);
    for (size_t i = 0; i < SUBCOMMAND_COUNT; i++)
        fprintf(out, "  %-9s %-8s %s\n", SUBCOMMANDS[i].name, SUBCOMMANDS[i].usage, SUBCOMMANDS[i].purpose);
    fprintf(out, "\nplait groom WHAT --help tells more.\n");
}

static int parse(const subcommand *s, const char *command, int argc, char **argv, groom_options *o) {
    const option all[] = {
        {"bones", OPTION_TEXT, &o->bones, 0, 0, NULL, "FILE", "the .tfxbone file that belongs to a .tfx file"},
        {"weld", OPTION_NUMBER, &o->weld, 0, 1e6, NULL, "D",
         "points this near to the one before are the same; default 0: as near as Plait does not allow"},
        {"scale", OPTION_NUMBER, &o->scale, 1e-6, 1e6, NULL, "X", "multiplies all lengths; default 1"},
        {"unit", OPTION_NUMBER, &o->unit, 1e-6, 1e6, NULL, "M", "metres per unit, after --scale: kept in .npz files"},
        {"axes", OPTION_TEXT, &o->axes, 0, 0, NULL, "A,B,C", "what becomes x, y and z; for z up to y up: x,z,-y"},
        {"count", OPTION_COUNT, &o->count, 1, 67108863, NULL, NULL, "guides"},
        {"percent", OPTION_NUMBER, &o->percent, 1e-4, 100, NULL, "P", "guides, of all strands; default 3"},
        {"only", OPTION_FLAG, &o->only, 0, 0, NULL, NULL, "write the guides alone"},
        {"vertices", OPTION_COUNT, &o->vertices, 2, PLAIT_MAX_STRAND_VERTICES, NULL, NULL, "of every strand"},
        {"edge", OPTION_NUMBER, &o->edge, 1e-9, 1e9, NULL, "L", "length between vertices, after --scale"},
        {"mesh", OPTION_TEXT, &o->mesh, 0, 0, NULL, "FILE.obj",
         "roots are on the nearest triangles of this, in the groom's coordinates"},
        {"skeleton", OPTION_TEXT, &o->skeleton, 0, 0, NULL, "FILE.bvh",
         "roots follow the nearest bones of its rest pose, likewise"},
        {"other-scale", OPTION_NUMBER, &o->other_scale, 1e-6, 1e6, NULL, "X",
         "multiplies all lengths of the mesh or skeleton; default 1"},
        {"compress", OPTION_FLAG, &o->compress, 0, 0, NULL, NULL, "a smaller .npz file, written more slowly"},
    };
    option options[sizeof all / sizeof *all];
    char usage[64], purpose[384];
    size_t count = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char word[32];
        snprintf(word, sizeof word, "%s ", all[i].name);
        if (strstr(s->options, word)) options[count++] = all[i];
    }
    snprintf(usage, sizeof usage, "%s [OPTION...]", s->usage);
    snprintf(purpose, sizeof purpose, "%s\n%s", s->purpose, FORMATS);
    command_line line = {.command = command,
                         .usage = usage,
                         .purpose = purpose,
                         .options = options,
                         .option_count = count,
                         .operands = o->paths,
                         .operand_limit = s->path_count};
    int code = options_parse(&line, argc, argv);
    if (code != OPTIONS_RUN) return code;
    if (line.operand_count < s->path_count) {
        fprintf(stderr, "%s: %s is missing; see %s --help\n", command, s->usage, command);
        return EXIT_USAGE;
    }
    float matrix[12];
    if (o->axes && !parse_axes(o->axes, matrix))
        return options_error(command, "axes", "'%s' is not each of x, y and z once, with or without a minus", o->axes);
    return s->check ? s->check(command, o) : OPTIONS_RUN;
}

// In upper or lower case: files of other systems are often named .HAIR.
static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end), i = 0;
    if (length <= tail) return false;
    for (const char *at = text + length - tail; i < tail && tolower((unsigned char)at[i]) == end[i]; i++) {
    }
    return i == tail;
}

static int check_convert(const char *command, groom_options *o) {
    if (!ends_with(o->paths[1], ".hair") && !ends_with(o->paths[1], ".npz")) {
        fprintf(stderr, "%s: '%s' ends neither with .hair nor with .npz\n", command, o->paths[1]);
        return EXIT_USAGE;
    }
    return OPTIONS_RUN;
}

static int check_guides(const char *command, groom_options *o) {
    if (o->count && o->percent > 0) return options_error(command, "count", "goes without --percent only");
    if (!o->only && !ends_with(o->paths[1], ".npz"))
        return options_error(command, "only", "must be given for a .hair file: it has no room for a choice of guides");
    return check_convert(command, o);
}

static int check_resample(const char *command, groom_options *o) {
    if ((o->vertices > 0) == (o->edge > 0)) return options_error(command, "vertices", "give this or --edge");
    return check_convert(command, o);
}

static int check_bind(const char *command, groom_options *o) {
    int given = (o->mesh != NULL) + (o->skeleton != NULL) + (o->bones != NULL);
    if (given == 0) return options_error(command, "mesh", "give this, --bones or --skeleton");
    if (o->skeleton && given > 1) return options_error(command, "skeleton", "goes without --mesh and --bones only");
    if (!ends_with(o->paths[1], ".npz")) {
        fprintf(stderr, "%s: '%s' does not end with .npz: other files have no room for it\n", command, o->paths[1]);
        return EXIT_USAGE;
    }
    return OPTIONS_RUN;
}

// "x,z,-y": the first becomes x, and so on.
static bool parse_axes(const char *text, float matrix[12]) {
    bool used[3] = {false, false, false};
    memset(matrix, 0, 12 * sizeof *matrix);
    for (int row = 0; row < 3; row++) {
        float sign = *text == '-' ? -1 : 1;
        if (*text == '-') text++;
        int axis = *text - 'x';
        if (axis < 0 || axis > 2 || used[axis] || text[1] != (row < 2 ? ',' : 0)) return false;
        used[axis] = true;
        matrix[4 * row + axis] = sign;
        text += 2;
    }
    return true;
}

static bool read_groom(const char *command, const groom_options *o, plait_gf_groom *groom) {
    plait_gf_read_options options = {.bone_path = o->bones, .weld_distance = o->weld, .progress = progress_share};
    plait_gf_report report;
    if (plait_gf_read(o->paths[0], &options, groom, &report) != PLAIT_OK) {
        fprintf(stderr, "%s: %s: %s\n", command, o->paths[0], report.message);
        return false;
    }
    file_groom_tell(stderr, o->paths[0], &report);
    float matrix[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    if (o->axes) parse_axes(o->axes, matrix);
    for (int i = 0; i < 12; i++) matrix[i] *= o->scale;
    bool change = o->scale != 1 || o->axes;
    if (change && plait_gf_transform(groom, matrix) != PLAIT_OK) {
        fprintf(stderr, "%s: --axes: %s mirrors, which the bind pose of this groom does not allow\n", command, o->axes);
        return false;
    }
    if (o->unit > 0) groom->meters_per_unit = o->unit;
    return true;
}

static bool write_groom(const char *command, const groom_options *o, const plait_gf_groom *groom) {
    const char *path = o->paths[1];
    plait_gf_report report;
    plait_result result = ends_with(path, ".hair") ? plait_gf_write_hair(path, groom, &report)
                                                   : plait_gf_write_npz(path, groom, o->compress, &report);
    if (result != PLAIT_OK) {
        fprintf(stderr, "%s: %s: %s\n", command, path, report.message);
        return false;
    }
    file_groom_tell(stderr, path, &report);
    printf("%s: %u strands, %u vertices", path, groom->strand_count, groom->vertex_count);
    if (groom->guides) printf(", %u guides", groom->guide_count);
    putchar('\n');
    return true;
}

static bool convert(const char *command, const groom_options *o, plait_gf_groom *groom) {
    return write_groom(command, o, groom);
}

static bool choose_guides(const char *command, const groom_options *o, plait_gf_groom *groom) {
    plait_gf_guide_options options = {.count = o->count, .share = o->percent / 100, .progress = progress_share};
    plait_result result = plait_gf_choose_guides(groom, &options);
    progress_share(NULL, 1);
    plait_gf_groom some = {0};
    if (o->count > groom->strand_count)
        fprintf(stderr, "%s: --count: %u guides, which is all: there are not %u strands\n", command,
                groom->strand_count, o->count);
    if (result == PLAIT_OK && o->only) result = plait_gf_select(groom, groom->guides, groom->guide_count, &some);
    if (result != PLAIT_OK) fprintf(stderr, "%s: %s\n", command, plait_result_text(result));
    bool written = result == PLAIT_OK && write_groom(command, o, o->only ? &some : groom);
    plait_gf_groom_free(&some);
    return written;
}

static bool resample(const char *command, const groom_options *o, plait_gf_groom *groom) {
    plait_gf_resample_options options = {
        .vertex_count = o->vertices, .edge_length = o->edge, .progress = progress_share};
    plait_gf_groom resampled;
    uint32_t capped;
    plait_result result = plait_gf_resample(groom, &options, &resampled, &capped);
    progress_share(NULL, 1);
    if (result != PLAIT_OK) {
        fprintf(stderr, "%s: %s\n", command, plait_result_text(result));
        return false;
    }
    if (capped)
        fprintf(stderr,
                "%s: %u strands have longer edges: they are too short for more, or would need more than %u vertices\n",
                command, capped, PLAIT_MAX_STRAND_VERTICES);
    bool written = write_groom(command, o, &resampled);
    plait_gf_groom_free(&resampled);
    return written;
}

static plait_result PLAIT_CALL show_strands(void *user, uint32_t done, uint32_t all) {
    (void)user;
    progress_show(done, all);
    return PLAIT_OK;
}

// The library finds triangles; the groom keeps them. distances: [strand_count].
static bool find_triangles(plait_gf_groom *groom, float *distances) {
    plait_groom_desc desc;
    plait_groom_mesh_desc mesh;
    plait_context context = {0};
    plait_groom made = {0};
    groom->root_triangles = malloc(groom->strand_count * sizeof *groom->root_triangles);
    groom->root_barycentrics = malloc(3 * groom->strand_count * sizeof *groom->root_barycentrics);
    uint32_t *triangles = groom->root_triangles; // not known yet: the description must not have them
    groom->root_triangles = NULL;
    plait_gf_describe(groom, &desc);
    plait_gf_describe_mesh(groom, &mesh);
    groom->root_triangles = triangles;
    desc.head.next = &mesh;
    mesh.progress = show_strands;
    bool found =
        triangles && groom->root_barycentrics && host_context(1, &context) &&
        host_check(plait_groom_create(context, &desc, &made), "plait_groom_create") &&
        host_check(plait_groom_read_roots(made, groom->strand_count, triangles, groom->root_barycentrics, distances),
                   "plait_groom_read_roots");
    if (made.id) plait_groom_destroy(made);
    if (context.id) plait_context_destroy(context);
    return found;
}

static bool bind_mesh(const char *command, const groom_options *o, plait_gf_groom *groom, float *distances) {
    plait_gf_mesh mesh;
    plait_gf_report report;
    if (plait_gf_mesh_read(o->mesh, o->other_scale, &mesh, &report) != PLAIT_OK) {
        fprintf(stderr, "%s: --mesh: %s: %s\n", command, o->mesh, report.message);
        return false;
    }
    plait_result result = plait_gf_bind_mesh(groom, &mesh);
    plait_gf_mesh_free(&mesh);
    if (result != PLAIT_OK) fprintf(stderr, "%s: --mesh: %s: %s\n", command, o->mesh, plait_result_text(result));
    if (result != PLAIT_OK || !find_triangles(groom, distances)) return false;
    printf("%-22s %u vertices, %u triangles\n", "mesh", groom->mesh_vertex_count, groom->mesh_triangle_count);
    return true;
}

static bool bind_skeleton(const char *command, const groom_options *o, plait_gf_groom *groom, float *distances) {
    plait_gf_motion motion;
    plait_gf_report report;
    if (plait_gf_motion_read(o->skeleton, o->other_scale, &motion, &report) != PLAIT_OK) {
        fprintf(stderr, "%s: --skeleton: %s: %s\n", command, o->skeleton, report.message);
        return false;
    }
    plait_result result = plait_gf_bind_skeleton(groom, &motion, distances);
    plait_gf_motion_free(&motion);
    if (result != PLAIT_OK)
        fprintf(stderr, "%s: --skeleton: %s: %s\n", command, o->skeleton, plait_result_text(result));
    return result == PLAIT_OK;
}

// How many bones have roots.
static uint32_t count_used(const plait_gf_groom *groom) {
    uint8_t *used = calloc(groom->bone_count, 1);
    uint32_t count = 0;
    for (uint32_t i = 0; used && i < groom->strand_count; i++)
        for (int k = 0; k < (groom->root_bindings ? 4 : 1); k++)
            if (!groom->root_bindings)
                used[groom->root_bones[i]] = 1;
            else if (groom->root_bindings[i].weights[k] > 0)
                used[groom->root_bindings[i].bones[k]] = 1;
    for (uint32_t b = 0; used && b < groom->bone_count; b++) count += used[b];
    free(used);
    return count;
}

static bool bind_roots(const char *command, const groom_options *o, plait_gf_groom *groom) {
    float *distances = calloc(groom->strand_count, sizeof *distances);
    bool bound = distances;
    if (!distances) fprintf(stderr, "%s: out of memory\n", command);
    if (bound && o->mesh) bound = bind_mesh(command, o, groom, distances);
    if (bound && o->skeleton) bound = bind_skeleton(command, o, groom, distances);
    bound = bound && write_groom(command, o, groom);
    if (bound && (groom->root_bindings || groom->root_bones))
        printf("%-22s %u, %u of them with roots\n", "bones", groom->bone_count, count_used(groom));
    if (bound && (o->mesh || o->skeleton)) {
        printf("%-22s %s\n", "from roots to it", "least, median, most");
        print_range("distance", distances, groom->strand_count);
    }
    free(distances);
    return bound;
}

static int compare_floats(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

// Least, median and greatest of numbers, which it sorts.
static void print_range(const char *name, float *numbers, size_t count) {
    qsort(numbers, count, sizeof *numbers, compare_floats);
    printf("%-22s %g, %g, %g\n", name, (double)numbers[0], (double)numbers[count / 2], (double)numbers[count - 1]);
}

static bool print_info(const char *command, const groom_options *o, plait_gf_groom *groom) {
    size_t most = groom->vertex_count;
    float *numbers = malloc((most > groom->strand_count ? most : groom->strand_count) * sizeof *numbers);
    if (!numbers) {
        fprintf(stderr, "%s: out of memory\n", command);
        return false;
    }
    printf("%-22s %s\n", "file", o->paths[0]);
    printf("%-22s %u\n%-22s %u\n", "strands", groom->strand_count, "vertices", groom->vertex_count);
    for (uint32_t i = 0; i < groom->strand_count; i++) numbers[i] = (float)groom->vertex_counts[i];
    printf("\n%-22s %s\n", "of a strand", "least, median, most");
    print_range("vertices", numbers, groom->strand_count);
    const float *p = groom->positions;
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t i = 0; i < groom->strand_count; i++, p += 3) {
        double length = 0;
        for (uint32_t v = 0; v < groom->vertex_counts[i]; v++, p += v < groom->vertex_counts[i] ? 3 : 0) {
            for (int c = 0; c < 3; c++) low[c] = fminf(low[c], p[c]), high[c] = fmaxf(high[c], p[c]);
            if (v > 0) length += hypot(hypot((double)p[0] - p[-3], (double)p[1] - p[-2]), (double)p[2] - p[-1]);
        }
        numbers[i] = (float)length;
    }
    print_range("length", numbers, groom->strand_count);
    if (groom->radii) {
        memcpy(numbers, groom->radii, most * sizeof *numbers);
        print_range("radius", numbers, most);
    } else if (groom->radius > 0) {
        printf("%-22s %g\n", "radius", (double)groom->radius);
    }
    for (uint32_t i = 0; groom->held_counts && i < groom->strand_count; i++) numbers[i] = (float)groom->held_counts[i];
    if (groom->held_counts) print_range("held vertices", numbers, groom->strand_count);
    free(numbers);
    printf("\n%-22s %g %g %g\n", "from", (double)low[0], (double)low[1], (double)low[2]);
    printf("%-22s %g %g %g\n", "to", (double)high[0], (double)high[1], (double)high[2]);
    if (groom->meters_per_unit > 0) printf("%-22s %g\n", "metres per unit", (double)groom->meters_per_unit);
    if (groom->bone_count)
        printf("%-22s %u, roots follow %s\n", "bones", groom->bone_count,
               groom->root_bindings ? "up to four"
               : groom->root_bones  ? "one"
                                    : "the first");
    if (groom->mesh_positions)
        printf("%-22s %u vertices, %u triangles, roots on %s\n", "mesh", groom->mesh_vertex_count,
               groom->mesh_triangle_count, groom->root_triangles ? "some of them" : "the nearest");
    if (groom->group_count) printf("%-22s %u\n", "groups", groom->group_count);
    if (groom->guides) printf("%-22s %u\n", "guides", groom->guide_count);
    if (groom->colors || groom->transparencies || groom->uvs || groom->root_uvs || groom->root_normals ||
        groom->closest_guides)
        printf("%-22s%s%s%s%s%s%s\n", "has also", groom->colors ? " colours" : "",
               groom->transparencies ? " transparencies" : "", groom->uvs ? " UVs" : "",
               groom->root_uvs ? " root UVs" : "", groom->root_normals ? " root normals" : "",
               groom->closest_guides ? " a binding to guides" : "");
    return true;
}
