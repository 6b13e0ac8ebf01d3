/** Bits of the mantissa that a bucket's number has: 128 buckets an octave, so that a percentile is within 0.4 %. */
const mantissaBits = 7;
const shift = 20 - mantissaBits;
/** In ms: shorter values count as the one, longer ones as the other. */
const smallest = 1e-3;
const largest = 1e9;

const float = new Float64Array(1);
const words = new Uint32Array(float.buffer);
/** The upper half of a double, by the order of bytes of this machine. */
const upper = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? 1 : 0;

/** Exponent and first bits of the mantissa: a logarithm without computing one, as this runs while tokens arrive. */
function bucketOf(ms: number): number {
  float[0] = ms;
  return (words[upper] ?? 0) >>> shift;
}

const lowest = bucketOf(smallest);
const bucketCount = bucketOf(largest) - lowest + 1;

/** The middle of a bucket, ms. */
function middleOf(bucket: number): number {
  words[1 - upper] = 0;
  words[upper] = (lowest + bucket) * 2 ** shift + 2 ** (shift - 1);
  return float[0] ?? Number.NaN;
}

/** Values so far, in memory that does not grow with them. Adding is O(1). */
export class RunningDistribution {
  #n = 0;
  readonly #buckets = new Uint32Array(bucketCount);

  get n(): number {
    return this.#n;
  }

  add(value: number): void {
    const bucket = bucketOf(Math.min(largest, Math.max(smallest, value))) - lowest;
    this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + 1;
    this.#n++;
  }

  /** Percentile `p` (0..100) to 0.5 %; NaN without values. */
  percentile(p: number): number {
    const wanted = Math.max(1, Math.ceil((p / 100) * this.#n));
    let count = 0;
    for (let bucket = 0; bucket < bucketCount; bucket++) {
      count += this.#buckets[bucket] ?? 0;
      if (count >= wanted) return middleOf(bucket);
    }
    return Number.NaN;
  }
}
