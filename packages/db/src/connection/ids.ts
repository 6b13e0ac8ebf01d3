import { createHash, randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

export type IdPrefix =
  | 'sub'
  | 'res'
  | 'acc'
  | 'key'
  | 'sgk'
  | 'rev'
  | 'con'
  | 'ep'
  | 'run'
  | 'sch'
  | 'whk'
  | 'msg'
  | 'red'
  | 'cat';

/** A pool of random bytes for many ids: one system call per id would dominate its cost. */
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

/** A new id that sorts by time: `sub_0192f...`. */
export function createId(prefix: IdPrefix): string {
  const random = takeRandom();
  const now = Date.now();
  if (now > msecs) {
    msecs = now;
    // Starts far below the 32-bit maximum, which one millisecond does not reach.
    seq = new DataView(random.buffer, random.byteOffset).getUint32(0) >>> 1;
  } else {
    seq += 1;
  }
  return `${prefix}_${v7({ random, msecs, seq }).replaceAll('-', '')}`;
}

/** An id derived from facts: equal facts give the same id on every installation. */
export function idOfFacts(prefix: 'sys', facts: string): string {
  return `${prefix}_${createHash('sha256').update(facts).digest('hex').slice(0, 24)}`;
}
