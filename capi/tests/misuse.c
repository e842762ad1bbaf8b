/* What a careful program does not do, and sixteen threads at once. The exit status is the line of the first surprise. */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilewright.h"

#define CHECK(condition) \
    do { \
        if (!(condition)) exit(__LINE__ % 256); \
    } while (0)

static const char first[] = "cuda_tile.module @m {\n  entry @";

/* A kernel of a name and a level of its own. */
static void *compile(void *argument) {
    int number = *(int *)argument;
    char program[200], name[40], level[2] = {(char)('0' + number % 4), 0};
    size_t length;
    snprintf(name, sizeof name, "kernel_%d", number);
    snprintf(program, sizeof program, "%s%s() {\n    return\n  }\n}\n", first, name);
    for (int round = 0; round < 4; round++) {
        const char *target = (number + round) % 2 ? "sm_80" : "sm_120a";
        tilewright_options *options = tilewright_options_new();
        CHECK(tilewright_options_set(options, "target", target));
        CHECK(tilewright_options_set(options, "opt_level", level));
        tilewright_result *result = tilewright_compile(program, strlen(program), options);
        tilewright_options_free(options);
        const char *text = (const char *)tilewright_result_output(result, &length);
        CHECK(text && strlen(text) == length);
        CHECK(strstr(text, name) && strstr(text, target));
        CHECK(tilewright_result_diagnostic_count(result) == 0);
        tilewright_kernel kernel;
        CHECK(tilewright_result_kernel(result, 0, &kernel) && strcmp(kernel.name, name) == 0);
        CHECK(kernel.threads[0] > 1 && kernel.cluster[0] == 0 && !kernel.has_dynamic_shared);
        CHECK(!tilewright_result_kernel(result, 1, &kernel) && !tilewright_result_kernel(result, 0, NULL));
        tilewright_result_free(result);
    }
    return NULL;
}

int main(void) {
    size_t length = 7;
    tilewright_diagnostic one;
    CHECK(strchr(tilewright_version(), '.'));

    CHECK(!tilewright_options_set(NULL, "target", "sm_80"));
    CHECK(tilewright_result_output(NULL, &length) == NULL && length == 0);
    CHECK(tilewright_result_output(NULL, NULL) == NULL);
    CHECK(tilewright_result_diagnostic_count(NULL) == 0);
    CHECK(!tilewright_result_diagnostic(NULL, 0, &one));
    CHECK(!tilewright_result_kernel(NULL, 0, NULL));
    tilewright_result_free(NULL);
    tilewright_options_free(NULL);

    tilewright_result *result = tilewright_compile(NULL, 5, NULL);
    CHECK(tilewright_result_diagnostic_count(result) == 1);
    CHECK(!tilewright_result_diagnostic(result, 1, &one));
    CHECK(!tilewright_result_diagnostic(result, 0, NULL));
    CHECK(tilewright_result_diagnostic(result, 0, &one));
    CHECK(one.severity == TILEWRIGHT_ERROR && strcmp(one.code, "E0801") == 0 && !one.file && one.line == 0);
    tilewright_result_free(result);

    result = tilewright_compile("\xff\xfe\0\0", 4, NULL);
    CHECK(tilewright_result_output(result, &length) == NULL && length == 0);
    CHECK(tilewright_result_diagnostic_count(result) > 0);
    tilewright_result_free(result);
    result = tilewright_compile(NULL, 0, NULL);
    CHECK(tilewright_result_diagnostic_count(result) > 0);
    tilewright_result_free(result);

    tilewright_options *options = tilewright_options_new();
    CHECK(!tilewright_options_set(options, "opt_level", "4"));
    CHECK(!tilewright_options_set(options, "opt_level", NULL));
    CHECK(!tilewright_options_set(options, NULL, "4"));
    CHECK(!tilewright_options_set(options, "target", "\xff"));
    CHECK(!tilewright_options_set(options, "target", "sm_1"));
    CHECK(!tilewright_options_set(options, "hint", "occupancy=99"));
    result = tilewright_compile("cuda_tile.module @m {\n}\n", 24, options);
    CHECK(tilewright_result_output(result, NULL) == NULL);
    CHECK(tilewright_result_diagnostic_count(result) == 6);
    CHECK(tilewright_result_diagnostic(result, 0, &one) && strstr(one.message, "4"));
    tilewright_result_free(result);
    tilewright_options_free(options);

    pthread_t threads[16];
    int numbers[16];
    for (int i = 0; i < 16; i++) {
        numbers[i] = i;
        CHECK(pthread_create(&threads[i], NULL, compile, &numbers[i]) == 0);
    }
    for (int i = 0; i < 16; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    return 0;
}
