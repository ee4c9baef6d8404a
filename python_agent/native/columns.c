/* The encoding `columns`: applies the sections of a payload to the tables of the frame before. */

#include <math.h>

#include "reader.h"

enum { PLANES = 8, MAX_COLUMNS = 64, MAX_ANGLE = 32767, GRID = 0, ANGLE = 1 };
static const uint64_t MAX_SPEED = 1 << 20;

int32_t abathur_version(void) { return ABATHUR_VERSION; }

/* Which columns have values, how many, and where their bytes are. */
typedef struct {
    unsigned count, columns[MAX_COLUMNS], widths[MAX_COLUMNS];
    const uint8_t *planes[PLANES];
} planes;

static planes take_columns(reader *r, unsigned columns) {
    planes p = {0};
    unsigned count = (unsigned)take_uint(r, 1);
    const uint8_t *head = take(r, count);
    if (!head || count > columns) {
        r->failed = 1;
        return p;
    }
    for (unsigned at = 0; at < count; at++) {
        unsigned column = head[at] & 63;
        if (column >= columns || (at && column <= p.columns[at - 1])) r->failed = 1;
        p.columns[at] = column;
        p.widths[at] = 1u << (head[at] >> 6);
    }
    if (!r->failed) p.count = count;
    return p;
}

/* The planes of columns with so many values each. */
static void take_planes(reader *r, planes *p, const uint64_t *counts) {
    for (unsigned plane = 0; plane < PLANES; plane++) {
        uint64_t values = 0;
        for (unsigned at = 0; at < p->count; at++)
            if (p->widths[at] > plane) values += counts[at];
        p->planes[plane] = take(r, values);
    }
}

static inline uint64_t unzigzag(uint64_t value) { return value >> 1 ^ (0 - (value & 1)); }

/* The next value of the columns with this width. There is one. */
static inline uint64_t next_value(planes *p, unsigned width) {
    uint64_t value = *p->planes[0]++;
    for (unsigned plane = 1; plane < width; plane++) value |= (uint64_t)*p->planes[plane]++ << 8 * plane;
    return unzigzag(value);
}

static unsigned ones(uint64_t bits) { return (unsigned)__builtin_popcountll(bits); }

static uint64_t low_bits(uint64_t count) { return count < 64 ? ((uint64_t)1 << count) - 1 : UINT64_MAX; }

static inline int64_t add(int64_t a, uint64_t b) { return (int64_t)((uint64_t)a + b); }

/* Adds a section of changes to a table. `rows_of` is for the numbers of the rows. Returns the last column that changes,
 * or -1. */
static int apply_changes(reader *r, unsigned columns, uint64_t rows, int64_t *cells, uint32_t *rows_of) {
    uint64_t changed = take_count(r);
    if (changed > rows) r->failed = 1;
    gaps g = take_gaps(r, changed, rows);
    if (r->failed) return -1;
    for (uint64_t at = 0; at < changed; at++) rows_of[at] = (uint32_t)next_gap(&g, r);
    planes p = take_columns(r, columns);
    uint64_t bitmap_bytes = (p.count * changed + 7) / 8;
    const uint8_t *bitmap = take(r, bitmap_bytes);
    if (r->failed) return -1;
    uint64_t counts[MAX_COLUMNS] = {0};
    for (unsigned at = 0; at < p.count; at++) {
        counts[at] = 0;
        for (uint64_t row = 0; row < changed; row += 64)
            counts[at] += ones(bits_at(bitmap, bitmap_bytes, at * changed + row) & low_bits(changed - row));
    }
    take_planes(r, &p, counts);
    if (r->failed) return -1;
    int last = -1;
    for (unsigned at = 0; at < p.count; at++) {
        if (!counts[at]) continue;
        last = (int)p.columns[at];
        int64_t *column = cells + p.columns[at] * rows;
        for (uint64_t row = 0; row < changed; row += 64) {
            uint64_t bits = bits_at(bitmap, bitmap_bytes, at * changed + row) & low_bits(changed - row);
            for (; bits; bits &= bits - 1) {
                uint32_t place = rows_of[row + (unsigned)__builtin_ctzll(bits)];
                column[place] = add(column[place], next_value(&p, p.widths[at]));
            }
        }
    }
    return last;
}

