/* A small but complete scene for the tests of the ABI: 37 strands of 2 to 20 vertices in two groups, blended roots on
 * three bones, a body with a collider of each kind, one hair. Also what every test needs: a log that
 * remembers, saved states that compare, positions. */
#ifndef PLAIT_TESTS_SESSION_H
#define PLAIT_TESTS_SESSION_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <plait.h>
#include <plait_vulkan.h>
#include <pthread.h>

enum { STRANDS = 37, BONES = 3, GROUPS = 2, COLLIDERS = 3, MAX_VERTICES = STRANDS * 20, WHOLE_HEAD = 50 };

/* The arrays of a groom, which a test may change, and the desc that points to them. Must not be moved. */
typedef struct groom_source {
    uint32_t vertex_counts[STRANDS];
    float positions[MAX_VERTICES][3];
    float radii[MAX_VERTICES];
    plait_root_binding bindings[STRANDS];
    float bind_pose[BONES][12];
    float normals[STRANDS][3];
    uint16_t group_indices[STRANDS];
    uint32_t held_counts[STRANDS];
    plait_group_desc groups[GROUPS];
    uint32_t vertex_count;
    plait_groom_desc desc;
} groom_source;

typedef struct body_source {
    plait_collider colliders[COLLIDERS]; /* capsule, sphere, half-space */
    plait_body_desc desc;
} body_source;

/* Remembers the last message and how many there were of each id. */
typedef struct message_log {
    pthread_mutex_t mutex;
    uint32_t counts[64]; /* [id + 32] */
    uint32_t count;
    uint32_t level;
    int32_t id;
    char text[1024];
} message_log;

typedef struct session_options {
    const plait_allocator *allocator;
    const plait_jobs *jobs;
    const plait_logger *logger; /* null: the session's own log, at every level */
    uint32_t thread_count;      /* of the built-in pool; 0: one per core */
    uint32_t backend;           /* 0: CPU */
    uint32_t instruction_set;   /* PLAIT_CPU_xxx */
    uint32_t copies;            /* of each strand, 0: 1. WHOLE_HEAD: enough for the job system to be used */
} session_options;

typedef struct session {
    groom_source groom_source;
    body_source body_source;
    uint32_t solver;
    plait_shape_params params[GROUPS];
    plait_hybrid_params rods[GROUPS];
    float bones[BONES][12]; /* of the frame that session_frame described last */
    uint32_t vertex_count;  /* of the groom, with all copies of the strands */
    message_log log;
    plait_context context;
    plait_device device;
    plait_groom groom;
    plait_body body;
    plait_hair hair;
    plait_semaphore semaphore;
    plait_binding binding; /* of the groom to itself */
} session;

void groom_source_fill(groom_source *source);
void body_source_fill(body_source *source);

/* Bones of the sample animation, BONES of them, each with its own motion. */
void bones_at(float time_s, float (*bones)[12]);

void message_log_open(message_log *log);
void message_log_close(message_log *log);
plait_logger message_log_logger(message_log *log, uint32_t min_level);
uint32_t message_log_count(message_log *log, int32_t id);

/* Null options: all defaults. */
session *session_open(const session_options *options);
void session_close(session *s);

plait_device open_device(plait_context context, uint32_t backend, uint32_t instruction_set);

/* Descriptions used by session_open, for tests that need them again or slightly wrong. */
plait_hair_desc session_hair_desc(const session *s);
plait_frame_desc session_frame(session *s, uint32_t number);
plait_binding_desc session_binding_desc(const session *s);
/* Parameters of its solver, GROUPS of them. */
const void *session_params(const session *s);

/* The default solver of tests: shape, or that of PLAIT_TEST_SOLVER. */
uint32_t test_solver(void);

/* One frame of the sample animation; its bones go to memory of the caller. */
plait_frame_desc sample_frame(uint32_t number, float (*bones)[12]);

/* Steps the session's hair through frames of the sample animation. */
void session_run(session *s, uint32_t first_frame, uint32_t frame_count);

/* A saved state. */
typedef struct blob {
    uint64_t size;
    unsigned char *bytes;
} blob;
blob save(plait_hair hair);
int same_blob(const blob *a, const blob *b);
void free_blob(blob *state);

/* Fails the test unless the hair's state is this one, byte for byte. */
void assert_state(plait_hair hair, const blob *expected);

/* One attribute without gaps in memory, [vertices][3 or 4] floats. attribute must live as long as the desc. */
plait_output_desc describe_dense(plait_output_attribute *attribute, uint32_t kind, uint32_t format, void *memory,
                                 uint64_t size);

/* Positions of the session's hair as they are now, [vertices][3], to be freed. */
float *read_positions(const session *s);
int all_finite(const float *values, size_t count);

/* A sequence that is the same on every machine. */
uint64_t next_random(uint64_t *sequence);

/* Fails the test, naming the call and both results, unless the call gives the result expected. */
void check_result(plait_result actual, plait_result expected, const char *call, const char *file, int line);
#define assert_result(call, expected) check_result((call), (expected), #call, __FILE__, __LINE__)
#define assert_ok(call) assert_result(call, PLAIT_OK)

/* For values that the header allows to refuse or accept: any result that exists. */
int is_known_result(plait_result result);

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#endif
