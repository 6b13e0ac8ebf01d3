import { DomainError, type Fault } from '../errors.ts';
import { faultSentences } from './fault-sentences.ts';
import { combine, type Stated } from './meaning/combine.ts';
import { joinDenominators } from './meaning/denominators.ts';
import { example, faultOf, unknownFaults } from './meaning/faults.ts';
import { dropArchitectures, dropVendors, joinArchitectures, mergeGroups, narrowMlperf } from './meaning/groups.ts';
import { readKind, toSuperlatives } from './meaning/kinds.ts';
import { type Limited, readLimits } from './meaning/limits.ts';
import { applyNegations } from './meaning/negations.ts';
import { defaultRanking, ofLoad, readRanks, unusedMetricFaults, withNamedMetric } from './meaning/ranks.ts';
import { rateGpus } from './meaning/rated-power.ts';
import { type Correction, resolveWords } from './meaning/resolve-words.ts';
import { joinAlternatives, readSides, type Sides } from './meaning/sides.ts';
import { joinStatistics } from './meaning/statistics.ts';
import { readSubject, strayFaults } from './meaning/subjects.ts';
import { narrowWidth } from './meaning/widths.ts';
import { type Fit, type Interpretation, limitMax, type Question, type QuestionFilters } from './question.ts';
import type { Chunk } from './readers/chunks.ts';
import { completeVariants } from './readers/variants.ts';
import { isLimit } from './words/common-words.ts';
import { isUnit } from './words/numbers.ts';
import { charactersMax, toWordList, type Words, wordsMax, written } from './words/tokens.ts';

export interface ParseOptions {
  /** Dollars per GPU-hour, for questions about cost without a price. */
  gpuUsdPerHour?: number | null;
  /** Reference day of "since march" and "last month", such as 2026-09-15. Without it, such questions are rejected. */
  today?: string | null;
}

const notUnderstood = (faults: readonly Fault[]) =>
  new DomainError(
    'query_not_understood',
    faultSentences(faults)
      .map(({ message }) => message)
      .join(' '),
    [...faults],
  );

/** The fault of a text without words. */
const nothingAsked: Fault = {
  code: 'question_empty',
  message: `The question is empty. Try a question like "${example}".`,
  parameter: 'q',
};

/** The fault of a text whose words are all ignored. */
const nothingKnown: Fault = {
  ...nothingAsked,
  message: `No word of the question names a metric, model, GPU or other fact. Try a question like "${example}".`,
};

function refuseLength(says: string): never {
  throw notUnderstood([{ code: 'question_too_long', message: says, hint: 'Shorten the question.', parameter: 'q' }]);
}

function readWords(text: string, today: string | null): Words {
  if (text.length > charactersMax) refuseLength(`The question has more than ${charactersMax} characters.`);
  const words = toWordList(text, isUnit, today);
  if (words.tokens.length > wordsMax) refuseLength(`The question has more than ${wordsMax} words.`);
  return words;
}

