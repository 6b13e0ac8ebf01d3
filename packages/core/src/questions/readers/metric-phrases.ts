import { findMetric, type Metric, metricFamilies, metrics } from '../../metrics/index.ts';
import type { MetricFamily } from '../../metrics/metric.ts';
import { type EnergyUnit, energyPhrases, isEnergyUse } from '../energy.ts';
import type { RankName } from '../question.ts';
import { spellingsOf, type Unit } from '../words/numbers.ts';
import { phraseTable } from '../words/phrases.ts';
import type { Words } from '../words/tokens.ts';

type Base = (typeof metricFamilies)[number]['base'];

/** Tokens per second and watt equal tokens per joule, and all powers of ten rank alike. */
const perWatt = [
  'tok/s per watt',
  'tokens per watt',
  'performance per watt',
  'perf per watt',
  'speed per watt',
  'throughput per watt',
  ...['tok/s per w', 'tok/s/w', 'tok/s/watt', 'tokens/watt', 'tok/s per kw', 'tok/s/kw', 'throughput per kw'],
  ...['tok/s per mw', 'tok/s/mw', 'throughput per mw', 'throughput/mw'],
];

/**
 * Names for a metric in addition to the registry's names and title. The first phrase of a list is canonical. "tok/s",
 * "req/s" and "tok/j" include all their spellings.
 */
const synonyms: Partial<Record<Base, readonly string[]>> = {
  ttft_ms: ['ttft', 'time to first token', 'time to the first token', 'first token latency', 'first token time'],
  itl_ms: ['itl', 'inter token latency', 'intertoken latency', 'time between tokens', 'tbt'],
  tpot_ms: ['tpot', 'time per output token', 'time per token', 'ms/tok'],
  e2e_ms: ['e2e latency', 'e2e', 'end to end latency', 'end to end', 'request latency', 'end to end time'],
  req_s: ['request throughput', 'request rate', 'req/s'],
  output_tok_s: [
    ...[
      'output throughput',
      'throughput',
      'token throughput',
      'thruput',
      'output tok/s',
      'output token throughput',
      'tput',
    ],
    ...['generation throughput', 'token generation throughput'],
  ],
  input_tok_s: ['input throughput', 'input tok/s', 'prompt throughput', 'input token throughput'],
  total_tok_s: ['total throughput', 'total tok/s', 'total token throughput', 'overall throughput'],
  user_tok_s: [
    ...['per user speed', 'tok/s per user', 'tok/s/user', 'tok/s per request', 'user speed', 'speed per user', 'speed'],
    ...['throughput per user', 'per user throughput', 'interactivity', 'output speed'],
  ],
  requests_ok: ['requests answered', 'answered requests', 'completed requests', 'successful requests'],
  requests_failed: ['requests failed', 'failed requests'],
  prefill_tok_s: [
    ...['prefill speed', 'prefill throughput', 'prefill tok/s', 'prefill', 'prompt processing speed'],
    ...['prompt processing', 'prompt eval speed', 'prompt processing tok/s'],
  ],
  decode_tok_s: ['decode speed', 'decode', 'decoding speed', 'decode throughput', 'decode tok/s'],
  power_w: ['power drawn', 'power draw', 'power', 'power consumption', 'power usage', 'watts', 'wattage'],
  output_tok_s_per_gpu: [
    ...['output throughput per gpu', 'throughput per gpu', 'tok/s per gpu', 'tok/s/gpu', 'per gpu throughput'],
    ...['output tok/s per gpu', 'output tok/s/gpu', 'tput per gpu', 'tput/gpu', 'throughput/gpu', 'tok/s per chip'],
  ],
  tok_per_joule: [
    'tokens per joule',
    'tok/j',
    'energy efficiency',
    'power efficiency',
    'tokens per watt second',
    ...perWatt,
  ],
  mbu: ['mbu', 'memory bandwidth utilisation', 'memory bandwidth utilization'],
  mfu: ['mfu', 'compute utilisation', 'compute utilization'],
  batch_size: ['training batch size'],
};

/** Titles with another meaning in questions: a batch size is a load, and requests are counted. */
const titlesElsewhere: ReadonlySet<string> = new Set(['requests', 'batch size']);

/** Times per token, which may be stated in ms per token. */
const perToken: ReadonlySet<string> = new Set<Base>(['tpot_ms', 'itl_ms']);

/** Shares, which may be stated in percent. */
const ratios: ReadonlySet<string> = new Set<Base>(['scaling_efficiency', 'mbu', 'mfu']);

const families: readonly MetricFamily[] = metricFamilies;

const isBase = (base: string): base is Base => families.some((family) => family.base === base);
const synonymsOf = ({ base }: MetricFamily) => (isBase(base) ? (synonyms[base] ?? []) : []);

