/* Protobuf messages: checks one as protobuf's parser does, and makes arrays of the lists in it.
 *
 * What is in a message is said by a program, an array of uint32 that the package makes from the descriptors:
 *     for each message, the place of its fields in the program, and how many there are;
 *     fields by their number from 0, three words each: kind | number << 8 | oneof << 16, value, place.
 * The first message is that of the bytes. Kinds, and what `number`, `value` and `place` mean to them, are below.
 *
 * What arrays cannot say in the same way as protobuf's parser, and what only few writers do, is "unusual": a negative
 * number. */

#include "reader.h"

enum {
    OTHER,         /* A number, bytes, or an unknown field: read over. */
    PACKED_VARINT, /* Numbers that may be packed. */
    PACKED_32,
    PACKED_64,
    /* Of an entry. `number`: of the array. `place`: the sizes of the elements of the arrays before it. */
    BITS_32, /* a float */
    VALUE_64,
    VALUE_32,
    BOOL,
    ENUM, /* `value`: least | most << 8. Protobuf takes others for unknown fields. */
    MESSAGE, /* `value`: which. */
    PARENT,  /* The same, with lists in it. */
    RECORDS, /* A list of messages. `number`: which list. `value`: the message of its entries. */
    NUMBERS, /* A list of numbers, perhaps packed. `number`: which list. */
};

enum { VARINT = 0, FIXED_64 = 1, BYTES = 2, FIXED_32 = 5, MAX_DEPTH = 50, MAX_LENGTH_BYTES = 5 };

typedef struct {
    const uint32_t *program;
    int list;         /* That is being filled. With list 0 everything is checked; later only what leads to the list. */
    int64_t n, count; /* Entries of it, and how many have been begun. */
    uint8_t *out;
    uint64_t *has;
    int64_t *inside;
} walk;

typedef struct {
    const uint8_t *at, *end;
} span;

/* A varint of at most ten bytes; sets `at` to null if it is longer, or cut off. */
static uint64_t long_varint(span *s) {
    uint64_t value = 0;
    for (unsigned shift = 0; s->at < s->end && shift < 70; shift += 7) {
        uint8_t byte = *s->at++;
        if (shift == 63 && byte > 1) break;
        value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) return value;
    }
    s->at = NULL;
    return 0;
}

static inline uint64_t varint(span *s) {
    if (s->at < s->end && *s->at < 0x80) return *s->at++;
    return long_varint(s);
}

/* The bytes of a field, behind its length; sets `at` of what is read from to null if there are fewer, or if the length
 * is written with more bytes than protobuf's parser takes. */
static inline span bytes_of(span *s) {
    span inner = {NULL, NULL};
    const uint8_t *start = s->at;
    uint64_t length = varint(s);
    if (!s->at || s->at - start > MAX_LENGTH_BYTES || length > (uint64_t)(s->end - s->at)) {
        s->at = NULL;
        return inner;
    }
    inner.at = s->at;
    s->at += length;
    inner.end = s->at;
    return inner;
}

static int skip(span *s, unsigned wire) {
    uint64_t length = wire == FIXED_64 ? 8 : 4;
    if (wire == VARINT) {
        varint(s);
    } else if (wire == BYTES) {
        bytes_of(s);
    } else if ((wire != FIXED_64 && wire != FIXED_32) || length > (uint64_t)(s->end - s->at)) {
        return DAMAGED;
    } else {
        s->at += length;
    }
    return s->at ? 0 : DAMAGED;
}

static int check_packed(unsigned kind, span s) {
    if (kind != PACKED_VARINT) return (s.end - s.at) % (kind == PACKED_32 ? 4 : 8) ? DAMAGED : 0;
    while (s.at < s.end) {
        varint(&s);
        if (!s.at) return DAMAGED;
    }
    return 0;
}

/* One number of a list. `row`: of the unit that it is in. */
static inline int take_number(walk *w, int list, int64_t row, uint64_t value) {
    if (w->list == list) {
        if (w->count >= w->n) return DAMAGED;
        uint32_t number = (uint32_t)value;
        memcpy(w->out + 4 * w->count++, &number, 4);
    } else if (row >= 0) {
        w->inside[(list - 1) * w->n + row]++;
    }
    return 0;
}

static int read_message(walk *w, uint32_t message, span s, int64_t row, int depth);

/* One message of a list. `row`: of the unit that it is in. */
static int take_record(walk *w, int list, uint32_t message, span s, int64_t row, int depth) {
    if (w->list == list) {
        if (w->count >= w->n) return DAMAGED;
        return read_message(w, message, s, w->count++, depth);
    }
    if (row >= 0) w->inside[(list - 1) * w->n + row]++;
    /* An entry of a unit's list is checked with the unit; a unit is read for its lists. */
    return w->list == 0 || list == 0 ? read_message(w, message, s, -1, depth) : 0;
}

