/* Reads bytes that may be damaged. After a failure every read gives zeros. */

#ifndef READER_H
#define READER_H

#include <string.h>

#include "abathur.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "values are read as they are in memory"
#endif

typedef struct {
    const uint8_t *bytes;
    uint64_t size, position;
    int failed;
} reader;

static inline reader reader_at(const uint8_t *bytes, int64_t size, int64_t position) {
    reader r = {bytes, (uint64_t)size, (uint64_t)position, size < 0 || position < 0 || position > size};
    return r;
}

/* The next bytes; null if there are fewer. */
static inline const uint8_t *take(reader *r, uint64_t count) {
    if (r->failed || count > r->size - r->position) {
        r->failed = 1;
        return NULL;
    }
    const uint8_t *start = r->bytes + r->position;
    r->position += count;
    return start;
}

static inline uint64_t little_endian(const uint8_t *bytes, unsigned count) {
    uint64_t value = 0;
    memcpy(&value, bytes, count);
    return value;
}

static inline uint64_t take_uint(reader *r, unsigned count) {
    const uint8_t *bytes = take(r, count);
    return bytes ? little_endian(bytes, count) : 0;
}

/* A number of one byte, or of four after 255. */
static inline uint64_t take_count(reader *r) {
    uint64_t count = take_uint(r, 1);
    return count == 255 ? take_uint(r, 4) : count;
}

/* Eight bytes from a bit on; zeros beyond the end. */
static inline uint64_t bits_at(const uint8_t *bytes, uint64_t size, uint64_t bit) {
    uint64_t byte = bit / 8;
    unsigned shift = bit % 8;
    if (byte >= size) return 0;
    uint64_t left = size - byte;
    uint64_t value = little_endian(bytes + byte, left < 8 ? (unsigned)left : 8);
    if (!shift) return value;
    uint64_t next = left > 8 ? bytes[byte + 8] : 0;
    return value >> shift | next << (64 - shift);
}

/* Ascending numbers below a limit. */
typedef struct {
    const uint8_t *planes;
    uint64_t count, limit, at, number;
    unsigned width;
} gaps;

static inline gaps take_gaps(reader *r, uint64_t count, uint64_t limit) {
    gaps g = {NULL, count, limit, 0, 0, 0};
    uint64_t width = take_uint(r, 1);
    if (width > 8 || count > UINT32_MAX) r->failed = 1;
    g.width = r->failed ? 0 : (unsigned)width;
    g.planes = take(r, count * g.width);
    if (!g.planes) g.width = 0;
    return g;
}

/* The next number; of the first `count` calls. Sets `failed` if it is not below the limit, or does not ascend. */
static inline uint64_t next_gap(gaps *g, reader *r) {
    uint64_t gap = 0;
    for (unsigned plane = 0; plane < g->width; plane++)
        gap |= (uint64_t)g->planes[plane * g->count + g->at] << 8 * plane;
    if ((g->at && !gap) || gap >= g->limit - g->number) r->failed = 1;
    else g->number += gap;
    g->at++;
    return g->number;
}

#endif
