const TRIM = 0.25;
const PERCENTAGES = [...Array(100).keys(), 99.5, 99.9, 100];

const ascending = (samples) => Float64Array.from(samples).sort();
const mean = (samples) => samples.reduce((sum, each) => sum + each, 0) / samples.length;

/** Mean of the middle: a quarter is left out at each end, rounded down. */
function trimmedMean(sorted) {
  const left = Math.floor(sorted.length * TRIM);
  return mean(sorted.subarray(left, sorted.length - left));
}

/** Linear between the two nearest samples. */
function percentile(sorted, percentage) {
  const position = (percentage / 100) * (sorted.length - 1);
  const below = Math.floor(position);
  if (below + 1 >= sorted.length) return sorted[sorted.length - 1];
  return sorted[below] + (position - below) * (sorted[below + 1] - sorted[below]);
}

/** Statistics over the samples of all rounds, as the C# and Python runners have them; null where there are none. */
export function statistics(rounds) {
  const whole = rounds.filter((round) => round.length > 0);
  if (whole.length === 0) return null;
  const sorted = ascending(whole.flat());
  return {
    trimmed_mean: trimmedMean(sorted),
    min: sorted[0],
    p50: percentile(sorted, 50),
    p90: percentile(sorted, 90),
    p99: percentile(sorted, 99),
    p99_9: percentile(sorted, 99.9),
    max: sorted[sorted.length - 1],
    rounds: whole.map((round) => trimmedMean(ascending(round))),
    quantiles: PERCENTAGES.map((each) => [each, percentile(sorted, each)]),
  };
}

/** Numbers from 0 below 1 that a seed fixes (mulberry32). */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A new list in random order. */
export function shuffled(list, next) {
  const to = [...list];
  for (let i = to.length - 1; i > 0; i--) {
    const j = Math.floor(next() * (i + 1));
    [to[i], to[j]] = [to[j], to[i]];
  }
  return to;
}