/* A units' table: abathur_units_apply. */
typedef struct {
    uint64_t rows;
    int64_t *cells, *velocity;
    uint8_t *used, *heads, *stays;
    uint32_t *scratch;
} units;

static units units_at(int64_t *block, uint8_t *flags, uint64_t rows) {
    units u = {rows, block, NULL, flags, flags + rows, flags + 2 * rows, NULL};
    u.velocity = block + UNIT_COLUMNS * rows;
    u.scratch = (uint32_t *)(void *)(u.velocity + UNIT_PREDICTED * rows);
    return u;
}

/* Copies columns to a table with another number of rows; additional ones are zero. */
static void carry(void *to, const void *from, uint64_t columns, uint64_t bytes, uint64_t rows_before, uint64_t rows) {
    uint64_t kept = (rows < rows_before ? rows : rows_before) * bytes, rest = rows * bytes - kept;
    for (uint64_t column = 0; column < columns; column++) {
        uint8_t *start = (uint8_t *)to + column * rows * bytes;
        memcpy(start, (const uint8_t *)from + column * rows_before * bytes, kept);
        memset(start + kept, 0, rest);
    }
}

static void clear_row(units *u, uint64_t row) {
    for (unsigned column = 0; column < UNIT_COLUMNS; column++) u->cells[column * u->rows + row] = 0;
    for (unsigned column = 0; column < UNIT_PREDICTED; column++) u->velocity[column * u->rows + row] = 0;
    u->used[row] = u->heads[row] = 0;
}

typedef struct {
    int64_t x, y;
    int exists;
} direction;

static inline direction direction_of(const int32_t *directions, int64_t facing, int64_t kinds) {
    unsigned kind = (uint64_t)kinds >> 2 * UNIT_FACING & 3;
    direction none = {0, 0, 0};
    if (kind > ANGLE || facing < -MAX_ANGLE || facing > MAX_ANGLE) return none;
    int64_t cosine = directions[facing < 0 ? -facing : facing];
    int64_t sine = directions[MAX_ANGLE + 1 + (facing < 0 ? -facing : facing)];
    if (facing < 0) sine = -sine;
    direction d = {kind == GRID ? cosine : sine, kind == GRID ? sine : -cosine, 1};
    return d;
}

static inline int64_t step_of(int64_t part, int64_t speed) {
    return (int64_t)((uint64_t)part * (uint64_t)speed + (1 << 19)) >> 20;
}

static inline int64_t miss_of(uint64_t step, uint64_t wanted) {
    uint64_t miss = step - wanted;
    return (int64_t)(miss >> 63 ? 0 - miss : miss);
}

/* Corrects the position of a row if it heads, and sets its speed and heading flag. The row has its cells of after the
 * changes, and its velocity of before. */
static void follow(units *now, uint64_t row, int64_t x_before, int64_t y_before, const int32_t *directions) {
    int64_t *x = now->cells + UNIT_X * now->rows + row, *y = now->cells + UNIT_Y * now->rows + row;
    int64_t *speed = now->cells + UNIT_SPEED * now->rows + row;
    direction d = direction_of(
        directions, now->cells[UNIT_FACING * now->rows + row], now->cells[UNIT_KINDS * now->rows + row]);
    if (now->heads[row] && d.exists && (uint64_t)*speed < MAX_SPEED) {
        *x = add(*x, (uint64_t)step_of(d.x, *speed) - (uint64_t)now->velocity[UNIT_X * now->rows + row]);
        *y = add(*y, (uint64_t)step_of(d.y, *speed) - (uint64_t)now->velocity[UNIT_Y * now->rows + row]);
    }
    uint64_t dx = (uint64_t)*x - (uint64_t)x_before, dy = (uint64_t)*y - (uint64_t)y_before;
    if (!(dx | dy)) {
        *speed = 0;
        return;
    }
    double east = (double)(int64_t)dx, north = (double)(int64_t)dy;
    double length = sqrt(east * east + north * north) + 0.5;
    *speed = length < (double)MAX_SPEED ? (int64_t)length : (int64_t)MAX_SPEED;
    int64_t miss_x = miss_of((uint64_t)step_of(d.x, *speed), dx), miss_y = miss_of((uint64_t)step_of(d.y, *speed), dy);
    now->heads[row] = d.exists && miss_x <= 1 && miss_y <= 1 && (uint64_t)*speed < MAX_SPEED;
}

