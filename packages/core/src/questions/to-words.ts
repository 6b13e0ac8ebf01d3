import { findMetric } from '../metrics/index.ts';
import { isEnergyUse } from './energy.ts';
import type { Question, QuestionFilters } from './question.ts';
import { type CatalogueKind, catalogueKinds } from './readers/catalogue-words.ts';
import { toChunks } from './readers/chunks.ts';
import { anyLoad, type Fact, oneUserModes } from './readers/loads.ts';
import { isRatio, metricWords } from './readers/metric-phrases.ts';
import { qualityWords } from './readers/quality.ts';
import { isUnit, scaled } from './words/numbers.ts';
import { quote, toWordList } from './words/tokens.ts';

type Value = string | number;

function valuesOf(filters: QuestionFilters, filter: string): Value[] {
  const given = filters[filter];
  if (given === undefined) return [];
  return Array.isArray(given) ? given : [given];
}

/** True if words parse to exactly these facts. */
function saysOnly(phrase: string, facts: Fact[]): boolean {
  const [chunk, ...others] = toChunks(toWordList(phrase, isUnit));
  return chunk?.kind === 'facts' && others.length === 0 && JSON.stringify(chunk.facts) === JSON.stringify(facts);
}

/** Returns an id if it parses to itself, else the name in quotation marks after its noun. */
function nameWords(kind: CatalogueKind, value: Value): string {
  const text = String(value);
  return saysOnly(text, [{ filter: kind, values: [text] }]) ? text : `${kind} ${quote(text)}`;
}

const either = (phrases: readonly string[]) => phrases.join(' or ');

/** `preposition phrase or phrase`; empty without phrases. */
const led = (preposition: string, phrases: readonly string[]) =>
  phrases.length === 0 ? [] : [`${preposition} ${either(phrases)}`];

const prepositionOf: Record<CatalogueKind, string> = {
  model: 'for',
  gpu: 'on',
  quantization: 'in',
  engine: 'with',
  scenario: 'for',
};

/** "on 2x h200" if one count applies to one GPU. */
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
  // A batch of one is also a single user.
  batch: (level) => (level === 1 ? `load mode batch at load level 1` : `batch size ${level}`),
};

const regimePhrases: Readonly<Record<string, string>> = {
  steady: 'steady load',
  offline: 'offline load',
  burst: 'bursts of requests',
  unspecified: 'regime unspecified',
};

function loadWords(filters: QuestionFilters): string[] {
  const modes = valuesOf(filters, 'load_mode');
  const levels = valuesOf(filters, 'load_level');
  const isOneUser = modes.join() === oneUserModes.join() && levels.join() === '1';
  const write = modes.length === 1 ? levelWords[String(modes[0])] : undefined;
  const exact = isOneUser
    ? ['for a single user']
    : write !== undefined && levels.length > 0
      ? led('at', levels.map(write))
      : [
          ...led(
            'at',
            modes.map((mode) => anyLoad[String(mode) as keyof typeof anyLoad]),
          ),
          ...led(
            'at',
            levels.map((level) => `load level ${level}`),
          ),
        ];
  return [
    ...led(
      'at',
      valuesOf(filters, 'regime').map((regime) => regimePhrases[String(regime)] ?? ''),
    ),
    ...exact,
    ...valuesOf(filters, 'min_load_level').map((level) => `at load level at least ${level}`),
    ...valuesOf(filters, 'max_load_level').map((level) => `at load level at most ${level}`),
  ];
}

/** "with p99 ttft at most 500 ms". A share above 1 is in percent, because 60 is ambiguous. */
function limitWords(filter: string, value: Value): string[] {
  const metric = findMetric(filter.slice(4));
  if (metric === null || typeof value !== 'number') return [];
  const isPercent = isRatio(metric) && value > 1;
  const number = isPercent ? `${scaled(String(value), 2)} %` : `${value} ${metric.family.unit}`;
  return [`with ${metricWords(metric.name)} ${filter.startsWith('min_') ? 'at least' : 'at most'} ${number.trim()}`];
}

/** "with vllm 0.10.x" if one version applies to one engine. */
function engineWords(filters: QuestionFilters, named: string[]): string[] {
  const engines = valuesOf(filters, 'engine');
  const versions = valuesOf(filters, 'engine_version');
  const both = `${engines[0]} ${versions[0]}`;
  const facts = [
    { filter: 'engine', values: engines },
    { filter: 'engine_version', values: versions },
  ];
  if (engines.length === 1 && versions.length === 1 && saysOnly(both, facts)) return [`with ${both}`];
  return [
    ...named,
    ...led(
      'with',
      versions.map((value) => `engine version ${quote(String(value))}`),
    ),
  ];
}