function everySpelling(phrase: string): string[] {
  const symbol = ['tok/s', 'req/s', 'tok/j', 'ms/tok'].find((unit) => phrase.includes(unit));
  if (symbol === undefined) return [phrase];
  return spellingsOf(symbol).map((spelling) => phrase.replace(symbol, spelling));
}

function phrasesOf(family: MetricFamily): string[] {
  const title = family.title.toLowerCase();
  const own = [...synonymsOf(family), ...(titlesElsewhere.has(title) ? [] : [title]), family.base];
  return [...new Set(own.flatMap(everySpelling))];
}

const bases = phraseTable(families.flatMap((family) => phrasesOf(family).map((phrase) => [phrase, family] as const)));

/** Registry names with a statistic: "ttft_ms_p99". */
const fullNames = phraseTable(metrics.map((metric) => [metric.name, metric] as const));

/** Words for statistics; the first of each is canonical. */
const statisticWords: Readonly<Record<string, readonly string[]>> = {
  mean: ['mean', 'average', 'avg'],
  p50: ['p50', 'median', '50th percentile'],
  p90: ['p90', '90th percentile'],
  p95: ['p95', '95th percentile'],
  p99: ['p99', '99th percentile'],
  min: ['min', 'minimum'],
  max: ['max', 'maximum'],
  sd: ['sd', 'stddev', 'std', 'standard deviation'],
};

const statistics = phraseTable(
  Object.entries(statisticWords).flatMap(([statistic, words]) => words.map((word) => [word, statistic] as const)),
);

/** Phrases for the inverse of cost, where more is better. */
const dollarValue = [
  ...[
    'tokens per dollar',
    'tok per dollar',
    'tokens/dollar',
    'tokens/$',
    'tok/$',
    'tokens $',
    'tok $',
    'throughput per dollar',
  ],
  ...spellingsOf('tok/s').flatMap((unit) => [
    `${unit} per dollar`,
    `${unit} per $`,
    `${unit}/dollar`,
    `${unit} $`,
    `${unit}/$`,
  ]),
  'tokens per $',
  ...['performance per dollar', 'perf per dollar', 'speed per dollar', 'price performance', 'price to performance'],
  ...[
    'per dollar',
    'per buck',
    'price/performance',
    'bang for the buck',
    'bang for buck',
    'value for money',
    'cost efficiency',
  ],
];

const cost = phraseTable(
  [
    'cost',
    'price',
    'cost per token',
    'cost per million tokens',
    'cost per million output tokens',
    'price per token',
    ...dollarValue,
    ...['cost per 1m tokens', 'cost per 1m output tokens', 'cost per mtok', '$/mtok', 'price per million tokens'],
    ...['dollars per million tokens', 'usd per million tokens', '$ per million tokens', '$ m tokens', '$ 1m tokens'],
    ...['$ mtok output', '$ m tok output', '$ m tokens output', '$ m output tokens', '$ per m tokens', 'usd/mtok'],
    ...['cost per m output tokens', 'cost of 1m tokens', 'cost for 1m tokens', '1m tokens cost', 'price of 1m tokens'],
    ...['cost of a million tokens', 'cost of 1 million tokens', '1 million tokens cost', 'usd per mtok'],
    ...['$ per m output tokens', 'price per million output tokens', 'price per 1m output tokens'],
    ...['$ per million output tokens', '$ per 1m output tokens'],
    ...['1 million tokens', '1m tokens', 'a million tokens', 'one million tokens'].flatMap((tokens) =>
      ['generate', 'produce'].map((verb) => `cost to ${verb} ${tokens}`),
    ),
    ...['$ mtok', '$ per mtok', '$ per 1m tokens', 'cost per m tokens', 'price per mtok', 'price per 1m tokens'],
  ].map((phrase) => [phrase, 'usd_per_mtok_output' as const] as const),
);

/** Phrases for tokens per joule in other units, and for the inverse, where less is better. */
const energyUse = phraseTable(
  (Object.keys(energyPhrases) as EnergyUnit[]).flatMap((unit) =>
    energyPhrases[unit].map((phrase) => [phrase, unit] as const),
  ),
);

export const metricPhrases = [...bases.phrases, ...statistics.phrases, ...cost.phrases, ...energyUse.phrases];

/** The meaning of a metric phrase: a metric's value with its statistic; null for cost and for the inverse of a metric. */
export interface NamedMetric {
  name: RankName;
  metric: Metric | null;
  length: number;
  /** True if the words are the inverse of the value: tokens per dollar, joules per token. */
  isInverse?: boolean;
  /** The unit of energy that the words name. */
  energyUnit?: EnergyUnit;
}

const joins = /^(?:of|the|on)$/u;

function skip(words: Words, at: number): number {
  let next = at;
  while (next < at + 2 && joins.test(words.tokens[next]?.text ?? '')) next++;
  return next;
}

const inverse = phraseTable(dollarValue.map((phrase) => [phrase, true] as const));
const isInverse = (words: Words, at: number, length: number) => inverse.find(words, at)?.length === length;