/* Sets the velocities of all rows, and what follows from facing. Rows that `stays` does not have were free, or are gone:
 * before, they were zero. */
static void move(units *now, const units *old, const int32_t *directions) {
    for (uint64_t row = 0; row < now->rows; row++) {
        int kept = now->stays[row];
        follow(now, row, kept ? old->cells[UNIT_X * old->rows + row] : 0, kept ? old->cells[UNIT_Y * old->rows + row] : 0,
               directions);
    }
    uint64_t both = now->rows < old->rows ? now->rows : old->rows;
    for (unsigned column = 0; column < UNIT_PREDICTED; column++) {
        const int64_t *before = old->cells + column * old->rows, *after = now->cells + column * now->rows;
        int64_t *velocity = now->velocity + column * now->rows;
        for (uint64_t row = 0; row < both; row++) velocity[row] = add(after[row], 0 - (uint64_t)before[row]);
        for (uint64_t row = both; row < now->rows; row++) velocity[row] = after[row];
    }
}

int64_t abathur_units_apply(const uint8_t *payload, int64_t size, int32_t sections, int64_t rows_before,
                            const int64_t *before, const uint8_t *flags_before, int64_t rows, int64_t *after,
                            uint8_t *flags, const int32_t *directions) {
    if (rows_before < 0 || rows < 0 || rows > UINT16_MAX || rows_before > UINT16_MAX) return DAMAGED;
    /* The old table is only read. */
    units old = units_at((int64_t *)(uintptr_t)before, (uint8_t *)(uintptr_t)flags_before, (uint64_t)rows_before);
    units now = units_at(after, flags, (uint64_t)rows);
    reader r = reader_at(payload, size, 4);
    uint64_t free_rows = 0, new_rows = 0;
    gaps gone = {0}, added = {0};
    planes values = {0};
    if (sections & 1) {
        if (take_uint(&r, 2) != now.rows) return DAMAGED;
        free_rows = take_count(&r);
        new_rows = take_count(&r);
        if (free_rows > old.rows || new_rows > now.rows) return DAMAGED;
        gone = take_gaps(&r, free_rows, old.rows);
        added = take_gaps(&r, new_rows, now.rows);
        if (new_rows) values = take_columns(&r, UNIT_COLUMNS);
        uint64_t counts[MAX_COLUMNS] = {0};
        for (unsigned at = 0; at < values.count; at++) counts[at] = new_rows;
        take_planes(&r, &values, counts);
    } else if (rows != rows_before) {
        return DAMAGED;
    }
    if (r.failed) return DAMAGED;
    carry(now.cells, old.cells, UNIT_COLUMNS, 8, old.rows, now.rows);
    carry(now.velocity, old.velocity, UNIT_PREDICTED, 8, old.rows, now.rows);
    carry(now.used, old.used, 2, 1, old.rows, now.rows);
    uint64_t both = now.rows < old.rows ? now.rows : old.rows;
    memset(now.stays, 1, both);
    memset(now.stays + both, 0, now.rows - both);
    uint64_t gone_here = 0;
    for (gaps rest = gone; rest.at < free_rows;) {
        uint64_t row = next_gap(&rest, &r);
        if (r.failed) return DAMAGED;
        if (row >= now.rows) continue;
        clear_row(&now, row);
        now.stays[row] = 0;
        gone_here++;
    }
    for (uint64_t at = 0; at < UNIT_PREDICTED * now.rows; at++) now.cells[at] = add(now.cells[at], (uint64_t)now.velocity[at]);
    int last = -1;
    if (sections & 2) last = apply_changes(&r, UNIT_COLUMNS, now.rows, now.cells, now.scratch);
    if (r.failed) return DAMAGED;
    move(&now, &old, directions);
    while (gone_here && gone.at < free_rows) {
        /* Before, it was zero. */
        uint64_t row = next_gap(&gone, &r);
        for (unsigned column = 0; row < now.rows && column < UNIT_PREDICTED; column++)
            now.velocity[column * now.rows + row] = now.cells[column * now.rows + row];
    }
    memcpy(now.stays, now.used, now.rows);
    /* New rows, which have no velocity. */
    for (uint64_t at = 0; at < new_rows; at++) {
        uint64_t row = now.scratch[at] = (uint32_t)next_gap(&added, &r);
        if (r.failed) return DAMAGED;
        clear_row(&now, row);
        now.used[row] = now.heads[row] = 1;
    }
    for (unsigned at = 0; at < values.count; at++)
        for (uint64_t row = 0; row < new_rows; row++)
            now.cells[values.columns[at] * now.rows + now.scratch[row]] = (int64_t)next_value(&values, values.widths[at]);
    int is_other = now.rows != old.rows || gone_here || new_rows;
    return (int64_t)(r.position << 2) | is_other | (is_other || last >= UNIT_FIRST_COUNT) << 1;
}

