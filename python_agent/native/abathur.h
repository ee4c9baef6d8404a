/* The compiled decoders of the package `abathur`: pure functions over the caller's memory, called by ctypes.
 *
 * Each reads bytes that may be damaged or hostile, and checks every count, length and index before it is used. No
 * function allocates, keeps anything, or reads beyond the sizes that it is given. A function that meets anything that it
 * does not expect returns a negative number, and what it has written is of no use: the caller asks the decoder in NumPy,
 * or protobuf's own parser, which say what is wrong, or that it is only unusual.
 *
 * Arithmetic of values is unsigned, because values wrap. docs/columns.md specifies the encoding `columns`. */

#ifndef ABATHUR_H
#define ABATHUR_H

#include <stddef.h>
#include <stdint.h>

#ifdef _WIN32
#define API __declspec(dllexport)
#else
#define API __attribute__((visibility("default")))
#endif

/* The functions and their meaning; the package does not use a library that has another number. */
#define ABATHUR_VERSION 1

enum { DAMAGED = -1 };

/* Of the units' table. */
enum {
    UNIT_COLUMNS = 49,
    UNIT_PREDICTED = 10,
    UNIT_X = 0,
    UNIT_Y = 1,
    UNIT_SPEED = 2,
    UNIT_FACING = 10,
    UNIT_KINDS = 44,
    UNIT_FIRST_COUNT = 45,
};
/* Of all tables below it. */
enum { MAX_ROWS = 262144 };

API int32_t abathur_version(void);

/* Columns: columns.c. */

/* Applies the units' sections of a payload, from its byte 4 on, to the table `before`, of `rows_before` rows.
 *     before, after    int64 cells[49][rows], int64 velocity[10][rows]; after it, uint32[rows] without a meaning
 *     flags            bool used[rows], heads[rows], and, afterwards, which rows have the same unit as before: [rows]
 *     rows             how many there are afterwards: the payload says it, if it has section 0
 *     directions       2^20 times cosine[k], and then sine[k], for k from 0 to 32,767
 * Returns 4 times the position after these sections, plus 1 if `used` is not what it was, plus 2 if a number of list
 * entries is not. */
API int64_t abathur_units_apply(const uint8_t *payload, int64_t size, int32_t sections, int64_t rows_before,
                                const int64_t *before, const uint8_t *flags_before, int64_t rows, int64_t *after,
                                uint8_t *flags, const int32_t *directions);

/* The sum of the numbers of entries of a list; negative if one is impossible, or the sum. */
API int64_t abathur_list_total(const int64_t *counts, int64_t rows);

/* Applies a list's section at `position`, if it is there, and the changes of its units.
 *     columns, predicted    of the list's table, whose velocity follows its cells: int64[columns + predicted][total]
 *     old_counts            entries of each unit before, (kept_rows,)
 *     counts, stays         entries of each unit now, and whether it is the same unit as before, (rows,)
 *     scratch               uint32[total]
 * Returns the position after the section. */
API int64_t abathur_list_apply(const uint8_t *payload, int64_t size, int64_t position, int32_t has_section,
                               int32_t columns, int32_t predicted, const int64_t *old_counts, int64_t kept_rows,
                               const int64_t *counts, const uint8_t *stays, int64_t rows, int64_t total_before,
                               const int64_t *before, int64_t total, int64_t *after, uint32_t *scratch);

/* Applies a blob's patch, whose count is at `position`, to a copy of `length` bytes. Returns the position after it. */
API int64_t abathur_blob_patch(const uint8_t *payload, int64_t size, int64_t position, const uint8_t *before,
                               int64_t length, uint8_t *after);

/* The position after the sections of lists, visibility and creep: that of `rest`. */
API int64_t abathur_skip_to_rest(const uint8_t *payload, int64_t size, int64_t position, int32_t sections);

/* Types of values, in arrays for the reader. */
enum { FLOAT_32, UINT_64, UINT_32, INT_32, INT_8, BOOL_8, TYPES };

/* Converts cells of a table to arrays, one behind the other in `out`.
 *     cells, width    int64[columns][width]
 *     which, n        the rows that are wanted, in ascending order; null: all n
 *     columns, types, count    the arrays: their column and their type, wider types first
 *     kinds           the column with the kinds of floats; negative: none
 * Returns 0. */
API int64_t abathur_values(const int64_t *cells, int64_t width, const int64_t *which, int64_t n, const int32_t *columns,
                           const int32_t *types, int32_t count, int32_t kinds, uint8_t *out);

/* Checksums: checksum.c. */

/* Replaces the first bytes of data by 16 that have the same CRC-32, if that begins with zeros in place of ones. Returns
 * how many bytes; negative if there are fewer than 64, or the processor cannot. */
API int64_t abathur_checksum_fold(const uint8_t *data, int64_t size, uint8_t *folded);

/* Protobuf: messages.c. */

enum { LISTS = 5 };

/* The number of units in a message. `program`: see messages.c. */
API int64_t abathur_message_units(const uint8_t *message, int64_t size, const uint32_t *program);

/* Converts a list's entries to arrays of n elements, one behind the other in `out`, which has the defaults; list 0 are
 * the units, with which the whole message is checked as protobuf's parser does. Other lists are read of messages that
 * passed.
 *     first     element of the first entry: several messages may be in one array
 *     has       which arrays have a value of each entry, a bit each: uint64[n], zeros
 *     inside    how many entries of lists 1 to 4 each unit has: int64[4][n], zeros; null with the other lists
 * Returns the element after the last entry. */
API int64_t abathur_message_list(const uint8_t *message, int64_t size, const uint32_t *program, int32_t list, int64_t n,
                                 int64_t first, uint8_t *out, uint64_t *has, int64_t *inside);

#endif
