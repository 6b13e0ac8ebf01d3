import { createHash, randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

export type IdPrefix =
  | 'sub'
  | 'res'
  | 'acc'
  | 'key'
  | 'rev'
  | 'con'
  | 'ep'
  | 'run'
  | 'sch'
  | 'whk'
  | 'msg'
  | 'red'
  | 'cat';

/** Random bytes for many ids: asking the system for those of a few takes longer than all else about an id. */
const pool = new Uint8Array(16 * 1024);
let used = pool.length;

function takeRandom(): Uint8Array {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += 16;
  return pool.subarray(used - 16, used);
}

let msecs = 0;
let seq = 0;

/** A new id, in the order of time: `sub_0192f...`. */
export function createId(prefix: IdPrefix): string {
  const random = takeRandom();
  const now = Date.now();
  if (now > msecs) {
    msecs = now;
    // Far from the end of its 32 bits, which a millisecond does not use up.
    seq = new DataView(random.buffer, random.byteOffset).getUint32(0) >>> 1;
  } else {
    seq += 1;
  }
  return `${prefix}_${v7({ random, msecs, seq }).replaceAll('-', '')}`;
}

/** The id of a thing that is what its facts are: the same facts give the same id everywhere. */
export function idOfFacts(prefix: 'sys', facts: string): string {
  return `${prefix}_${createHash('sha256').update(facts).digest('hex').slice(0, 24)}`;
}
