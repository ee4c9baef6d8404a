/* Drives all functions of the compiled decoder over files of inputs, as the package does, for a build with sanitizers.
 * Every buffer has exactly the size that abathur.h asks for, so that a read or write beyond it is seen.
 *
 *     check columns DIRECTIONS FILE                     payloads; an empty one begins a new stream
 *     check messages PROGRAM FILE SIZE SIZE SIZE SIZE SIZE
 *
 * An input in FILE is behind its length: uint32, little-endian. DIRECTIONS and PROGRAM are the arrays of the package,
 * a SIZE is that of an entry of a list in bytes. For each input the program writes a line: what became of it. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abathur.h"

enum { FIRST_LIST = 2, NESTED = 4, FIRST_BLOB = 6, BLOBS = 4, ANGLES = 2 * 32768 };

/* Of the tables of lists: columns, those that are predicted, and the column with the kinds of floats. */
static const int32_t WIDTHS[NESTED] = {8, 1, 10, 6}, PREDICTED[NESTED] = {1, 0, 0, 0}, KINDS[NESTED] = {7, -1, 9, 5};

typedef struct {
    uint8_t *bytes;
    int64_t size;
} buffer;

/* What a stream has of its last frame. */
typedef struct {
    int has_units, has_contents;
    int64_t rows, totals[NESTED];
    int64_t *table;  /* int64[columns + predicted][rows] */
    uint8_t *flags;  /* used, heads, stays */
    int64_t *counts; /* of all lists */
    int64_t *lists[NESTED];
    buffer blobs[BLOBS];
} stream;

static void must(int is_true, const char *what) {
    if (is_true) return;
    fprintf(stderr, "check: %s\n", what);
    exit(1);
}

static void *memory(int64_t size) {
    void *made = malloc((size_t)size);
    must(made != NULL, "no memory");
    return made;
}

static void *zeros(int64_t count, int64_t size) {
    void *made = calloc((size_t)count, (size_t)size);
    must(made != NULL, "no memory");
    return made;
}

static void *copy(const void *from, int64_t size) {
    void *made = memory(size);
    if (size) memcpy(made, from, (size_t)size);
    return made;
}

static buffer read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    must(file && !fseek(file, 0, SEEK_END), path);
    buffer all = {NULL, ftell(file)};
    rewind(file);
    all.bytes = memory(all.size);
    must(fread(all.bytes, 1, (size_t)all.size, file) == (size_t)all.size, path);
    fclose(file);
    return all;
}

/* The next input of a file, in memory of its own; false at the end. */
static int next_input(const buffer *file, int64_t *at, buffer *input) {
    uint32_t size;
    if (*at == file->size) return 0;
    must(file->size - *at >= 4, "a file ends in a length");
    memcpy(&size, file->bytes + *at, 4);
    *at += 4;
    must(size <= file->size - *at, "a file ends in an input");
    input->bytes = copy(file->bytes + *at, size);
    input->size = size;
    *at += size;
    return 1;
}

static void forget(stream *s) {
    free(s->table);
    free(s->flags);
    free(s->counts);
    for (int list = 0; list < NESTED; list++) free(s->lists[list]);
    for (int blob = 0; blob < BLOBS; blob++) free(s->blobs[blob].bytes);
    memset(s, 0, sizeof *s);
}

/* Makes all arrays of all columns of a table. */
static void check_values(const int64_t *table, int32_t columns, int64_t width, int32_t kinds, const uint8_t *used) {
    static const int32_t types[TYPES] = {UINT_64, FLOAT_32, UINT_32, INT_32, INT_8, BOOL_8};
    static const int64_t sizes[TYPES] = {8, 4, 4, 4, 1, 1};
    int64_t *cells = copy(table, 8 * columns * width), n = 0, size = 0;
    int32_t *which_columns = memory(4 * TYPES * columns), *which_types = memory(4 * TYPES * columns), count = 0;
    for (int type = 0; type < TYPES; type++)
        for (int32_t column = 0; column < columns; column++, count++) {
            which_columns[count] = column;
            which_types[count] = types[type];
            size += sizes[type];
        }
    for (int64_t row = 0; row < width; row++) n += !used || used[row];
    int64_t *which = memory(8 * n), at = 0;
    for (int64_t row = 0; row < width; row++)
        if (!used || used[row]) which[at++] = row;
    for (int selects = 0; selects < 2; selects++) {
        int64_t rows = selects ? n : width;
        uint8_t *out = memory(size * rows);
        int64_t code =
            abathur_values(cells, width, selects ? which : NULL, rows, which_columns, which_types, count, kinds, out);
        must(code == 0, "values were refused");
        free(out);
    }
    if (n) {
        which[n - 1] = width;
        must(abathur_values(cells, width, which, n, which_columns, which_types, 1, kinds, NULL) < 0, "a row too many");
        which[n - 1] = -1;
        must(abathur_values(cells, width, which, n, which_columns, which_types, 1, kinds, NULL) < 0, "a row below 0");
    }
    must(abathur_values(cells, width, NULL, width + 1, which_columns, which_types, 1, kinds, NULL) < 0, "too many rows");
    free(which);
    free(which_columns);
    free(which_types);
    free(cells);
}

