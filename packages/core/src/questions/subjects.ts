import type { Fault } from '../errors.ts';
import type { Chunk } from './chunks.ts';
import type { Noun } from './common-words.ts';
import { faultOf } from './faults.ts';
import { type Subject, subjects } from './question.ts';
import { type Words, written } from './tokens.ts';

type NounChunk = Extract<Chunk, { kind: 'noun' }>;

const isSubject = (noun: Noun): noun is Subject => subjects.some((subject) => subject === noun);

/** Whether a chunk names an entry of what the noun means: "h100" beside "gpu". */
const isOfKind = (chunk: Chunk | undefined, noun: Noun): boolean =>
  chunk?.kind === 'facts' && chunk.facts.some(({ filter }) => filter === noun);

/** What a question asks for, and the words that say it. */
export interface SubjectReading {
  subject: Subject;
  place: { start: number; end: number } | null;
  faults: Fault[];
}

/**
 * A noun beside a name of its own kind belongs to the name ("h100 gpus", "the agentic scenario"); it is what is asked
 * for only where no other noun is and no preposition leads to it ("the best h100 gpu").
 */
export function readSubject(words: Words, chunks: readonly Chunk[]): SubjectReading {
  const free: NounChunk[] = [];
  const attached: NounChunk[] = [];
  for (const [at, chunk] of chunks.entries()) {
    if (chunk.kind !== 'noun' || !isSubject(chunk.noun)) continue;
    const isBehind = isOfKind(chunks[at - 1], chunk.noun);
    if (!isBehind && !isOfKind(chunks[at + 1], chunk.noun)) free.push(chunk);
    else if (!isLed(chunks, isBehind ? at - 1 : at)) attached.push(chunk);
  }
  const [first, ...others] = free.length > 0 ? free : attached;
  const subject = first !== undefined && isSubject(first.noun) ? first.noun : 'system';
  const faults = others
    .filter(({ noun }) => noun !== subject)
    .map(({ start, end }) =>
      faultOf(
        'subject_twice',
        written(words, start, end),
        `is asked for beside the ${subject}.`,
        'Ask for one of them.',
      ),
    );
  return { subject, place: first ?? null, faults };
}

/** Whether a preposition stands before a chunk, articles between. */
function isLed(chunks: readonly Chunk[], at: number): boolean {
  let before = at - 1;
  while (chunks[before]?.kind === 'filler') before--;
  const kind = chunks[before]?.kind;
  return kind === 'preposition' || kind === 'ranker';
}

/** Words that are known but stand alone: an "or" between unlike things, a scenario that is not named. */
export function strayFaults(words: Words, content: readonly Chunk[]): Fault[] {
  return content.flatMap((chunk, at) => {
    const phrase = written(words, chunk.start, chunk.end);
    if (chunk.kind === 'or' && !isSame(content[at - 1], content[at + 1]))
      return [
        faultOf('or_between_unlike', phrase, 'stands between no two values of one filter.', 'Ask one at a time.'),
      ];
    if (chunk.kind === 'noun' && !isSubject(chunk.noun)) {
      const isNamed = isOfKind(content[at - 1], chunk.noun) || isOfKind(content[at + 1], chunk.noun);
      if (!isNamed)
        return [faultOf('name_missing', phrase, 'is not named.', `Name it, such as ${chunk.noun} "example".`)];
    }
    if (chunk.kind === 'ambiguous') {
      const each = chunk.kinds.map((kind) => `${kind} "${phrase}"`).join(' or ');
      return [faultOf('name_ambiguous', phrase, `is the name of a ${chunk.kinds.join(' and of a ')}.`, `Say ${each}.`)];
    }
    return [];
  });
}

const filtersOf = (chunk: Chunk | undefined): string | null =>
  chunk?.kind === 'facts' ? chunk.facts.map(({ filter }) => filter).join(' ') : null;

/** Whether two chunks are values of the same filters, of which any may fit. */
function isSame(one: Chunk | undefined, other: Chunk | undefined): boolean {
  const filters = filtersOf(one);
  return filters !== null && filters === filtersOf(other) && !/(?:^| )(?:since|until|min_|max_)/u.test(filters);
}
