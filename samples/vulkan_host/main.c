// vulkan_host: a small engine with hair. All calls to Plait are in hair.c.
#include <stdlib.h>

#include "../plait/options.h"
#include "game.h"

int main(int argc, char **argv) {
    settings s;
    int code = settings_read(&s, argc - 1, argv + 1);
    if (code != OPTIONS_RUN) return code;
    static game g;
    bool ran = game_open(&g, &s) && game_run(&g);
    bool silent = game_close(&g);
    if (g.nowhere) return EXIT_NOWHERE;
    return ran && silent ? EXIT_SUCCESS : EXIT_FAILURE;
}
