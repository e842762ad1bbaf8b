/* The C interface of Tilewright, a compiler of CUDA Tile IR. docs/library.md describes it. Generated: do not edit. */

#ifndef TILEWRIGHT_H
#define TILEWRIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 The severity of a diagnostic.
 */
typedef enum {
  /*
   Nothing was made.
   */
  TILEWRIGHT_ERROR = 0,
  /*
   Something was made, and may not be what was intended.
   */
  TILEWRIGHT_WARNING = 1,
  /*
   Information.
   */
  TILEWRIGHT_NOTE = 2,
} tilewright_severity;

/*
 The options of a compilation. Several threads may compile with the same options while none sets one.
 */
typedef struct tilewright_options tilewright_options;

/*
 What a compilation made: PTX or a cubin, and diagnostics.
 */
typedef struct tilewright_result tilewright_result;

/*
 What a launch of a compiled kernel has to heed. The name lives as long as the result that it is from.
 */
typedef struct {
  /*
   The name.
   */
  const char *name;
  /*
   The threads of a block; zeros if the kernel requires no number. A launch in blocks of one thread has as many too.
   */
  uint32_t threads[3];
  /*
   The blocks of a cluster; zeros if the kernel requires no shape. The grid is made of whole clusters.
   */
  uint32_t cluster[3];
  /*
   Whether the function needs the attribute NON_PORTABLE_CLUSTER_SIZE_ALLOWED for its clusters.
   */
  bool needs_large_clusters;
  /*
   Whether the launch has to say the shape of a cluster.
   */
  bool leaves_cluster_to_launch;
  /*
   Whether the grid counts clusters instead of blocks.
   */
  bool grid_counts_clusters;
  /*
   Whether the launch has to say the bytes of dynamic shared memory. The function needs the attribute
   MAX_DYNAMIC_SHARED_SIZE_BYTES for more than 48 KiB.
   */
  bool has_dynamic_shared;
  /*
   Bytes of shared memory that the kernel declares.
   */
  uint64_t shared_bytes;
} tilewright_kernel;

/*
 A diagnostic. The strings live as long as the result that it is from.
 */
typedef struct {
  /*
   The severity.
   */
  tilewright_severity severity;
  /*
   The line, from 1; 0 if it is not known.
   */
  uint32_t line;
  /*
   The column, from 1; 0 if it is not known.
   */
  uint32_t column;
  /*
   The stable code, such as "E0401".
   */
  const char *code;
  /*
   The message, which makes sense alone.
   */
  const char *message;
  /*
   The file: the program's name, or that of a source file in its debug information; null if it concerns none.
   */
  const char *file;
  /*
   More lines, each ended by a line feed: what to do, where else to look. Empty if there are none.
   */
  const char *notes;
} tilewright_diagnostic;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 The version of the compiler, such as "0.1.0".
 */
const char *tilewright_version(void);

/*
 Default options: PTX for sm_90a, or for the GPU that a text names, at the highest optimisation level. To be freed with
 `tilewright_options_free`.
 */
tilewright_options *tilewright_options_new(void);

/*
 Sets an option, and returns whether it could. If not, every compilation with these options fails, and says why.

 | name | value |
 |---|---|
 | `emit` | `ptx` or `cubin` |
 | `target` | the GPU, such as `sm_90a` |
 | `opt_level` | `0` to `3` |
 | `lineinfo`, `fmad`, `verify_each` | `true` or `false` |
 | `fast_math` | flags with commas between, `all` or `fast` |
 | `hint` | a hint that replaces those of the program, such as `occupancy=2` |
 | `name` | the name of the program in diagnostics |
 | `preview` | features of preview content, with commas between |
 | `ptxas` | the path of ptxas |

 # Safety
 `options` comes from `tilewright_options_new` and is used by no other thread; `name` and `value` are null or end with a zero
 byte.
 */
bool tilewright_options_set(tilewright_options *options,
                            const char *name,
                            const char *value);

/*
 Frees options.

 # Safety
 `options` comes from `tilewright_options_new`, and is not used any more.
 */
void tilewright_options_free(tilewright_options *options);

/*
 Compiles a program of `length` bytes: Tile IR bytecode, or the text of any language of the compiler. Any number of threads
 may do so at once. The result is never null, and is to be freed with `tilewright_result_free`.

 # Safety
 `program` points to `length` bytes, and `options` is null or comes from `tilewright_options_new`.
 */
tilewright_result *tilewright_compile(const void *program,
                                      size_t length,
                                      const tilewright_options *options);

/*
 The PTX or the cubin, and its length in bytes; null after an error. A zero byte follows, which is not counted.

 # Safety
 `result` is null or comes from `tilewright_compile`, and `length` is null or points to a number.
 */
const uint8_t *tilewright_result_output(const tilewright_result *result,
                                        size_t *length);

/*
 Fills in how the kernel of an index from 0 is launched, and returns whether there is one.

 # Safety
 `result` is null or comes from `tilewright_compile`, and `kernel` is null or points to one.
 */
bool tilewright_result_kernel(const tilewright_result *result,
                              size_t index,
                              tilewright_kernel *kernel);

/*
 The number of diagnostics.

 # Safety
 `result` is null or comes from `tilewright_compile`.
 */
size_t tilewright_result_diagnostic_count(const tilewright_result *result);

/*
 Fills in the diagnostic of an index from 0, and returns whether there is one.

 # Safety
 `result` is null or comes from `tilewright_compile`, and `diagnostic` is null or points to one.
 */
bool tilewright_result_diagnostic(const tilewright_result *result,
                                  size_t index,
                                  tilewright_diagnostic *diagnostic);

/*
 Frees a result, with its output and its diagnostics.

 # Safety
 `result` comes from `tilewright_compile`, and nothing of it is used any more.
 */
void tilewright_result_free(tilewright_result *result);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* TILEWRIGHT_H */
