import { createHash } from 'node:crypto';
import { v7 } from 'uuid';

export type IdPrefix = 'sub' | 'res' | 'acc' | 'key' | 'rev';

/** A new id, in the order of time: `sub_0192f...`. */
export function createId(prefix: IdPrefix): string {
  return `${prefix}_${v7().replaceAll('-', '')}`;
}

/** The id of a thing that is what its facts are: the same facts give the same id everywhere. */
export function idOfFacts(prefix: 'sys', facts: string): string {
  return `${prefix}_${createHash('sha256').update(facts).digest('hex').slice(0, 24)}`;
}
