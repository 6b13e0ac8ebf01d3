export interface Sample {
  /** Time since the traffic began. */
  at_ms: number;
  MiB: number;
}

/** Least-squares slope in MiB per hour, and its coefficient of determination, 0 to 1. NaN for fewer than two samples. */
export function slopeOf(samples: readonly Sample[]): { MiB_h: number; r2: number } {
  const mean = (of: (sample: Sample) => number) => samples.reduce((sum, it) => sum + of(it), 0) / samples.length;
  const [at, level] = [mean((it) => it.at_ms), mean((it) => it.MiB)];
  const both = mean((it) => (it.at_ms - at) * (it.MiB - level));
  const [times, levels] = [mean((it) => (it.at_ms - at) ** 2), mean((it) => (it.MiB - level) ** 2)];
  return { MiB_h: (both / times) * 3_600_000, r2: levels === 0 ? 1 : both ** 2 / (times * levels) };
}
