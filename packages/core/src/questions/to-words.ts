import { findMetric } from '../metrics/index.ts';
import { type CatalogueKind, catalogueKinds } from './catalogue-words.ts';
import { toChunks } from './chunks.ts';
import type { Fact } from './loads.ts';
import { isRatio, metricWords } from './metric-phrases.ts';
import { isUnit, scaled } from './numbers.ts';
import { qualityWords } from './quality.ts';
import type { Question, QuestionFilters } from './question.ts';
import { quote, toWordList } from './tokens.ts';

type Value = string | number;

function valuesOf(filters: QuestionFilters, filter: string): Value[] {
  const given = filters[filter];
  if (given === undefined) return [];
  return Array.isArray(given) ? given : [given];
}

/** Whether words are read as these facts and nothing else. */
function saysOnly(phrase: string, facts: Fact[]): boolean {
  const [chunk, ...others] = toChunks(toWordList(phrase, isUnit));
  return chunk?.kind === 'facts' && others.length === 0 && JSON.stringify(chunk.facts) === JSON.stringify(facts);
}

/** An id where it is read as itself, else the name in quotation marks behind its noun. */
function nameWords(kind: CatalogueKind, value: Value): string {
  const text = String(value);
  return saysOnly(text, [{ filter: kind, values: [text] }]) ? text : `${kind} ${quote(text)}`;
}

const either = (phrases: readonly string[]) => phrases.join(' or ');

/** `preposition phrase or phrase`; nothing where there is no phrase. */
const led = (preposition: string, phrases: readonly string[]) =>
  phrases.length === 0 ? [] : [`${preposition} ${either(phrases)}`];

const prepositionOf: Record<CatalogueKind, string> = {
  model: 'for',
  gpu: 'on',
  quantization: 'in',
  engine: 'with',
  scenario: 'for',
};

/** "on 2x h200" where one count belongs to one GPU. */
function gpuWords(filters: QuestionFilters): string[] {
  const gpus = valuesOf(filters, 'gpu');
  const counts = valuesOf(filters, 'gpu_count');
  const [gpu] = gpus;
  const [count] = counts;
  const both = `${count}x ${gpu}`;
  const facts = [
    { filter: 'gpu', values: gpus },
    { filter: 'gpu_count', values: counts },
  ];
  if (gpus.length === 1 && counts.length === 1 && saysOnly(both, facts)) return [`on ${both}`];
  return [
    ...led(
      'on',
      gpus.map((each) => nameWords('gpu', each)),
    ),
    ...led(
      'on',
      counts.map((each) => (each === 1 ? '1 gpu' : `${each} gpus`)),
    ),
  ];
}

const levelWords: Readonly<Record<string, (level: Value) => string>> = {
  concurrency: (level) => `concurrency ${level}`,
  burst: (level) => `queue depth ${level}`,
  rate: (level) => `arrival rate ${level} req/s`,
  batch: (level) => `batch size ${level}`,
};

function loadWords(filters: QuestionFilters): string[] {
  const modes = valuesOf(filters, 'load_mode');
  const levels = valuesOf(filters, 'load_level');
  const write = modes.length === 1 ? levelWords[String(modes[0])] : undefined;
  const exact =
    write !== undefined && levels.length > 0
      ? led('at', levels.map(write))
      : [
          ...led(
            'at',
            modes.map((mode) => `load mode ${mode}`),
          ),
          ...led(
            'at',
            levels.map((level) => `load level ${level}`),
          ),
        ];
  return [
    ...led(
      'at',
      valuesOf(filters, 'regime').map((regime) => `regime ${regime}`),
    ),
    ...exact,
    ...valuesOf(filters, 'min_load_level').map((level) => `at load level at least ${level}`),
    ...valuesOf(filters, 'max_load_level').map((level) => `at load level at most ${level}`),
  ];
}

/** "with p99 ttft at most 500 ms"; a share above 1 in percent, because 60 may be either. */
function limitWords(filter: string, value: Value): string[] {
  const metric = findMetric(filter.slice(4));
  if (metric === null || typeof value !== 'number') return [];
  const isPercent = isRatio(metric) && value > 1;
  const number = isPercent ? `${scaled(String(value), 2)} %` : `${value} ${metric.family.unit}`;
  return [`with ${metricWords(metric.name)} ${filter.startsWith('min_') ? 'at least' : 'at most'} ${number.trim()}`];
}

/** A day for its first instant in UTC, which is what a day is read as. */
const dayOf = (date: Value) => String(date).replace(/T00:00:00(?:\.000)?Z$/u, '');

/** The words of each filter that questions can say. */
export function filterWords(filters: QuestionFilters): string[] {
  const named = (kind: CatalogueKind) =>
    led(
      prepositionOf[kind],
      valuesOf(filters, kind).map((value) => nameWords(kind, value)),
    );
  const quoted = (noun: string) =>
    led(
      'from',
      valuesOf(filters, noun).map((value) => `${noun} ${quote(String(value))}`),
    );
  const limits = Object.entries(filters).flatMap(([filter, value]) =>
    /^(?:min|max)_(?!load_level$)/u.test(filter) && !Array.isArray(value) ? limitWords(filter, value) : [],
  );
  return [
    ...catalogueKinds.flatMap((kind) => (kind === 'gpu' ? gpuWords(filters) : named(kind))),
    ...loadWords(filters),
    ...limits,
    ...(['min_quality', 'quality_within'] as const).flatMap((filter) =>
      valuesOf(filters, filter).map((value) => qualityWords(filter, String(value))),
    ),
    ...led(
      'with',
      valuesOf(filters, 'trust').map((level) => `${String(level).replaceAll('_', ' ')} runs`),
    ),
    ...quoted('account'),
    ...quoted('tool'),
    ...valuesOf(filters, 'since').map((date) => `since ${dayOf(date)}`),
    ...valuesOf(filters, 'until').map((date) => `until ${dayOf(date)}`),
  ];
}

/**
 * The canonical words for a question: `parseQuestion` reads them as the same question, its interpretation aside, as long
 * as they keep within what it reads (500 characters, limits of 0 and above).
 */
export function toWords(question: Omit<Question, 'interpretation'>): string {
  const { subject, rankBy, saysRank, order, filters, limit, price } = question;
  const head = limit === null ? `best ${subject}` : `top ${limit} ${subject}s`;
  const rank = saysRank ? [`with the ${order === 'asc' ? 'lowest' : 'highest'} ${metricWords(rankBy)}`] : [];
  const paid = price === null ? [] : [`at $${price} per gpu hour`];
  return [head, ...rank, ...paid, ...filterWords(filters)].join(' ');
}
