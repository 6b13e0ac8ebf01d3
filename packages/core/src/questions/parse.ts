import { DomainError, type Fault } from '../errors.ts';
import { type Chunk, toChunks } from './chunks.ts';
import { combine, type Stated } from './combine.ts';
import { isLimit } from './common-words.ts';
import { example, faultOf, unknownFaults } from './faults.ts';
import { readLimits } from './limits.ts';
import { isUnit } from './numbers.ts';
import { limitMax, type Question } from './question.ts';
import { defaultRanking, ofLoad, readRanks, unusedMetricFaults, withNamedMetric } from './ranks.ts';
import { readSubject, strayFaults } from './subjects.ts';
import { charactersMax, toWordList, type Words, wordsMax, written } from './tokens.ts';

export interface ParseOptions {
  /** Dollars per GPU-hour, for questions about cost that name no price themselves. */
  gpuUsdPerHour?: number | null;
}

const notUnderstood = (faults: readonly Fault[]) =>
  new DomainError('query_not_understood', faults.map(({ message }) => message).join(' '), [...faults]);

/** Of a text without a word in it. */
const nothingAsked: Fault = {
  code: 'question_empty',
  message: `There is no question. Ask in the manner of "${example}".`,
  parameter: 'q',
};

function refuseLength(says: string): never {
  throw notUnderstood([{ code: 'question_too_long', message: says, hint: 'Ask shorter.', parameter: 'q' }]);
}

function readWords(text: string): Words {
  if (text.length > charactersMax) refuseLength(`The question has more than ${charactersMax} characters.`);
  const words = toWordList(text, isUnit);
  if (words.tokens.length > wordsMax) refuseLength(`The question has more than ${wordsMax} words.`);
  return words;
}

function readPrice(words: Words, chunks: readonly Chunk[], given: number | null, isCost: boolean) {
  const faults: Fault[] = [];
  let price = isCost ? given : null;
  for (const chunk of chunks) {
    if (chunk.kind !== 'price') continue;
    const phrase = written(words, chunk.start, chunk.end);
    if (!isCost)
      faults.push(faultOf('price_unused', phrase, 'is a price, and nothing asks for cost.', 'Ask for the cheapest.'));
    else if (price !== null && price !== chunk.usd)
      faults.push(faultOf('price_twice', phrase, `contradicts a price of $${price}.`, 'Give one price.'));
    else price = chunk.usd;
  }
  return { price, faults };
}

function readEntries(words: Words, chunks: readonly Chunk[]) {
  const limits = chunks.filter((chunk) => chunk.kind === 'limit');
  const faults = limits.flatMap(({ limit, start, end }, at) => {
    const phrase = written(words, start, end);
    if (!isLimit(limit))
      return [
        faultOf('limit_out_of_range', phrase, `is more than ${limitMax} entries.`, `Ask for at most ${limitMax}.`),
      ];
    return at === 0 || limit === limits[0]?.limit
      ? []
      : [faultOf('limit_twice', phrase, 'is a second number of entries.', 'Give one.')];
  });
  return { limit: limits[0]?.limit ?? null, faults };
}

const meaningOf = (facts: Stated['facts']) =>
  facts.map(({ filter, values }) => `${filter}=${values.join(',')}`).join(', ');

const toPlaces = (place: { start: number; end: number } | null, meaning: string) =>
  place === null ? [] : [{ start: place.start, end: place.end, meaning }];

/**
 * A question in words as filters, a rank and a subject. Every word that says something has a place, or the question is
 * refused; nothing is guessed. The work is linear in the words, which are capped.
 *
 * Throws a `DomainError`: `query_not_understood` with a fault for each phrase that has no place.
 */
export function parseQuestion(text: string, { gpuUsdPerHour = null }: ParseOptions = {}): Question {
  const words = readWords(text);
  const chunks = toChunks(words);
  const unknown = unknownFaults(words, chunks);
  if (unknown.length > 0) throw notUnderstood(unknown);
  const content = chunks.filter(({ kind }) => kind !== 'filler' && kind !== 'preposition');
  if (content.every(({ kind }) => kind === 'ranker' || kind === 'or')) throw notUnderstood([nothingAsked]);

  const ordered = readRanks(words, content);
  const limits = readLimits(words, content, ordered.used);
  const ranks = withNamedMetric(ordered, content, limits.used);
  const { limit, faults: entryFaults } = readEntries(words, chunks);
  const subject = readSubject(words, chunks);
  const stated: Stated[] = [
    ...content.flatMap((chunk) => (chunk.kind === 'facts' ? [chunk] : [])),
    ...limits.limited,
  ].sort((a, b) => a.start - b.start);
  const { filters, faults: contradictions } = combine(words, stated);
  const rank = ofLoad(ranks.rank, ranks.used, [filters.regime ?? []].flat());
  const { name, order } = rank ?? defaultRanking;
  const { price, faults: priceFaults } = readPrice(words, chunks, gpuUsdPerHour, name === 'usd_per_mtok_output');
  const faults = [
    ...ranks.faults,
    ...limits.faults,
    ...unusedMetricFaults(words, content, new Set([...ranks.used, ...limits.used])),
    ...priceFaults,
    ...entryFaults,
    ...subject.faults,
    ...strayFaults(words, content),
    ...contradictions,
  ];
  if (faults.length > 0) throw notUnderstood(faults);
  const places = [
    ...stated.map(({ start, end, facts }) => ({ start, end, meaning: meaningOf(facts) })),
    ...toPlaces(rank ?? ranks.generic, `rank_by=${name}, order=${order}`),
    ...chunks.flatMap((chunk) => {
      if (chunk.kind === 'limit') return toPlaces(chunk, `limit=${chunk.limit}`);
      return chunk.kind === 'price' ? toPlaces(chunk, `gpu_usd_per_hour=${chunk.usd}`) : [];
    }),
    ...toPlaces(subject.place, `subject=${subject.subject}`),
  ];
  const interpretation = places
    .sort((a, b) => a.start - b.start)
    .map(({ start, end, meaning }) => ({ phrase: written(words, start, end), meaning }));
  const saysRank = rank !== null;
  return { subject: subject.subject, rankBy: name, saysRank, order, filters, limit, price, interpretation };
}