function readPrice(words: Words, chunks: readonly Chunk[], given: number | null, isCost: boolean) {
  const faults: Fault[] = [];
  let price = isCost ? given : null;
  for (const chunk of chunks) {
    if (chunk.kind !== 'price' && chunk.kind !== 'other-price') continue;
    const phrase = written(words, chunk.start, chunk.end);
    if (chunk.kind === 'other-price')
      faults.push(
        faultOf(
          'currency_unknown',
          phrase,
          'is not in US dollars.',
          'Prices are in US dollars: use "under $2 an hour".',
        ),
      );
    else if (!isCost)
      faults.push(
        faultOf(
          'price_unused',
          phrase,
          'is a price, but the question does not ask for cost.',
          `Ask for the cheapest, or give a limit, such as "under $${chunk.usd} an hour".`,
        ),
      );
    else if (price !== null && price !== chunk.usd)
      faults.push(faultOf('price_twice', phrase, `contradicts the price of $${price}.`, 'Give one price.'));
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

/** Returns the ignored words, adjacent ones together. */
function ignoredOf(words: Words, chunks: readonly Chunk[]): string[] {
  const runs: { start: number; end: number }[] = [];
  for (const { kind, start, end } of chunks) {
    if (kind !== 'filler') continue;
    const last = runs.at(-1);
    if (last?.end === start) last.end = end;
    else runs.push({ start, end });
  }
  return runs.map(({ start, end }) => written(words, start, end));
}

function noteOf(corrections: readonly Correction[], { start, end }: { start: number; end: number }): string | null {
  const inside = corrections.filter(({ at }) => at >= start && at < end);
  return inside.length === 0 ? null : `interpreted as ${inside.map(({ meant }) => `"${meant}"`).join(', ')}`;
}

const statedNote = (
  stated: readonly (Chunk | Limited)[],
  { start, end }: { start: number; end: number },
): string | null =>
  stated.flatMap((each) =>
    'note' in each && each.note !== undefined && each.start === start && each.end === end ? [each.note] : [],
  )[0] ?? null;

/** Separates the memory of a question from its filters and the context that must fit. */
function readFit(chunks: readonly Chunk[], filters: QuestionFilters): { fit: Fit; filters: QuestionFilters } {
  const { min_context: context, ...others } = filters;
  const stated = chunks.flatMap((chunk) => {
    if (chunk.kind === 'memory') return [chunk.gb];
    return chunk.kind === 'facts' && chunk.memoryGb !== undefined ? [chunk.memoryGb] : [];
  });
  const memoryGb = stated.length === 0 ? null : Math.max(...stated);
  return { fit: { memoryGb, contextTokens: typeof context === 'number' ? context : null }, filters: others };
}

/** Filters of each side. A contradiction within a side is already a fault of the question. */
const toCompared = (words: Words, { sides }: Sides): QuestionFilters[] =>
  sides.map((side) => combine(words, [side]).filters);

/**
 * Parses a question into filters, a rank and a subject. Every meaningful word must be used, or the question is rejected; the
 * parser never guesses. Time is linear in the words, which are limited.
 *
 * Throws a `DomainError`: `query_not_understood` with a fault for each unusable phrase.
 */
export function parseQuestion(text: string, { gpuUsdPerHour = null, today = null }: ParseOptions = {}): Question {
  const { words, chunks: resolved, corrections } = resolveWords(completeVariants(readWords(text, today)));
  const every = joinDenominators(resolved);
  const unknown = unknownFaults(words, every);
  if (unknown.length > 0) throw notUnderstood(unknown);
  const says = every.filter(({ kind }) => kind !== 'filler' && kind !== 'preposition' && kind !== 'denominator');
  if (says.every(({ kind, ...chunk }) => isEmptyWord(kind) || ('cue' in chunk && isEmptyCue(chunk.cue))))
    throw notUnderstood([words.tokens.length === 0 ? nothingAsked : nothingKnown]);

  const named = joinArchitectures(words, narrowWidth(words, dropVendors(dropArchitectures(narrowMlperf(says)))));
  const grouped = mergeGroups(words, named.chunks);
  const negated = applyNegations(words, grouped.chunks);
  const chunks = rateGpus(words, joinAlternatives(negated.chunks));
  const sides = readSides(words, chunks);
  const isCompared = sides.sides.length > 1;
  const full = toSuperlatives(chunks, isCompared).filter((chunk) => !sides.taken.has(chunk));
  const { content, faults: statisticFaults } = joinStatistics(
    words,
    full.filter(({ kind }) => kind !== 'and' && kind !== 'cue' && kind !== 'memory'),
  );

  const ordered = readRanks(words, content);
  const limits = readLimits(words, content, ordered.used);
  const ranks = withNamedMetric(ordered, content, limits.used);
  const { limit, faults: entryFaults } = readEntries(words, full);
  const kind = readKind({ words, chunks: full, isCompared, isNamed: ordered.rank === null && ranks.rank !== null });
  const subject = readSubject(words, subjectChunks(every, content, sides));
  const own: Stated[] = [
    ...content.flatMap((chunk) => (chunk.kind === 'facts' ? [chunk] : [])),
    ...limits.limited,
    ...kind.stated,
  ].sort((a, b) => a.start - b.start);
  const combined = combine(words, own);
  const { fit, filters } =
    kind.kind === 'fit' ? readFit(full, combined.filters) : { fit: null, filters: combined.filters };
  const rank = ofLoad(ranks.rank, ranks.used, [filters.regime ?? []].flat());
  const { name, order } = rank ?? defaultRanking;
  const { price, faults: priceFaults } = readPrice(words, full, gpuUsdPerHour, name === 'usd_per_mtok_output');
  const faults = [
    ...named.faults,
    ...grouped.faults,
    ...negated.faults,
    ...sides.faults,
    ...(kind.kind === 'fit' ? ranks.faults.filter(({ code }) => code !== 'rank_without_metric') : ranks.faults),
    ...limits.faults,
    ...statisticFaults,
    ...unusedMetricFaults(words, content, new Set([...ranks.used, ...limits.used])),
    ...priceFaults,
    ...entryFaults,
    ...subject.faults,
    ...strayFaults(words, content),
    ...combined.faults,
    ...kind.faults,
  ];
  if (faults.length > 0) throw notUnderstood(faults);
  if (kind.kind === 'lookup' && rank === null && own.length === 0) throw notUnderstood([nothingKnown]);
  const places = [
    ...own.map(({ start, end, facts }) => ({ start, end, meaning: meaningOf(facts) })),
    ...sides.sides.map(({ start, end, facts }) => ({ start, end, meaning: meaningOf(facts) })),
    ...kind.places.filter(({ start }) => !own.some((stated) => stated.start === start)),
    ...every.flatMap((chunk) =>
      chunk.kind === 'denominator' ? toPlaces(chunk, `rank_by=${chunk.named?.name ?? name}`) : [],
    ),
    ...toPlaces(rank ?? ranks.generic ?? kind.speed, `rank_by=${name}, order=${order}`),
    ...full.flatMap((chunk) => {
      if (chunk.kind === 'limit') return toPlaces(chunk, `limit=${chunk.limit}`);
      if (chunk.kind === 'memory') return toPlaces(chunk, `memory_gb=${chunk.gb}`);
      return chunk.kind === 'price' ? toPlaces(chunk, `gpu_usd_per_hour=${chunk.usd}`) : [];
    }),
    ...toPlaces(subject.place, `subject=${subject.subject}`),
  ];
  const sizes = full.filter((chunk) => chunk.kind === 'facts' && chunk.memoryGb !== undefined && kind.kind !== 'fit');
  const interpretation = places
    .sort((a, b) => a.start - b.start)
    .map(({ meaning, ...place }): Interpretation => {
      const isSized = sizes.some(({ start, end }) => start === place.start && end === place.end);
      const note =
        noteOf(corrections, place) ??
        statedNote([...limits.limited, ...content], place) ??
        (isSized ? 'results do not distinguish its memory sizes' : null);
      return { phrase: written(words, place.start, place.end), meaning, ...(note !== null && { note }) };
    });
  return {
    ...{
      kind: kind.kind,
      subject: subject.subject,
      rankBy: name,
      saysRank: rank !== null,
      order,
      energyUnit: rank?.energyUnit ?? null,
      filters,
      limit,
      price,
    },
    ...{ compared: toCompared(words, sides), fit, interpretation, ignored: ignoredOf(words, every) },
  };
}

const isEmptyWord = (kind: Chunk['kind']) => kind === 'ranker' || kind === 'or' || kind === 'and' || kind === 'not';
const isEmptyCue = (cue: string) => cue !== 'fit' && cue !== 'capacity';

/** Chunks to read a subject from: in order, without the chunks of the sides of a comparison. */
function subjectChunks(every: readonly Chunk[], content: readonly Chunk[], { taken }: Sides): Chunk[] {
  const changed = new Map(content.map((chunk) => [chunk.start, chunk]));
  return every.flatMap((chunk) => {
    if ([...taken].some(({ start }) => start === chunk.start)) return [{ ...chunk, kind: 'filler' as const }];
    return [changed.get(chunk.start) ?? chunk];
  });
}
