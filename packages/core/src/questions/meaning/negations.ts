import type { Fault } from '../../errors.ts';
import type { Chunk } from '../readers/chunks.ts';
import { type Words, written } from '../words/tokens.ts';
import { faultOf } from './faults.ts';

const negatable: ReadonlySet<string> = new Set(['model', 'gpu', 'quantization', 'engine']);

const filtersOf = (chunk: Chunk | undefined): string | null =>
  chunk?.kind === 'facts' && chunk.facts.every(({ filter }) => negatable.has(filter))
    ? chunk.facts.map(({ filter }) => filter).join(' ')
    : null;

/**
 * "not awq", "except h100 and h200": converts the facts after the word to exclusion filters, and merges the joining words
 * into them. `all`: the meaningful chunks and the words that join them.
 */
export function applyNegations(words: Words, all: readonly Chunk[]): { chunks: Chunk[]; faults: Fault[] } {
  const chunks: Chunk[] = [];
  const faults: Fault[] = [];
  for (let at = 0; at < all.length; ) {
    const chunk = all[at];
    if (chunk === undefined) break;
    if (chunk.kind !== 'not') {
      chunks.push(chunk);
      at++;
      continue;
    }
    const first = filtersOf(all[at + 1]);
    if (first === null) {
      const phrase = written(words, chunk.start, all[at + 1]?.end ?? chunk.end);
      const hint = 'Models, GPUs, quantizations and engines can be excluded, such as "not awq".';
      faults.push(faultOf('negation_unfit', phrase, 'does not exclude anything known.', hint));
      at++;
      continue;
    }
    let start = chunk.start;
    let place = at + 1;
    while (filtersOf(all[place]) === first) {
      const one = all[place];
      if (one?.kind !== 'facts') break;
      const facts = one.facts.map(({ filter, values }) => ({ filter: `not_${filter}`, values }));
      chunks.push({ kind: 'facts', facts, start, end: one.end });
      const isJoined =
        all[place + 1]?.kind === 'or' || all[place + 1]?.kind === 'and' || all[place + 1]?.kind === 'not';
      const next = isJoined ? place + 2 : place + 1;
      // "not nvidia with at least 80 GB": a word such as "with" ends what is excluded.
      const isApart = !isJoined && all[next]?.start !== one.end;
      if (filtersOf(all[next]) !== first || isApart) {
        place++;
        break;
      }
      start = all[next]?.start ?? start;
      place = next;
    }
    at = place;
  }
  return { chunks, faults };
}