/* Applies the units of a payload; false if they are refused. */
static int take_units(stream *s, const buffer *payload, int32_t sections, const int32_t *directions, int64_t *code) {
    int64_t rows = s->rows;
    if (sections & 1 && payload->size > 5) rows = payload->bytes[4] | payload->bytes[5] << 8;
    int64_t cells = UNIT_COLUMNS + UNIT_PREDICTED;
    int64_t *before = copy(s->table, 8 * cells * s->rows), *after = memory((8 * cells + 4) * rows);
    uint8_t *flags_before = copy(s->flags, 2 * s->rows), *flags = memory(3 * rows);
    *code = abathur_units_apply(
        payload->bytes, payload->size, sections, s->rows, before, flags_before, rows, after, flags, directions);
    free(before);
    free(flags_before);
    free(s->table);
    free(s->flags);
    s->table = after;
    s->flags = flags;
    if (*code < 0) return 0;
    s->rows = rows;
    for (int64_t row = 0; row < 3 * rows; row++) must(flags[row] < 2, "a flag is not a bool");
    if (!(*code & 1)) memcpy(flags + 2 * rows, flags, (size_t)rows);
    check_values(after, UNIT_COLUMNS, rows, UNIT_KINDS, flags);
    return 1;
}

/* Applies a list's section; the position after it, or a negative number. */
static int64_t take_list(stream *s, const buffer *payload, int64_t position, int32_t has_section, int list,
                         int64_t kept_rows, const int64_t *old, const int64_t *counts, int is_same) {
    int32_t width = WIDTHS[list], cells = width + PREDICTED[list];
    int64_t total = abathur_list_total(counts, s->rows), before_total = s->totals[list];
    if (total < 0) return -1;
    uint8_t *stays = copy(s->flags + 2 * s->rows, s->rows);
    if (is_same) memset(stays, 1, (size_t)s->rows);
    int64_t *before = copy(s->lists[list], 8 * cells * before_total), *after = memory(8 * cells * total);
    uint32_t *scratch = memory(4 * total);
    int64_t end = abathur_list_apply(
        payload->bytes, payload->size, position, has_section, width, PREDICTED[list], old, kept_rows, counts, stays,
        s->rows, before_total, before, total, after, scratch);
    free(stays);
    free(before);
    free(scratch);
    free(s->lists[list]);
    s->lists[list] = after;
    s->totals[list] = total;
    if (end >= 0) check_values(after, width, total, KINDS[list], NULL);
    return end;
}

/* Applies a blob's section; the position after it, or a negative number. */
static int64_t take_blob(const buffer *payload, int64_t position, buffer *blob) {
    if (position >= payload->size) return -1;
    uint8_t mode = payload->bytes[position++];
    buffer made = {NULL, 0};
    if (mode == 1) {
        uint32_t size;
        if (payload->size - position < 4) return -1;
        memcpy(&size, payload->bytes + position, 4);
        position += 4;
        if (size > payload->size - position) return -1;
        made.size = size;
        made.bytes = copy(payload->bytes + position, size);
        position += size;
    } else if (mode == 2) {
        uint8_t *before = copy(blob->bytes, blob->size);
        made.size = blob->size;
        made.bytes = memory(made.size);
        position = abathur_blob_patch(payload->bytes, payload->size, position, before, made.size, made.bytes);
        free(before);
    } else if (mode) {
        return -1;
    }
    free(blob->bytes);
    *blob = made;
    return position;
}

/* Applies the lists and blobs of a payload; false if they are refused. */
static int take_contents(stream *s, const buffer *payload, int64_t position, int32_t sections, int64_t kept_rows,
                         const int64_t *old_counts, int is_other) {
    for (int list = 0; list < NESTED; list++) {
        int64_t *counts = copy(s->table + (UNIT_FIRST_COUNT + list) * s->rows, 8 * s->rows);
        int64_t *old = copy(old_counts + list * kept_rows, 8 * kept_rows);
        int is_same = !is_other && !memcmp(counts, old, (size_t)(8 * s->rows));
        position = take_list(
            s, payload, position, sections >> (FIRST_LIST + list) & 1, list, kept_rows, old, counts, is_same);
        free(counts);
        free(old);
        if (position < 0) return 0;
    }
    for (int blob = 0; blob < BLOBS; blob++) {
        if (sections >> (FIRST_BLOB + blob) & 1) position = take_blob(payload, position, &s->blobs[blob]);
        if (position < 0) return 0;
    }
    return position == payload->size;
}

