import { type LoadMode, loadModesOrUnspecified } from '../../subjects/load.ts';
import type { Regime } from '../../workloads/regime.ts';
import { type Comparison, readComparison, readCount, readNumber, scaled, type Unit, units } from '../words/numbers.ts';
import { phraseTable } from '../words/phrases.ts';
import type { Words } from '../words/tokens.ts';

/** A filter and its alternative values. */
export interface Fact {
  filter: string;
  values: (string | number)[];
}

/** The meaning of a run of words, as filters. */
export interface Reading {
  facts: Fact[];
  length: number;
}

/** Words before a level: "concurrency 32". A load without a mode has only a level. */
const names = phraseTable<LoadMode | 'any'>([
  ...['concurrency', 'concurrency level', 'conc', 'max concurrency', 'concurrent users', 'num users'].map(
    (phrase) => [phrase, 'concurrency'] as const,
  ),
  ...['queue depth', 'queue', 'burst', 'burst size', 'depth'].map((phrase) => [phrase, 'burst'] as const),
  ...['arrival rate', 'rate'].map((phrase) => [phrase, 'rate'] as const),
  ...['batch', 'batch size', 'bs'].map((phrase) => [phrase, 'batch'] as const),
  ['load level', 'any'],
]);

/** Words after a level: "64 concurrent users". */
const counted = phraseTable<LoadMode>([
  ...['users', 'requests', 'clients', 'sessions', 'streams', 'connections'].flatMap((what) =>
    ['concurrent', 'simultaneous', 'parallel'].map((how) => [`${how} ${what}`, 'concurrency'] as const),
  ),
  ...[
    'concurrent',
    'concurrency',
    'users',
    'people',
    'ppl',
    'concurrent people',
    'conc',
    'clients',
    'requests in flight',
    'in flight',
    'concurrent user',
    'concurrent request',
  ].map((phrase) => [phrase, 'concurrency'] as const),
  ...['at once', 'requests at once', 'queued requests'].map((phrase) => [phrase, 'burst'] as const),
]);

/** "One request" is a load. "Eight requests" is ambiguous: eight at once or eight in flight. */
const alone = phraseTable<LoadMode>(
  ['user', 'request', 'stream', 'client', 'sequence'].map((phrase) => [phrase, 'concurrency'] as const),
);

/** Words for a load mode at any level; canonical. */
export const anyLoad = {
  concurrency: 'any number of users',
  burst: 'any burst size',
  rate: 'any arrival rate',
  batch: 'any batch size',
  unspecified: 'unspecified load',
} as const satisfies Record<LoadMode | 'unspecified', string>;

const modes = phraseTable<string>([
  ...loadModesOrUnspecified.map((mode) => [`load mode ${mode}`, mode] as const),
  ...(Object.entries(anyLoad) as [string, string][]).map(([mode, phrase]) => [phrase, mode] as const),
  ['closed loop', 'concurrency'],
  ['open loop', 'rate'],
  ['burst load', 'burst'],
  ['static batch', 'batch'],
  ['offline batch', 'batch'],
]);

/** Words for arrival patterns at any load. */
const regimeWords = phraseTable<Regime>([
  ...(['offline', 'steady'] as const).flatMap((regime) =>
    [regime, `${regime} load`, `regime ${regime}`].map((phrase) => [phrase, regime] as const),
  ),
  ...[
    ...['batch inference', 'offline inference', 'batch processing', 'offline batch processing', 'batch jobs'],
    ...['offline batch inference', 'offline batch jobs', 'offline processing', 'bulk inference', 'bulk processing'],
  ].map((phrase) => [phrase, 'offline'] as const),
  ['regime burst', 'burst'],
  ['bursts of requests', 'burst'],
  ['regime unspecified', 'unspecified'],
]);

export const loadPhrases = [
  ...names.phrases,
  ...counted.phrases,
  ...modes.phrases,
  ...regimeWords.phrases,
  'single user',
];

const joins: ReadonlySet<string> = new Set(['of', '=', 'is', 'level', '@']);

const isOf = (unit: Unit | null, mode: LoadMode | 'any') => unit === null || (mode === 'rate' && unit.of === 'req/s');

/** Parses a load's level. A rate may include "requests per second". */
function readLevel(words: Words, at: number, mode: LoadMode | 'any'): { level: number; end: number } | null {
  const number = readNumber(words.tokens[at]?.text ?? '');
  if (number === null) return null;
  const unit = units.find(words, at + 1);
  const isRate = mode === 'rate' && unit?.value.of === 'req/s';
  return { level: scaled(number, 0), end: at + 1 + (isRate ? (unit?.length ?? 0) : 0) };
}

const modeFact = (mode: LoadMode | 'any'): Fact[] => (mode === 'any' ? [] : [{ filter: 'load_mode', values: [mode] }]);

