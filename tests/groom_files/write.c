// Files that are written: whole or not at all, where a link leads, and into what is no file as it is.
#define _DEFAULT_SOURCE // mknod
#include "made_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static const char *const FOLDER = "groom_files_write.tmp";
static const char *const FORMATS[] = {"hair", "npz"};

enum { STRANDS = 300, VERTICES = 8 };

// Some 30 kB.
static plait_gf_groom make(void) {
    plait_gf_groom groom = {.strand_count = STRANDS, .vertex_count = STRANDS * VERTICES};
    groom.vertex_counts = malloc(STRANDS * sizeof *groom.vertex_counts);
    groom.positions = malloc(3 * STRANDS * VERTICES * sizeof *groom.positions);
    for (int i = 0; i < STRANDS; i++) groom.vertex_counts[i] = VERTICES;
    for (int i = 0; i < 3 * STRANDS * VERTICES; i++) groom.positions[i] = (float)i;
    return groom;
}

static plait_result write_groom(const char *path, int format, plait_gf_report *report) {
    plait_gf_groom groom = make();
    plait_result result =
        format == 0 ? plait_gf_write_hair(path, &groom, report) : plait_gf_write_npz(path, &groom, 0, report);
    plait_gf_groom_free(&groom);
    return result;
}

static const char *in_folder(const char *name, int format) {
    static char paths[4][256];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s.%s", FOLDER, name, FORMATS[format]);
    return path;
}

static bool has_groom(const char *path) {
    plait_gf_groom groom;
    bool has = plait_gf_read(path, NULL, &groom, NULL) == PLAIT_OK && groom.strand_count == STRANDS;
    plait_gf_groom_free(&groom);
    return has;
}

static int entries(void) {
    int count = 0;
    DIR *folder = opendir(FOLDER);
    for (struct dirent *entry; (entry = readdir(folder));) count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

static int start(void **state) {
    (void)state;
    char command[256];
    snprintf(command, sizeof command, "rm -rf %s", FOLDER);
    return system(command) != 0 || mkdir(FOLDER, 0777) != 0;
}

static int finish(void **state) {
    (void)state;
    char command[256];
    snprintf(command, sizeof command, "rm -rf %s", FOLDER);
    return system(command);
}

static bool npz_is_written(void) {
    const char *path = in_folder("try", 1);
    plait_result result = write_groom(path, 1, NULL);
    unlink(path);
    return result == PLAIT_OK;
}

static int format_count(void) { return npz_is_written() ? 2 : 1; } // without libzip there is only .hair

static void a_write_that_fails_keeps_the_file(void **state) {
    (void)state;
    for (int format = 0, count = format_count(); format < count; format++) {
        const char *path = in_folder("kept", format);
        assert_int_equal(write_groom(path, format, NULL), PLAIT_OK);
        int before = entries();
        struct rlimit old, small;
        getrlimit(RLIMIT_FSIZE, &old);
        small = old;
        small.rlim_cur = 10000;
        void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        plait_gf_report report;
        plait_result result = write_groom(path, format, &report);
        setrlimit(RLIMIT_FSIZE, &old);
        signal(SIGXFSZ, handler);
        assert_int_equal(result, PLAIT_ERROR_SYSTEM);
        assert_says(&report, "too large");
        assert_true(has_groom(path));
        assert_int_equal(entries(), before); // and leaves nothing behind
    }
}

static void a_link_stays_a_link(void **state) {
    (void)state;
    for (int format = 0, count = format_count(); format < count; format++) {
        char target[32];
        snprintf(target, sizeof target, "target.%s", FORMATS[format]);
        const char *link = in_folder("link", format), *second = in_folder("second", format);
        assert_int_equal(symlink(target, link), 0); // relative, and leads nowhere yet
        assert_int_equal(symlink(strrchr(link, '/') + 1, second), 0);
        for (int twice = 0; twice < 2; twice++) {
            assert_int_equal(write_groom(second, format, NULL), PLAIT_OK);
            struct stat is;
            assert_int_equal(lstat(link, &is), 0);
            assert_true(S_ISLNK(is.st_mode));
            assert_int_equal(lstat(second, &is), 0);
            assert_true(S_ISLNK(is.st_mode));
            assert_int_equal(lstat(in_folder("target", format), &is), 0);
            assert_true(S_ISREG(is.st_mode));
            assert_true(has_groom(in_folder("target", format)));
        }
    }
}

static void a_file_keeps_its_rights(void **state) {
    (void)state;
    for (int format = 0, count = format_count(); format < count; format++) {
        const char *path = in_folder("rights", format);
        assert_int_equal(write_groom(path, format, NULL), PLAIT_OK);
        assert_int_equal(chmod(path, 0640), 0);
        assert_int_equal(write_groom(path, format, NULL), PLAIT_OK);
        struct stat is;
        assert_int_equal(stat(path, &is), 0);
        assert_int_equal(is.st_mode & 0777, 0640);
        if (geteuid() != 0) { // root may write to it all the same
            assert_int_equal(chmod(path, 0440), 0);
            assert_int_equal(write_groom(path, format, NULL), PLAIT_ERROR_SYSTEM);
        }
        plait_gf_report report;
        assert_int_equal(write_groom(FOLDER, format, &report), PLAIT_ERROR_SYSTEM);
        assert_says(&report, "s a directory");
    }
}

// A device of our own, which is always full: that of the system must not be at stake. Only root can make one.
static void a_device_is_written_to_and_not_replaced(void **state) {
    (void)state;
    for (int format = 0, count = format_count(); format < count; format++) {
        const char *full = in_folder("full", format);
        struct stat is;
        int device;
        if (mknod(full, S_IFCHR | 0666, makedev(1, 7)) != 0 || (device = open(full, O_WRONLY)) < 0) {
            print_message("skipped: no device can be made here\n");
            return;
        }
        close(device);
        plait_gf_report report;
        assert_int_equal(write_groom(full, format, &report), PLAIT_ERROR_SYSTEM);
        assert_says(&report, "No space left");
        assert_int_equal(lstat(full, &is), 0);
        assert_true(S_ISCHR(is.st_mode));
    }
}

static void a_pipe_receives_the_file(void **state) {
    (void)state;
    for (int format = 0, count = format_count(); format < count; format++) {
        const char *pipe = in_folder("pipe", format), *file = in_folder("file", format);
        assert_int_equal(write_groom(file, format, NULL), PLAIT_OK);
        assert_int_equal(mkfifo(pipe, 0666), 0);
        int reader = open(pipe, O_RDONLY | O_NONBLOCK); // 64 kB wait in it, which is all
        assert_true(reader >= 0);
        assert_int_equal(write_groom(pipe, format, NULL), PLAIT_OK);
        struct stat is;
        assert_int_equal(lstat(pipe, &is), 0);
        assert_true(S_ISFIFO(is.st_mode));
        static uint8_t came[1 << 17], expected[1 << 17];
        ssize_t size = read(reader, came, sizeof came);
        close(reader);
        FILE *written = fopen(file, "rb");
        assert_int_equal(fread(expected, 1, sizeof expected, written), size);
        fclose(written);
        assert_memory_equal(came, expected, (size_t)size);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_write_that_fails_keeps_the_file), cmocka_unit_test(a_link_stays_a_link),
        cmocka_unit_test(a_file_keeps_its_rights),           cmocka_unit_test(a_device_is_written_to_and_not_replaced),
        cmocka_unit_test(a_pipe_receives_the_file),
    };
    return cmocka_run_group_tests(tests, start, finish);
}
