import { gpus, resolveEngine } from '../../catalogue/index.ts';
import { vendorOf } from '../../filters/filters.ts';
import { filterValuesMax } from '../../filters/parameters.ts';
import { nouns } from '../words/common-words.ts';
import { comparisonSide, readCount, readNumber, scaled } from '../words/numbers.ts';
import { phraseTable } from '../words/phrases.ts';
import type { Words } from '../words/tokens.ts';
import { readName } from './catalogue-phrases.ts';
import type { Fact, Reading } from './loads.ts';

const textAt = ({ tokens }: Words, at: number) => (tokens[at]?.quoted === null ? (tokens[at]?.text ?? '') : '');

const vendorPhrases = phraseTable<string>([
  ...['apple silicon', 'apple mac', 'mac', 'macs', 'macbook', 'macbooks', 'mac studio', 'mac mini', 'macbook pro'].map(
    (phrase) => [phrase, 'apple'] as const,
  ),
  ...['tpu', 'tpus', 'google tpu', 'google tpus'].map((phrase) => [phrase, 'google'] as const),
]);

/** "amd", "radeon", "nvidia", "mac": all GPUs of a vendor. */
export function readVendor(words: Words, at: number): Reading | null {
  const phrase = vendorPhrases.find(words, at);
  if (phrase !== null) return { facts: [{ filter: 'gpu', values: [phrase.value] }], length: phrase.length };
  const vendor = vendorOf(textAt(words, at).replace(/'s$/u, ''));
  return vendor === null ? null : { facts: [{ filter: 'gpu', values: [vendor] }], length: 1 };
}

/** Words for the CPUs of the catalogue, by the start of their ids. */
const processorPhrases = phraseTable<string>([
  ...['cpu', 'cpus', 'cpu only', 'cpus only', 'only cpu', 'only cpus', 'cpu alone', 'cpu inference'].map(
    (phrase) => [phrase, ''] as const,
  ),
  ...['no gpu', 'no gpus', 'without gpu', 'without gpus', 'without a gpu', 'without any gpu'].map(
    (phrase) => [phrase, ''] as const,
  ),
  ...['xeon', 'xeons', 'xeon cpu', 'xeon cpus'].map((phrase) => [phrase, 'xeon-'] as const),
]);

/** "cpu", "xeon", "without a gpu": systems without a GPU, whose device is a CPU. Null for a vendor without such a device. */
export function readProcessor(words: Words, at: number): Reading | null {
  const found = processorPhrases.find(words, at);
  if (found === null) return null;
  const vendor = vendorOf(textAt(words, at - 1));
  const values = gpus
    .filter(({ id, formFactor }) => formFactor === 'socket' && id.startsWith(found.value))
    .filter((gpu) => vendor === null || gpu.vendor === vendor)
    .map(({ id }) => id);
  return values.length === 0 ? null : { facts: [{ filter: 'gpu', values }], length: found.length };
}

const version = /^v?(?<version>\d+(?:\.(?:\d+|x))+(?:[.\w+-]*)|b\d{3,5})$/u;

/** "0.10" matches every 0.10 release; "0.10.1" matches that release. */
const toVersion = (text: string) => (/^\d+\.\d+$/u.test(text) ? `${text}.x` : text);

/** "vllm 0.10", "vllm==0.9.1", "sglang version 0.5": an engine and its version. */
export function readVersion(words: Words, at: number): Reading | null {
  const engine = readName('engine', words, at);
  if (engine === null) return readVersionAlone(words, at);
  let place = at + engine.length;
  while (/^(?:=|version|release|v)$/u.test(textAt(words, place))) place++;
  const found = version.exec(textAt(words, place))?.groups?.version;
  if (found === undefined) return readGlued(words, at);
  const facts: Fact[] = [
    { filter: 'engine', values: engine.ids },
    { filter: 'engine_version', values: [toVersion(found)] },
  ];
  return { facts, length: place + 1 - at };
}

/** "vllm-0.10", "sglang@0.5.1": engine and version in one word. */
function readGlued(words: Words, at: number): Reading | null {
  const { id, version: found } = resolveEngine(textAt(words, at));
  if (id === null || found === null || !version.test(found)) return null;
  const facts: Fact[] = [
    { filter: 'engine', values: [id] },
    { filter: 'engine_version', values: [toVersion(found)] },
  ];
  return { facts, length: 1 };
}

const betweenVersions = /^(?:vs\.?|versus|or|and|to|than|over|against|with|compared?|compares|faster|slower)$/u;

/** "vllm 0.9 vs 0.10", "vllm 0.9 compared to 0.10": another version of the preceding engine. */
function readNextVersion(words: Words, at: number): Reading | null {
  const found = version.exec(textAt(words, at))?.groups?.version;
  let before = at - 1;
  while (betweenVersions.test(textAt(words, before))) before--;
  const isJoined = before < at - 1 && version.test(textAt(words, before));
  const engine = found === undefined || !isJoined || before < 1 ? null : readName('engine', words, before - 1);
  if (found === undefined || engine === null || engine.length !== 1) return null;
  const facts: Fact[] = [
    { filter: 'engine', values: engine.ids },
    { filter: 'engine_version', values: [toVersion(found)] },
  ];
  return { facts, length: 1 };
}

/** `engine version 0.10.x`, `engine version "build 12"`. */
function readVersionAlone(words: Words, at: number): Reading | null {
  if (textAt(words, at) !== 'engine' || textAt(words, at + 1) !== 'version')
    return readNextVersion(words, at) ?? readGlued(words, at);
  const token = words.tokens[at + 2];
  const value = token?.quoted ?? version.exec(token?.text ?? '')?.groups?.version;
  return value === undefined ? null : { facts: [{ filter: 'engine_version', values: [value] }], length: 3 };
}

const watt = /^(?:w|watts?)$/u;
const limitWords = phraseTable<true>(
  ['power limit', 'power limited', 'power cap', 'power capped', 'limited', 'capped', 'power limits'].map(
    (phrase) => [phrase, true] as const,
  ),
);

/** Words of a limit after the watts: "300 W limit". */
const limitBehind = phraseTable<true>(
  [...limitWords.phrases, 'limit', 'cap', 'tdp'].map((phrase) => [phrase, true] as const),
);

/** "power limit 300 w", "power limited to 250w", "a 400 W power limit", "power limit below 350 w". */
export function readPowerLimit(words: Words, at: number): Reading | null {
  const number = readNumber(textAt(words, at));
  if (number !== null) {
    const behind = watt.test(textAt(words, at + 1)) ? limitBehind.find(words, at + 2) : null;
    return behind === null
      ? null
      : { facts: [{ filter: 'gpu_power_limit_w', values: [scaled(number, 0)] }], length: 2 + behind.length };
  }
  const found = limitWords.find(words, at);
  if (found === null) return null;
  let place = at + found.length;
  while (comparisonSide(words, place) === null && /^(?:of|to|at|is|=|set)$/u.test(textAt(words, place))) place++;
  const side = comparisonSide(words, place);
  const value = readNumber(textAt(words, place + (side?.length ?? 0)));
  const end = place + (side?.length ?? 0) + 1;
  if (value === null || !watt.test(textAt(words, end))) return null;
  const filter = side === null ? 'gpu_power_limit_w' : `${side.side}_gpu_power_limit_w`;
  const values = [scaled(value, 0)];
  return { facts: [{ filter, values }], length: end + 1 - at };
}

const ratedWords = phraseTable<true>(
  ['tdp', 'board power', 'rated power', 'tgp', 'tbp', 'thermal design power'].map((phrase) => [phrase, true] as const),
);

/** The GPUs whose rated board power is at most, at least or exactly so many watts. Null if a filter cannot hold them. */
export function gpusRated(side: 'min' | 'max' | 'equal', watts: number): string[] | null {
  const isWithin = {
    max: (w: number) => w <= watts,
    min: (w: number) => w >= watts,
    equal: (w: number) => w === watts,
  };
  const ids = gpus
    .filter(({ tdpW, formFactor }) => tdpW !== null && formFactor !== 'socket' && isWithin[side](tdpW))
    .map(({ id }) => id);
  return ids.length === 0 || ids.length > filterValuesMax ? null : ids.sort();
}

/** "tdp under 300 W", "under 300 W tdp": GPUs with at most this board power. */
export function readRatedPower(words: Words, at: number): Reading | null {
  const before = ratedWords.find(words, at);
  const behindName = at + (before?.length ?? 0);
  const start = before !== null && /^(?:of|is|=)$/u.test(textAt(words, behindName)) ? behindName + 1 : behindName;
  const side = comparisonSide(words, start);
  const place = start + (side?.length ?? 0);
  const watts = readNumber(textAt(words, place));
  if (watts === null || !watt.test(textAt(words, place + 1))) return null;
  const behind = before === null ? ratedWords.find(words, place + 2) : null;
  // "300 W tdp" is a configured limit.
  if (before === null && (behind === null || side === null)) return null;
  const values = gpusRated(side?.side ?? 'equal', scaled(watts, 0));
  return values === null
    ? null
    : { facts: [{ filter: 'gpu', values }], length: place + 2 + (behind?.length ?? 0) - at };
}

/** "more than 4 gpus", "at least 4 h100": minimum or maximum number of GPUs. */
export function readGpuBound(words: Words, at: number): Reading | null {
  const side = comparisonSide(words, at);
  const count = side === null ? null : readCount(textAt(words, at + side.length));
  if (side === null || count === null) return null;
  const place = at + side.length + 1;
  const start = /^[x×]$/u.test(textAt(words, place)) ? place + 1 : place;
  const noun = nouns.find(words, start);
  const gpu = noun?.value === 'gpu' ? null : readName('gpu', words, start);
  const named = noun?.value === 'gpu' ? noun.length : (gpu?.length ?? null);
  if (named === null || (gpu !== null && gpu.count !== null)) return null;
  const bound = !side.isStrict ? count : side.side === 'min' ? count + 1 : count - 1;
  const facts: Fact[] = [{ filter: `${side.side}_gpu_count`, values: [bound] }];
  if (gpu !== null) facts.unshift({ filter: 'gpu', values: gpu.ids });
  return { facts, length: start + named - at };
}

const memoryWord = /^(?:gb|gib|gigs?|g|gigabytes?)$/u;

/** "24 GB", "24gb of vram", "under 24 GB": available memory in GB. */
export function readMemory(words: Words, at: number): { gb: number; length: number } | null {
  const side = comparisonSide(words, at);
  // "memory at most 20 GB" limits the measured memory.
  if (side?.side === 'min' || (side !== null && /^(?:memory|memory_gb)$/u.test(textAt(words, at - 1)))) return null;
  const before = side?.length ?? 0;
  const memory = readMemorySize(words, at + before);
  return memory === null ? null : { gb: memory.gb, length: before + memory.length };
}

/** "at least 80 GB memory": GPUs with at least this memory. */
export function readMemoryLeast(words: Words, at: number): Reading | null {
  const side = comparisonSide(words, at);
  if (side?.side !== 'min' || /^(?:memory|memory_gb)$/u.test(textAt(words, at - 1))) return null;
  const memory = readMemorySize(words, at + side.length);
  if (memory === null) return null;
  const values = gpus.filter(({ memoryGb }) => memoryGb >= memory.gb).map(({ id }) => id);
  if (values.length === 0 || values.length > filterValuesMax) return null;
  return { facts: [{ filter: 'gpu', values }], length: side.length + memory.length };
}

function readMemorySize(words: Words, at: number): { gb: number; length: number } | null {
  const text = textAt(words, at);
  const glued = /^(\d+(?:\.\d+)?)-?g(?:b|ib|igs?)?$/u.exec(text)?.[1];
  const number = glued ?? readNumber(text);
  if (number === null || number === undefined) return null;
  let end = at + 1;
  if (glued === undefined) {
    if (!memoryWord.test(textAt(words, end))) return null;
    end++;
  }
  const gb = scaled(number, 0);
  if (textAt(words, end) === 'of') end++;
  while (/^(?:vram|memory|ram|gpu|unified|total|cards?)$/u.test(textAt(words, end))) end++;
  if (textAt(words, end - 1) === 'of') end--;
  return gb > 0 && gb <= 1e6 ? { gb, length: end - at } : null;
}