int64_t abathur_list_total(const int64_t *counts, int64_t rows) {
    uint64_t total = 0;
    for (int64_t row = 0; row < rows; row++) {
        if ((uint64_t)counts[row] > MAX_ROWS) return DAMAGED;
        total += (uint64_t)counts[row];
    }
    return total > MAX_ROWS ? DAMAGED : (int64_t)total;
}

int64_t abathur_list_apply(const uint8_t *payload, int64_t size, int64_t position, int32_t has_section,
                           int32_t columns, int32_t predicted, const int64_t *old_counts, int64_t kept_rows,
                           const int64_t *counts, const uint8_t *stays, int64_t rows, int64_t total_before,
                           const int64_t *before, int64_t total, int64_t *after, uint32_t *scratch) {
    if (columns < 1 || columns > MAX_COLUMNS || predicted < 0 || predicted > columns) return DAMAGED;
    if (kept_rows < 0 || total_before < 0 || total < 0 || abathur_list_total(counts, rows) != total) return DAMAGED;
    if (abathur_list_total(old_counts, kept_rows) != total_before) return DAMAGED;
    unsigned width = (unsigned)(columns + predicted);
    memset(after, 0, 8 * (uint64_t)total * width);
    /* Entries that a unit had: cells first, then velocities. */
    int64_t from = 0, to = 0;
    for (int64_t row = 0; row < rows; row++) {
        int64_t had = row < kept_rows ? old_counts[row] : 0;
        int64_t kept = !stays[row] ? 0 : had < counts[row] ? had : counts[row];
        for (unsigned column = 0; kept && column < width; column++)
            memcpy(after + column * total + to, before + column * total_before + from, 8 * (uint64_t)kept);
        from += had;
        to += counts[row];
    }
    int64_t *velocity = after + columns * total;
    for (int64_t at = 0; at < predicted * total; at++) after[at] = add(after[at], (uint64_t)velocity[at]);
    reader r = reader_at(payload, size, position);
    if (has_section) apply_changes(&r, (unsigned)columns, (uint64_t)total, after, scratch);
    if (r.failed) return DAMAGED;
    memset(velocity, 0, 8 * (uint64_t)(predicted * total));
    from = to = 0;
    for (int64_t row = 0; row < rows; row++) {
        int64_t had = row < kept_rows ? old_counts[row] : 0;
        int64_t kept = !stays[row] ? 0 : had < counts[row] ? had : counts[row];
        for (int column = 0; column < predicted; column++)
            for (int64_t at = 0; at < kept; at++)
                velocity[column * total + to + at] =
                    add(after[column * total + to + at], 0 - (uint64_t)before[column * total_before + from + at]);
        from += had;
        to += counts[row];
    }
    return (int64_t)r.position;
}

int64_t abathur_blob_patch(const uint8_t *payload, int64_t size, int64_t position, const uint8_t *before,
                           int64_t length, uint8_t *after) {
    reader r = reader_at(payload, size, position);
    uint64_t count = take_count(&r);
    if (length < 0 || count > r.size - r.position) return DAMAGED;
    gaps g = take_gaps(&r, count, (uint64_t)length);
    const uint8_t *values = take(&r, count);
    if (r.failed) return DAMAGED;
    memcpy(after, before, (uint64_t)length);
    for (uint64_t at = 0; at < count; at++) {
        uint64_t place = next_gap(&g, &r);
        if (r.failed) return DAMAGED;
        after[place] ^= values[at];
    }
    return (int64_t)r.position;
}