const exactly = (mode: LoadMode | 'any', level: number, length: number): Reading => ({
  facts: [...modeFact(mode), { filter: 'load_level', values: [level] }],
  length,
});

/** The load modes of a single user: tools call one request in flight a concurrency or a batch of one. */
export const oneUserModes = ['concurrency', 'batch'] as const satisfies LoadMode[];

/** "single user", "batch size 1": one request in flight. "concurrency 1" is only that. */
const oneUser = (length: number): Reading => ({
  facts: [
    { filter: 'load_mode', values: [...oneUserModes] },
    { filter: 'load_level', values: [1] },
  ],
  length,
});

const isOneUser = (mode: LoadMode, level: number) => mode === 'concurrency' && level === 1;

/** "more than 8 users" means at least 9. Only rates have values between 8 and 9. */
function levelOf(mode: LoadMode | 'any', side: 'min' | 'max', level: number, isStrict: boolean): number {
  if (!isStrict || mode === 'rate' || mode === 'any' || !Number.isInteger(level) || level < 0) return level;
  return side === 'min' ? level + 1 : Math.max(level - 1, 0);
}

function within(mode: LoadMode | 'any', { limits }: Comparison, length: number): Reading {
  const facts = limits.map(({ side, quantity, isStrict }) => ({
    filter: `${side}_load_level`,
    values: [levelOf(mode, side, scaled(quantity.number, 0), isStrict)],
  }));
  return { facts: [...modeFact(mode), ...facts], length };
}

const nothingLonger = () => 0;

/** "bs1", "conc64": a name and its level as one word. */
function readGlued(words: Words, at: number): Reading | null {
  const [, word = '', digits] = /^(bs|batch|conc|concurrency)(\d{1,6})$/u.exec(words.tokens[at]?.text ?? '') ?? [];
  const mode = names.get(word);
  if (mode === undefined || digits === undefined) return null;
  return mode === 'batch' && digits === '1' ? oneUser(1) : exactly(mode, Number(digits), 1);
}

/** "concurrency 32", "queue depth of 128", "batch size up to 64". */
function readNamed(words: Words, at: number): Reading | null {
  const name = names.find(words, at);
  if (name === null) return null;
  const behind = at + name.length;
  const start = behind + (joins.has(words.tokens[behind]?.text ?? '') ? 1 : 0);
  const limits = readComparison(words, start, nothingLonger);
  if (limits?.limits.every(({ quantity }) => isOf(quantity.unit, name.value)))
    return within(name.value, limits, start + limits.length - at);
  const level = readLevel(words, start, name.value);
  if (level === null) return null;
  const length = level.end - at;
  return name.value === 'batch' && level.level === 1 ? oneUser(length) : exactly(name.value, level.level, length);
}

/** "64 concurrent users", "at most 8 users", "single user". */
function readCounted(words: Words, at: number): Reading | null {
  const limits = readComparison(words, at, nothingLonger);
  if (limits?.limits.every(({ quantity }) => quantity.unit === null)) {
    const what = counted.find(words, at + limits.length);
    if (what !== null) return within(what.value, limits, limits.length + what.length);
  }
  const text = words.tokens[at]?.text;
  if (text === 'single-user' || text === 'single-stream') return oneUser(1);
  const level = readCount(text) ?? (text === undefined ? null : (readLevel(words, at, 'any')?.level ?? null));
  if (level === null) return null;
  // "a 5090 at once" names a card.
  if (text !== undefined && /^[3-9]0[5-9]0$/u.test(text) && words.tokens[at + 1]?.text === 'at') return null;
  const what = counted.find(words, at + 1) ?? (level === 1 ? alone.find(words, at + 1) : null);
  if (what === null) return null;
  return isOneUser(what.value, level) ? oneUser(1 + what.length) : exactly(what.value, level, 1 + what.length);
}

/** "at 100 req/s", "for 50 qps" and "100 req/s" are requested rates; a measured rate is a bound. */
function readArrivals(words: Words, at: number): Reading | null {
  const start = /^(?:at|@|for)$/u.test(words.tokens[at]?.text ?? '') ? at + 1 : at;
  const level = readLevel(words, start, 'rate');
  return level === null || level.end === start + 1 ? null : exactly('rate', level.level, level.end - at);
}

/** The load that the words request; null if none starts here. */
export function readLoad(words: Words, at: number): Reading | null {
  const mode = modes.find(words, at);
  const regime = regimeWords.find(words, at);
  const readings = [
    readNamed(words, at),
    readGlued(words, at),
    readCounted(words, at),
    readArrivals(words, at),
    mode === null ? null : { facts: [{ filter: 'load_mode', values: [mode.value] }], length: mode.length },
    regime === null ? null : { facts: [{ filter: 'regime', values: [regime.value] }], length: regime.length },
  ].filter((found) => found !== null);
  return readings.sort((a, b) => b.length - a.length)[0] ?? null;
}
