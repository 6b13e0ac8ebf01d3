import type { Random } from '../../packages/core/src/testing/random.ts';
import type { IdPrefix } from '../../packages/db/src/connection/ids.ts';

const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0');

/** Ids in the product's format (UUID version 7) from a given clock and random sequence, ordered by time, then by `place`. */
export function idAt(prefix: IdPrefix, ms: number, place: number, random: Random): string {
  const high = hex((place >>> 14) & 0xfff, 3);
  const low = hex(0x8000 | (place & 0x3fff), 4);
  return `${prefix}_${hex(ms, 12)}7${high}${low}${hex(random.whole(0, 2 ** 32 - 1), 8)}${hex(random.whole(0, 0xffff), 4)}`;
}