/** Power limits, counts, context and exclusions. */
function rangeWords(filters: QuestionFilters): string[] {
  const one = (filter: string, write: (value: Value) => string) => valuesOf(filters, filter).map(write);
  return [
    ...catalogueKinds
      .filter((kind) => kind !== 'scenario')
      .flatMap((kind) =>
        led(
          'except',
          valuesOf(filters, `not_${kind}`).map((value) => nameWords(kind, value)),
        ),
      ),
    ...one('min_gpu_count', (count) => `on at least ${count} gpus`),
    ...one('max_gpu_count', (count) => `on at most ${count} gpus`),
    ...led(
      'at',
      valuesOf(filters, 'gpu_power_limit_w').map((watts) => `power limit ${watts} W`),
    ),
    ...one('min_gpu_power_limit_w', (watts) => `at power limit at least ${watts} W`),
    ...one('max_gpu_power_limit_w', (watts) => `at power limit at most ${watts} W`),
    ...one('max_gpu_usd_per_hour', (usd) => `at most $${usd} an hour`),
    ...one('min_context', (tokens) => `with context ${tokens}`),
  ];
}

/** Writes the first instant of a day in UTC as the day, which parses to the same instant. */
const dayOf = (date: Value) => String(date).replace(/T00:00:00(?:\.000)?Z$/u, '');

/** Words for many names, which together would be too long for a question: "moe", "70b". */
function groupsOf(kind: CatalogueKind, [first]: readonly Value[]): string[] {
  if (kind === 'scenario') return ['mlperf', 'mlperf interactive'];
  return kind === 'model'
    ? [
        'moe',
        'dense',
        ...String(first)
          .split('-')
          .filter((part) => /^\d+(?:\.\d+)?b$/u.test(part)),
      ]
    : [];
}

/** The words of each filter that a question can express. */
export function filterWords(filters: QuestionFilters): string[] {
  const named = (kind: CatalogueKind) => {
    const values = valuesOf(filters, kind);
    const group =
      values.length < 2 ? undefined : groupsOf(kind, values).find((word) => saysOnly(word, [{ filter: kind, values }]));
    return led(prepositionOf[kind], group === undefined ? values.map((value) => nameWords(kind, value)) : [group]);
  };
  const quoted = (noun: string) =>
    led(
      'from',
      valuesOf(filters, noun).map((value) => `${noun} ${quote(String(value))}`),
    );
  const limits = Object.entries(filters).flatMap(([filter, value]) =>
    /^(?:min|max)_/u.test(filter) && !Array.isArray(value) ? limitWords(filter, value) : [],
  );
  return [
    ...catalogueKinds.flatMap((kind) => {
      if (kind === 'gpu') return gpuWords(filters);
      return kind === 'engine' ? engineWords(filters, named(kind)) : named(kind);
    }),
    ...rangeWords(filters),
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

/** "h100" instead of "on h100" for a side that is one name. */
function sideWords(side: QuestionFilters): string {
  const words = filterWords(side).join(' ');
  return Object.keys(side).length === 1 && !/["]| or /u.test(words)
    ? words.replace(/^(?:on|with) (?!gpu |engine )/u, '')
    : words;
}

/** The first words of each kind of question. */
function headWords({ kind, subject, limit, compared, fit, filters }: Asked): string[] {
  if (kind === 'lookup') return ['how fast'];
  const best = limit === null ? `best ${subject}` : `top ${limit} ${subject}s`;
  const isPlain = subject === 'system' && limit === null;
  if (kind === 'capacity') return isPlain ? ['how many users'] : ['how many users', best];
  if (kind === 'compare') {
    const sides = compared.map(sideWords).join(' vs ');
    return isPlain ? [sides] : [best, sides];
  }
  if (kind === 'rank') return [best];
  const memory = fit === null || fit.memoryGb === null ? [] : [`in ${fit.memoryGb} GB`];
  const context = fit === null || fit.contextTokens === null ? [] : [`with context ${fit.contextTokens}`];
  // "what fits" with a limit ranks the models that meet it.
  const isLimited = memory.length === 0 && Object.keys(filters).some((name) => /^(?:min|max)_/u.test(name));
  const asks = isLimited ? 'how many gpus' : 'what fits';
  if (isPlain) return [asks, ...memory, ...context];
  return [isLimited ? `${asks}, ${best}` : `${best} that fits`, ...memory, ...context];
}

type Asked = Omit<Question, 'interpretation' | 'ignored'>;

/** "how many users" names the load mode. */
function withoutUsers({ load_mode: mode, ...filters }: QuestionFilters): QuestionFilters {
  return mode === undefined || [mode].flat().join() === 'concurrency' ? filters : { ...filters, load_mode: mode };
}

/**
 * Formats a question in canonical words. `parseQuestion` parses them to the same question, except for the interpretation,
 * within its limits (500 characters, limits of at least 0).
 */
export function toWords(question: Asked): string {
  const { kind, rankBy, saysRank, order, energyUnit, filters, price } = question;
  // The least energy per token is the most tokens per joule.
  const isLow = (order === 'asc') === !isEnergyUse(energyUnit);
  const name = `${isLow ? 'lowest' : 'highest'} ${metricWords(rankBy, energyUnit)}`;
  // A lookup names its metric without an order; the other kinds rank.
  const isLookup = kind === 'lookup' && saysRank;
  const rank = !saysRank ? [] : isLookup ? [] : [kind === 'compare' ? name : `with the ${name}`];
  const head = isLookup ? [metricWords(rankBy, energyUnit)] : headWords(question);
  const paid = price === null ? [] : [`at $${price} per gpu hour`];
  const rest = filterWords(kind === 'capacity' ? withoutUsers(filters) : filters);
  return [...head, ...rank, ...paid, ...rest].join(' ');
}