/** "p99 ttft", "median of the ttft", "tpot p90", "ttft_ms_p99", "throughput". A bare latency means its mean. */
export function readMetric(words: Words, at: number): NamedMetric | null {
  const full = fullNames.find(words, at);
  const paid = cost.find(words, at);
  const used = energyUse.find(words, at);
  const readings = [
    full === null ? null : { name: full.value.name, metric: full.value, length: full.length },
    readPhrase(words, at),
    paid === null
      ? null
      : { name: paid.value, metric: null, length: paid.length, isInverse: isInverse(words, at, paid.length) },
    used === null
      ? null
      : {
          name: 'tok_per_joule' as const,
          metric: null,
          length: used.length,
          isInverse: isEnergyUse(used.value),
          energyUnit: used.value,
        },
  ].filter((found) => found !== null);
  return readings.sort((a, b) => b.length - a.length)[0] ?? null;
}

/** "p99", "99th percentile": a percentile apart from its metric, as in "ttft under 2 s at p99". */
export function readPercentile(words: Words, at: number): { statistic: string; length: number } | null {
  const found = statistics.find(words, at);
  return found !== null && /^p?\d/u.test(words.tokens[at]?.text ?? '')
    ? { statistic: found.value, length: found.length }
    : null;
}

/** The same metric with a statistic; null unless the words named none and the metric has it. */
export function withStatistic({ name, metric, length }: NamedMetric, statistic: string): NamedMetric | null {
  const base = metric?.family.base ?? '';
  return name === findMetric(base)?.name ? metricNamed(`${base}_${statistic}`, length) : null;
}

function readPhrase(words: Words, at: number): NamedMetric | null {
  const before = statistics.find(words, at);
  const start = before === null ? at : skip(words, at + before.length);
  const base = bases.find(words, start);
  if (base === null) return null;
  // Only distributions have statistics. A rate is the mean of its run. "median throughput" is rejected later; "max throughput" ranks.
  if (base.value.statistics === null) {
    const isWhole = before === null || before.value === 'mean';
    return isWhole ? metricNamed(base.value.base, start - at + base.length) : null;
  }
  const end = start + base.length;
  // "itl at p99".
  const isLed = words.tokens[end]?.text === 'at' && /^p\d/u.test(words.tokens[end + 1]?.text ?? '');
  const place = isLed ? end + 1 : end;
  const behind = before === null ? statistics.find(words, place) : null;
  const statistic = before?.value ?? behind?.value ?? null;
  const length = (behind === null ? end : place + behind.length) - at;
  return metricNamed(statistic === null ? base.value.base : `${base.value.base}_${statistic}`, length);
}

/** A metric that a number of words names; null if there is none of that name. */
export function metricNamed(name: string, length: number): NamedMetric | null {
  const metric = findMetric(name);
  return metric === null ? null : { name: metric.name, metric, length };
}

/** Number of words of the metric that starts here; 0 if none does. */
export const metricLength = (words: Words, at: number): number => bases.find(words, at)?.length ?? 0;

/** The canonical words for a metric's value. `readMetric` parses them to the same value. */
export function metricWords(name: RankName, energyUnit: EnergyUnit | null = null): string {
  if (energyUnit !== null) return energyPhrases[energyUnit][0] ?? '';
  const metric = findMetric(name);
  if (metric === null) return 'cost';
  const [first] = synonymsOf(metric.family);
  const base = first ?? metric.family.title.toLowerCase();
  return metric.statistic === null ? base : `${metric.statistic} ${base}`;
}

/** The metric that only this unit measures; null if several metrics use the unit. */
export function metricOfUnit(unit: Unit): Metric | null {
  const only: Partial<Record<Unit['of'], Base>> = {
    'req/s': 'req_s',
    'ms/tok': 'tpot_ms',
    'tok/J': 'tok_per_joule',
    W: 'power_w',
  };
  const base = only[unit.of];
  return base === undefined ? null : findMetric(base);
}

/** Powers of ten from a stated unit to the registry's unit. Absent if they are equal. */
const powersOf: Readonly<Record<string, { of: Unit['of']; power: number }>> = { s: { of: 'ms', power: -3 } };

/**
 * Returns the power of ten from a unit to the metric's unit; null if the metric does not use the unit. Without a unit, the
 * number is in the metric's unit, except for times, which may be in ms or s.
 */
export function powerTo(metric: Metric, unit: Unit | null): number | null {
  const own = powersOf[metric.family.unit] ?? { of: metric.family.unit, power: 0 };
  if (unit === null) return own.of === 'ms' ? null : 0;
  if (unit.of === 'ms/tok') return perToken.has(metric.family.base) ? unit.power : null;
  if (unit.of === '%') return ratios.has(metric.family.base) ? unit.power : null;
  return unit.of === own.of ? unit.power + own.power : null;
}

export const isRatio = (metric: Metric): boolean => ratios.has(metric.family.base);
