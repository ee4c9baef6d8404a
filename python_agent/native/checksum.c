/* Checksums of recordings, 16 bytes at a time where the processor multiplies without carry. */

#include "abathur.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

/* A polynomial of 128 bits, moved by some number of bits and reduced. `factors`: x to the power of that number, less 32
 * and plus 32, modulo the polynomial of CRC-32, bits reversed. */
__attribute__((target("pclmul,sse2"))) static inline __m128i moved(__m128i value, __m128i factors) {
    return _mm_xor_si128(_mm_clmulepi64_si128(value, factors, 0x00), _mm_clmulepi64_si128(value, factors, 0x11));
}

__attribute__((target("pclmul,sse2"))) static int64_t fold(const uint8_t *data, int64_t size, uint8_t *folded) {
    /* By 512 bits, and by 128. */
    const __m128i far = _mm_set_epi64x(0x1C6E41596, 0x154442BD4), near = _mm_set_epi64x(0x0CCAA009E, 0x1751997D0);
    const __m128i *block = (const __m128i *)(const void *)data;
    __m128i parts[4];
    for (int at = 0; at < 4; at++) parts[at] = _mm_loadu_si128(block++);
    /* CRC-32 begins with ones. */
    parts[0] = _mm_xor_si128(parts[0], _mm_cvtsi32_si128(-1));
    int64_t done = 64;
    for (; size - done >= 64; done += 64)
        for (int at = 0; at < 4; at++) parts[at] = _mm_xor_si128(moved(parts[at], far), _mm_loadu_si128(block++));
    for (int at = 1; at < 4; at++) parts[at] = _mm_xor_si128(moved(parts[at - 1], near), parts[at]);
    _mm_storeu_si128((__m128i *)(void *)folded, parts[3]);
    return done;
}

int64_t abathur_checksum_fold(const uint8_t *data, int64_t size, uint8_t *folded) {
    if (size < 64 || !__builtin_cpu_supports("pclmul")) return DAMAGED;
    return fold(data, size, folded);
}
#else
int64_t abathur_checksum_fold(const uint8_t *data, int64_t size, uint8_t *folded) {
    (void)data, (void)size, (void)folded;
    return DAMAGED;
}
#endif