/* Reads over a section of changes. */
static void skip_changes(reader *r) {
    uint64_t changed = take_count(r);
    uint64_t width = take_uint(r, 1);
    take(r, changed * width);
    unsigned columns = (unsigned)take_uint(r, 1);
    const uint8_t *head = take(r, columns);
    uint64_t bitmap_bytes = (columns * changed + 7) / 8;
    const uint8_t *bitmap = take(r, bitmap_bytes);
    if (r->failed) return;
    for (unsigned at = 0; at < columns; at++) {
        uint64_t values = 0;
        for (uint64_t row = 0; row < changed; row += 64)
            values += ones(bits_at(bitmap, bitmap_bytes, at * changed + row) & low_bits(changed - row));
        take(r, values << (head[at] >> 6));
    }
}

static void skip_blob(reader *r) {
    uint64_t mode = take_uint(r, 1);
    if (mode == 1) {
        take(r, take_uint(r, 4));
    } else if (mode == 2) {
        uint64_t count = take_count(r);
        take(r, count * take_uint(r, 1));
        take(r, count);
    } else if (mode) {
        r->failed = 1;
    }
}

int64_t abathur_skip_to_rest(const uint8_t *payload, int64_t size, int64_t position, int32_t sections) {
    enum { FIRST_LIST = 2, FIRST_BLOB = 6, REST = 8 };
    reader r = reader_at(payload, size, position);
    for (int section = FIRST_LIST; section < REST; section++) {
        if (!(sections >> section & 1)) continue;
        if (section < FIRST_BLOB) skip_changes(&r);
        else skip_blob(&r);
    }
    return r.failed ? DAMAGED : (int64_t)r.position;
}

/* Of `width` cells in a row, those that are wanted. */
#define EACH(type, value)                                                                  \
    do {                                                                                   \
        type *to = (type *)(void *)out;                                                    \
        if (which)                                                                         \
            for (int64_t at = 0; at < n; at++) { int64_t row = which[at]; to[at] = (value); } \
        else                                                                               \
            for (int64_t row = 0; row < n; row++) to[row] = (value);                       \
        out += (uint64_t)n * sizeof(type);                                                 \
    } while (0)

static inline float float_of(int64_t cell, uint64_t kind) {
    if (kind == GRID) return (float)cell * (1.0F / 4096);
    if (kind == ANGLE) return (float)(4.71238898038469 + (double)cell / 4096);
    /* Kind 3 is not written; it is read as 2. */
    uint32_t bits = (uint32_t)(uint64_t)cell;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

int64_t abathur_values(const int64_t *cells, int64_t width, const int64_t *which, int64_t n, const int32_t *columns,
                       const int32_t *types, int32_t count, int32_t kinds, uint8_t *out) {
    if (n < 0 || n > width) return DAMAGED;
    for (int64_t at = 0; which && at < n; at++)
        if (which[at] < 0 || which[at] >= width) return DAMAGED;
    uint64_t some = 0;
    const int64_t *kind = kinds < 0 ? cells : cells + kinds * width;
    for (int64_t row = 0; kinds >= 0 && row < width; row++) some |= (uint64_t)kind[row];
    for (int32_t number = 0; number < count; number++) {
        const int64_t *cell = cells + columns[number] * width;
        unsigned shift = 2 * (unsigned)columns[number] & 63;
        switch (types[number]) {
        case FLOAT_32:
            if (some >> shift & 3) EACH(float, float_of(cell[row], (uint64_t)kind[row] >> shift & 3));
            else EACH(float, (float)cell[row] * (1.0F / 4096));
            break;
        case UINT_64: EACH(uint64_t, (uint64_t)cell[row]); break;
        case UINT_32:
        case INT_32: EACH(uint32_t, (uint32_t)(uint64_t)cell[row]); break;
        case INT_8: EACH(uint8_t, (uint8_t)(uint64_t)cell[row]); break;
        case BOOL_8: EACH(uint8_t, cell[row] != 0); break;
        default: return DAMAGED;
        }
    }
    return 0;
}