/* Reads a message. `row`: of the entry that it is, or is in; negative: none, or one that is not wanted. */
static int read_message(walk *w, uint32_t message, span s, int64_t row, int depth) {
    const uint32_t *table = w->program + 2 * message;
    const uint32_t *fields = w->program + table[0];
    uint32_t field_count = table[1], member = 0;
    uint64_t n = (uint64_t)w->n, has = 0;
    if (depth > MAX_DEPTH) return DAMAGED;
    while (s.at < s.end) {
        uint32_t tag = *s.at++;
        if (tag >= 0x80) {
            if (s.at == s.end || *s.at >= 0x80) return DAMAGED;
            tag = (tag & 0x7F) | (uint32_t)*s.at++ << 7;
        }
        unsigned wire = tag & 7;
        uint32_t field_number = tag >> 3;
        if (!field_number) return DAMAGED;
        const uint32_t *field = fields + 3 * (field_number < field_count ? field_number : 0);
        uint32_t what = field[0], kind = what & 255, number = what >> 8 & 255;
        if (what >> 16) {
            /* Another member of a oneof would clear this one. */
            if (member && member != field_number) return DAMAGED;
            member = field_number;
        }
        uint64_t value;
        span inner;
        if (kind == BITS_32) {
            if (wire != FIXED_32 || s.end - s.at < 4) return DAMAGED;
            if (row >= 0) memcpy(w->out + n * field[2] + 4 * row, s.at, 4);
            has |= (uint64_t)1 << number;
            s.at += 4;
        } else if (kind >= VALUE_64 && kind <= ENUM) {
            if (wire != VARINT) return DAMAGED;
            value = varint(&s);
            if (!s.at) return DAMAGED;
            uint32_t half = (uint32_t)value;
            if (kind == ENUM && (half < (field[1] & 255) || half > field[1] >> 8)) return DAMAGED;
            has |= (uint64_t)1 << number;
            if (row < 0) continue;
            uint8_t *array = w->out + n * field[2];
            if (kind == VALUE_32) memcpy(array + 4 * row, &half, 4);
            else if (kind == VALUE_64) memcpy(array + 8 * row, &value, 8);
            else array[row] = kind == BOOL ? value != 0 : (uint8_t)half;
        } else if (kind == OTHER) {
            if (skip(&s, wire)) return DAMAGED;
        } else if (kind == NUMBERS && wire == VARINT) {
            value = varint(&s);
            if (!s.at || take_number(w, (int)number, row, value)) return DAMAGED;
        } else if (wire == BYTES) {
            inner = bytes_of(&s);
            if (!s.at) return DAMAGED;
            if (kind == RECORDS) {
                if (take_record(w, (int)number, field[1], inner, row, depth + 1)) return DAMAGED;
            } else if (kind == PARENT || kind == MESSAGE) {
                if (kind == MESSAGE && w->list != 0 && row < 0) continue;
                if (read_message(w, field[1], inner, row, depth + 1)) return DAMAGED;
            } else if (kind == NUMBERS) {
                while (inner.at < inner.end) {
                    value = varint(&inner);
                    if (!inner.at || take_number(w, (int)number, row, value)) return DAMAGED;
                }
            } else if (check_packed(kind, inner)) {
                return DAMAGED;
            }
        } else if (kind >= MESSAGE || skip(&s, wire)) {
            return DAMAGED;
        }
    }
    if (row >= 0) w->has[row] |= has;
    return 0;
}

/* How many units are in a message that leads to them; negative if it is damaged. */
static int64_t count_units(const uint32_t *program, uint32_t message, span s, int depth) {
    const uint32_t *table = program + 2 * message;
    const uint32_t *fields = program + table[0];
    int64_t count = 0;
    if (depth > MAX_DEPTH) return DAMAGED;
    while (s.at < s.end) {
        uint64_t tag = varint(&s);
        if (!s.at) return DAMAGED;
        uint32_t kind = tag >> 3 < table[1] ? fields[3 * (tag >> 3)] & 255 : OTHER;
        if ((kind == PARENT || kind == RECORDS) && (tag & 7) == BYTES) {
            span inner = bytes_of(&s);
            if (!s.at) return DAMAGED;
            int64_t more = kind == RECORDS ? 1 : count_units(program, fields[3 * (tag >> 3) + 1], inner, depth + 1);
            if (more < 0) return DAMAGED;
            count += more;
        } else if (skip(&s, tag & 7)) {
            return DAMAGED;
        }
    }
    return count;
}

int64_t abathur_message_units(const uint8_t *message, int64_t size, const uint32_t *program) {
    span s = {message, message + size};
    return size < 0 ? DAMAGED : count_units(program, 0, s, 0);
}

int64_t abathur_message_list(const uint8_t *message, int64_t size, const uint32_t *program, int32_t list, int64_t n,
                             int64_t first, uint8_t *out, uint64_t *has, int64_t *inside) {
    walk w = {.program = program, .list = list, .n = n, .count = first, .out = out, .has = has, .inside = inside};
    span s = {message, message + size};
    if (size < 0 || n < 0 || first < 0 || list < 0 || list >= LISTS || (list == 0 && !inside)) return DAMAGED;
    return read_message(&w, 0, s, -1, 0) ? DAMAGED : w.count;
}
