/** The exponent of a number above zero, from 1 to 2047; 0 of the smallest ones and of zero, more of those below. */
const exponentsOf = (values: Float64Array): { of(place: number): number } => {
  const words = new Int32Array(values.buffer, values.byteOffset, 2 * values.length);
  return { of: (place) => (words[2 * place + 1] as number) >>> 20 };
};

const exponents = 2048;

/**
 * Values counted by their power of two, apart from those near some limits. Whether a value, and an interval around it, is
 * above or below a limit far from it, its power of two tells: of hundreds of thousands of values on a board few are near
 * the intervals that are shown.
 */
export class Octaves {
  readonly #isNear = new Uint8Array(2 * exponents);
  readonly #counts = new Int32Array(exponents);

  /** Near is what an interval around it may reach a limit from: ends at most `factor` times, or a `factor`th of, it. */
  constructor(limits: readonly number[], factor: number) {
    // Negative values, zero, and what is no number are looked at themselves.
    this.#isNear.fill(1, exponents - 1);
    this.#isNear[0] = 1;
    const reach = factor > 0 && factor < 2 ** 1000 ? Math.ceil(Math.log2(factor)) : exponents;
    const ofLimits = exponentsOf(Float64Array.from(limits));
    for (let place = 0; place < limits.length; place += 1) {
      const exponent = ofLimits.of(place);
      if (exponent >= exponents) continue;
      this.#isNear.fill(1, Math.max(0, exponent - reach), exponent + reach + 1);
    }
  }

  /** Counts the values that are not near, but those of places for which `isOdd`; answers the places of the others. */
  sort(values: Float64Array, isOdd: (place: number) => boolean): Int32Array {
    const [isNear, counts, ofValues] = [this.#isNear, this.#counts, exponentsOf(values)];
    const places = new Int32Array(values.length);
    let near = 0;
    for (let place = 0; place < values.length; place += 1) {
      const exponent = ofValues.of(place);
      if (isNear[exponent] === 0 && !isOdd(place)) counts[exponent] = (counts[exponent] as number) + 1;
      else {
        places[near] = place;
        near += 1;
      }
    }
    return places.subarray(0, near);
  }

  /** How many of the values that were counted lie above, or below, one of the limits. */
  countBeyond(limit: number, side: 'above' | 'below'): number {
    let count = 0;
    for (let exponent = 1; exponent < exponents; exponent += 1) {
      const ofExponent = this.#counts[exponent] as number;
      if (ofExponent === 0) continue;
      if (side === 'above' ? 2 ** (exponent - 1023) > limit : 2 ** (exponent - 1023) < limit) count += ofExponent;
    }
    return count;
  }
}