static const char *take_payload(stream *s, const buffer *payload, const int32_t *directions) {
    const uint8_t *bytes = payload->bytes;
    int had_units = s->has_units;
    s->has_units = 0;
    if (payload->size < 4 || bytes[0] != 1 || bytes[1] > 1 || (!bytes[1] && !had_units)) return "refused";
    int32_t sections = bytes[2] | bytes[3] << 8;
    if (sections >> 10) return "refused";
    if (bytes[1]) {
        forget(s);
        s->has_contents = 1;
    }
    int64_t kept_rows = s->rows, code;
    int64_t *old_counts = copy(s->table ? s->table + UNIT_FIRST_COUNT * kept_rows : NULL, 8 * NESTED * kept_rows);
    int is_taken = take_units(s, payload, sections, directions, &code), has_rest = 0;
    s->has_units = is_taken;
    if (is_taken) {
        has_rest = abathur_skip_to_rest(bytes, payload->size, code >> 2, sections) >= 0;
        int is_other = (code & 1) || bytes[1];
        s->has_contents = s->has_contents
            && take_contents(s, payload, code >> 2, sections, kept_rows, old_counts, is_other);
        must(!s->has_contents || has_rest, "contents were taken, of which the rest was not found");
    }
    free(old_counts);
    return !is_taken ? "refused" : s->has_contents ? "taken" : "contents refused";
}

static const char *take_message(const buffer *message, const uint32_t *program, const int64_t *sizes) {
    uint8_t folded[16];
    int64_t done = abathur_checksum_fold(message->bytes, message->size, folded);
    must(done <= message->size && (done < 0 || done % 64 == 0), "more was folded than there is");
    int64_t n = abathur_message_units(message->bytes, message->size, program);
    if (n < 0) return "refused";
    must(n <= message->size / 2, "more units than a message can have");
    int64_t counts[LISTS] = {n, 0, 0, 0, 0};
    for (int list = 0; list < LISTS; list++) {
        static const int64_t TOO_MANY[] = {1, -1, 0};
        for (int attempt = 0; attempt < 3; attempt++) {
            int64_t wrong = TOO_MANY[attempt], entries = counts[list] + wrong, *inside = NULL;
            if (entries < 0) continue;
            uint8_t *out = zeros(entries, sizes[list]);
            uint64_t *has = zeros(entries, 8);
            if (!list) inside = zeros(NESTED * entries, 8);
            int64_t code =
                abathur_message_list(message->bytes, message->size, program, list, entries, 0, out, has, inside);
            for (int64_t at = 0; !list && code == n && !wrong && at < NESTED * n; at++) counts[1 + at / n] += inside[at];
            free(out);
            free(has);
            free(inside);
            must(!wrong || code != entries, "a wrong number of entries was taken");
            if (!wrong && !list && code < 0) return "refused";
            must(wrong || code == entries, "a list of a message that was taken is refused");
        }
    }
    return "taken";
}

static void check_arguments(const uint32_t *program) {
    uint8_t byte = 0;
    uint64_t has = 0;
    must(abathur_version() == ABATHUR_VERSION, "the version is not that of the header");
    must(abathur_skip_to_rest(&byte, 1, 2, 0) < 0 && abathur_skip_to_rest(&byte, 1, -1, 0) < 0, "a position outside");
    must(abathur_skip_to_rest(&byte, 1, 1, 0) == 1, "the end is not a position");
    must(abathur_blob_patch(&byte, 1, 2, NULL, 0, NULL) < 0, "a patch outside");
    if (!program) return;
    must(abathur_message_units(&byte, -1, program) < 0, "a negative size");
    must(abathur_message_list(&byte, 0, program, -1, 0, 0, &byte, &has, NULL) < 0, "a list below 0");
    must(abathur_message_list(&byte, 0, program, LISTS, 0, 0, &byte, &has, NULL) < 0, "a list too many");
    must(abathur_message_list(&byte, 0, program, 0, 0, 0, &byte, &has, NULL) < 0, "units without their lists");
    must(abathur_message_list(&byte, 0, program, 1, -1, 0, &byte, &has, NULL) < 0, "a negative count");
    must(abathur_message_list(&byte, 0, program, 1, 0, -1, &byte, &has, NULL) < 0, "a first entry before the first");
}

int main(int argc, char **argv) {
    int is_columns = argc == 4 && !strcmp(argv[1], "columns");
    if (!is_columns && (argc != 4 + LISTS || strcmp(argv[1], "messages"))) {
        fprintf(stderr, "usage: see the start of check.c\n");
        return 2;
    }
    buffer table = read_file(argv[2]), file = read_file(argv[3]), input;
    int64_t at = 0, sizes[LISTS] = {0};
    stream s = {0};
    must(!is_columns || table.size == 4 * ANGLES, "DIRECTIONS has another size");
    for (int list = 0; !is_columns && list < LISTS; list++) sizes[list] = atoll(argv[4 + list]);
    check_arguments(is_columns ? NULL : (const uint32_t *)(const void *)table.bytes);
    while (next_input(&file, &at, &input)) {
        const char *told = "new stream";
        if (!is_columns) told = take_message(&input, (const uint32_t *)(const void *)table.bytes, sizes);
        else if (input.size) told = take_payload(&s, &input, (const int32_t *)(const void *)table.bytes);
        else forget(&s);
        free(input.bytes);
        puts(told);
    }
    forget(&s);
    free(table.bytes);
    free(file.bytes);
    return 0;
}
