/** Buckets grow by 1 %: a percentile is within half of that. */
const growth = Math.log(1.01);
/** In ms: shorter values count as the one, longer ones as the other. */
const smallest = 1e-3;
const largest = 1e9;
const bucketOf = (ms: number) => Math.round(Math.log(ms / smallest) / growth);
const bucketCount = bucketOf(largest) + 1;

/** Values so far, in memory that does not grow with them. Adding is O(1). */
export class RunningDistribution {
  #n = 0;
  readonly #buckets = new Uint32Array(bucketCount);

  get n(): number {
    return this.#n;
  }

  add(value: number): void {
    const bucket = bucketOf(Math.min(largest, Math.max(smallest, value)));
    this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + 1;
    this.#n++;
  }

  /** Percentile `p` (0..100) to 0.5 %; NaN without values. */
  percentile(p: number): number {
    const wanted = Math.max(1, Math.ceil((p / 100) * this.#n));
    let count = 0;
    for (let bucket = 0; bucket < bucketCount; bucket++) {
      count += this.#buckets[bucket] ?? 0;
      if (count >= wanted) return smallest * Math.exp(bucket * growth);
    }
    return Number.NaN;
  }
}
