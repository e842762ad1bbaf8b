/* Compiles a file to PTX, or to a cubin if the output's name ends with .cubin:

       compile IN OUT [NAME VALUE]...

   where NAME and VALUE are options, such as target sm_80. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilewright.h"

static void *read_file(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    long size;
    if (!file) return NULL;
    if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0 && fseek(file, 0, SEEK_SET) == 0) {
        bytes = malloc((size_t)size + 1);
        *length = bytes ? fread(bytes, 1, (size_t)size, file) : 0;
    }
    fclose(file);
    return bytes;
}

static void report(const tilewright_result *result) {
    static const char *const words[] = {"error", "warning", "note"};
    tilewright_diagnostic one;
    for (size_t i = 0; tilewright_result_diagnostic(result, i, &one); i++) {
        if (one.file) fprintf(stderr, "%s:%u:%u: ", one.file, one.line, one.column);
        fprintf(stderr, "%s[%s]: %s\n%s", words[one.severity], one.code, one.message, one.notes);
    }
}

int main(int argc, char **argv) {
    size_t length = 0;
    int failed = 1;
    if (argc < 3 || argc % 2 == 0) {
        fprintf(stderr, "usage: %s IN OUT [NAME VALUE]...\n", argv[0]);
        return 2;
    }
    void *program = read_file(argv[1], &length);
    if (!program) {
        perror(argv[1]);
        return 2;
    }
    tilewright_options *options = tilewright_options_new();
    const char *dot = strrchr(argv[2], '.');
    tilewright_options_set(options, "name", argv[1]);
    tilewright_options_set(options, "emit", dot && strcmp(dot, ".cubin") == 0 ? "cubin" : "ptx");
    for (int i = 3; i + 1 < argc; i += 2) tilewright_options_set(options, argv[i], argv[i + 1]);

    tilewright_result *result = tilewright_compile(program, length, options);
    report(result);
    const uint8_t *output = tilewright_result_output(result, &length);
    if (output) {
        FILE *file = fopen(argv[2], "wb");
        failed = !file || fwrite(output, 1, length, file) != length;
        if (file && fclose(file) != 0) failed = 1;
        if (failed) perror(argv[2]);
    }
    tilewright_result_free(result);
    tilewright_options_free(options);
    free(program);
    return failed;
}
