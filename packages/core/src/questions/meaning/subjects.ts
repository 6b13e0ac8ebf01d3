import type { Fault } from '../../errors.ts';
import { vendorOf } from '../../filters/filters.ts';
import { type Subject, subjects } from '../question.ts';
import type { CatalogueKind } from '../readers/catalogue-words.ts';
import type { Chunk } from '../readers/chunks.ts';
import type { Noun } from '../words/common-words.ts';
import { type Words, written } from '../words/tokens.ts';
import { faultOf } from './faults.ts';

type NounChunk = Extract<Chunk, { kind: 'noun' }>;

const isSubject = (noun: Noun): noun is Subject => subjects.some((subject) => subject === noun);

/** True if a chunk names an entry of the noun's kind: "h100" with "gpu". */
const isOfKind = (chunk: Chunk | undefined, noun: Noun): boolean =>
  chunk?.kind === 'facts' && chunk.facts.some(({ filter }) => filter === noun);

/** The subject of a question, and its words. */
export interface SubjectReading {
  subject: Subject;
  place: { start: number; end: number } | null;
  faults: Fault[];
}

/**
 * A noun next to a name of its kind belongs to the name ("h100 gpus", "the agentic scenario"). It is the subject only if the
 * question has no other noun and no preposition precedes it ("the best h100 gpu").
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
  // "best gpu for local llms": the purpose, not the subject.
  const isPurpose = (chunk: NounChunk) => chunk.noun === 'model' && isLed(chunks, chunks.indexOf(chunk));
  // "fastest llm engine": an attribute of the engine.
  const isAttribute = (chunk: NounChunk) =>
    chunk.noun === 'model' &&
    /^llms?$/iu.test(written(words, chunk.start, chunk.end)) &&
    free.some(({ start }) => start === chunk.end);
  const isSubjectOnly = (chunk: NounChunk) => !isPurpose(chunk) && !isAttribute(chunk);
  const subjectsOnly = free.some(isSubjectOnly) ? free.filter(isSubjectOnly) : free;
  // "best mac for llms" asks which of a vendor's GPUs.
  const vendor = free.every(isPurpose)
    ? chunks.find((chunk, at) => chunks[at - 1]?.kind === 'superlative' && isVendor(chunk))
    : undefined;
  if (vendor !== undefined) return { subject: 'gpu', place: vendor, faults: [] };
  const [first, ...others] = subjectsOnly.length > 0 ? subjectsOnly : attached;
  const subject = first !== undefined && isSubject(first.noun) ? first.noun : 'system';
  const faults = others
    .filter(({ noun }) => noun !== subject)
    .map(({ start, end }) =>
      faultOf(
        'subject_twice',
        written(words, start, end),
        `is requested in addition to the ${subject}.`,
        'Use one of them.',
      ),
    );
  return { subject, place: first ?? null, faults };
}

const isVendor = (chunk: Chunk): boolean =>
  chunk.kind === 'facts' &&
  chunk.facts.every(
    ({ filter, values }) => filter === 'gpu' && values.every((value) => vendorOf(String(value)) !== null),
  );

/** True if a preposition precedes a chunk, with only articles between. */
function isLed(chunks: readonly Chunk[], at: number): boolean {
  let before = at - 1;
  while (chunks[before]?.kind === 'filler') before--;
  const kind = chunks[before]?.kind;
  return kind === 'preposition' || kind === 'ranker';
}

/** What a kind of name means, for those who know only one of the meanings. */
const meaningOf: Partial<Record<CatalogueKind, string>> = {
  quantization: ' for the format of the weights',
  engine: ' for the software',
};

/** Faults for known words that are isolated: an "or" between unlike things, an unnamed scenario. */
export function strayFaults(words: Words, content: readonly Chunk[]): Fault[] {
  return content.flatMap((chunk, at) => {
    const phrase = written(words, chunk.start, chunk.end);
    if (chunk.kind === 'or' && !isSame(content[at - 1], content[at + 1]))
      return [
        faultOf('or_between_unlike', phrase, 'is not between two values of one filter.', 'Ask one question at a time.'),
      ];
    if (chunk.kind === 'noun' && !isSubject(chunk.noun)) {
      const isNamed = isOfKind(content[at - 1], chunk.noun) || isOfKind(content[at + 1], chunk.noun);
      if (!isNamed)
        return [faultOf('name_missing', phrase, 'has no name.', `Name it, such as ${chunk.noun} "example".`)];
    }
    if (chunk.kind === 'ambiguous') {
      const of = chunk.kinds.map((kind) => (/^[aeiou]/u.test(kind) ? `an ${kind}` : `a ${kind}`));
      const each = chunk.kinds.map((kind) => `${kind} "${phrase}"${meaningOf[kind] ?? ''}`).join(', or ');
      return [faultOf('name_ambiguous', phrase, `is the name of ${of.join(' and of ')}.`, `Use ${each}.`)];
    }
    return [];
  });
}

const filtersOf = (chunk: Chunk | undefined): string | null =>
  chunk?.kind === 'facts' ? chunk.facts.map(({ filter }) => filter).join(' ') : null;

/** True if two chunks are alternative values of the same filters. */
function isSame(one: Chunk | undefined, other: Chunk | undefined): boolean {
  const filters = filtersOf(one);
  return filters !== null && filters === filtersOf(other) && !/(?:^| )(?:since|until|min_|max_)/u.test(filters);
}
