import { createRandom, deriveSeed } from '../../pacing/random.ts';
import type { Vocabulary } from '../../prompts/calibrator.ts';
import { DatasetError } from '../../prompts/datasets/dataset-error.ts';
import { composeTokens } from '../synthetic.ts';
import type { TrafficSource, Unit, Units } from '../unit.ts';
import { describeFaults } from './file-error.ts';
import { type Arrival, readArrival } from './read-arrival.ts';
import { fileSlug, readRecords } from './read-records.ts';

export interface TraceOptions {
  /** 2 replays an hour in half an hour. */
  speed: number;
  /** The first so many requests; null: all. */
  requests: number | null;
}

/** Tokens of a block of Mooncake's traces. */
const blockTokens = 512;
/** What warms up: nothing of the trace itself, whose prompts a prefix cache would then have. */
const warmUp = { inputTokens: 64, outputTokens: 16 };

const arrivalFix =
  'Give each record the three fields, such as {"timestamp": 1500, "input_length": 800, "output_length": 120}, or remove it.';

async function readArrivals(path: string) {
  const file = await readRecords(path);
  const arrivals: Arrival[] = [];
  const faults: string[] = [];
  for (const { value, line } of file.records) {
    const arrival = readArrival(value);
    if (typeof arrival === 'string') faults.push(`line ${line} ${arrival}`);
    else arrivals.push(arrival);
  }
  // A trace without some of its requests would be another load.
  if (faults.length > 0 || arrivals.length === 0)
    throw new DatasetError('no_usable_records', describeFaults(`${path} cannot be replayed`, faults, arrivalFix));
  return { file, arrivals: arrivals.sort((a, b) => a.atMs - b.atMs) };
}

/** A prompt of a length whose beginning is that of every prompt with the same first blocks. */
function composeBlocks(vocabulary: Vocabulary, tokens: number, blocks: Arrival['blocks'], seed: number, index: number) {
  const { words, tokensPerWord, overheadTokens } = vocabulary;
  const wordCount = Math.max(1, Math.round((tokens - overheadTokens) / tokensPerWord));
  const blockWords = Math.max(1, Math.round(blockTokens / tokensPerWord));
  let text = '0';
  for (let place = 0, count = 0; count < wordCount; place++) {
    const block = blocks[place];
    const random = createRandom(
      block === undefined ? deriveSeed(seed, 'rest', index, place) : deriveSeed(seed, 'block', block),
    );
    const here = Math.min(blockWords, wordCount - count);
    for (let word = 0; word < here; word++) text += ` ${words[random.below(words.length)] ?? ''}`;
    count += here;
  }
  return text;
}

const unitOf = (content: string, outputTokens: number, inputTokens?: number): Unit => ({
  turns: [
    {
      messages: [{ role: 'user', content }],
      ...(inputTokens !== undefined && { inputTokens }),
      ...{ outputTokens, thinkMs: 0 },
    },
  ],
});

/** Servers refuse a request for no token. */
const askedTokens = (recorded: number) => Math.max(1, recorded);

function notesOf(name: string, arrivals: readonly Arrival[], speed: number): string[] {
  const without = arrivals.filter(({ outputTokens }) => outputTokens === 0).length;
  return [
    `arrivals of ${name}${speed === 1 ? '' : `, ${speed} times as fast`}: the rate is their mean`,
    ...(without > 0
      ? [`${without} of ${arrivals.length} requests of ${name} had 0 output tokens: 1 token is requested`]
      : []),
  ];
}

function toUnits(arrivals: readonly Arrival[], vocabulary: Vocabulary | null, seed: number): Units {
  return (index) => {
    const arrival = arrivals[index];
    if (vocabulary !== null && (arrival === undefined || arrival.messages === null)) {
      if (arrival === undefined)
        return unitOf(
          composeTokens(vocabulary, warmUp.inputTokens, deriveSeed(seed, 'warm', index)),
          warmUp.outputTokens,
        );
      const { inputTokens, outputTokens, blocks } = arrival;
      const content = composeBlocks(vocabulary, inputTokens ?? 1, blocks, seed, index);
      return unitOf(content, askedTokens(outputTokens), inputTokens ?? undefined);
    }
    if (arrival?.messages == null) return unitOf(`Say something. ${index}`, warmUp.outputTokens);
    return { turns: [{ messages: arrival.messages, outputTokens: askedTokens(arrival.outputTokens), thinkMs: 0 }] };
  };
}

/**
 * The requests of a trace (Mooncake's, Azure's, BurstGPT's) or of a request log, due when they came then. Prompts of a
 * trace without texts are made up to their lengths; those with the same first blocks have the same beginning.
 *
 * @throws DatasetError on a file that cannot be read, with every record that lacks something
 */
export async function openTraceFile(path: string, { speed, requests }: TraceOptions): Promise<TrafficSource> {
  const { file, arrivals: all } = await readArrivals(path);
  const arrivals = all.slice(0, requests ?? all.length);
  const start = arrivals[0]?.atMs ?? 0;
  const isPart = arrivals.length < all.length;
  const needsWords = arrivals.some(({ messages }) => messages === null);
  return {
    name: `${fileSlug(file)}${isPart ? `-first-${arrivals.length}` : ''}`,
    files: [{ name: file.name, sha256: file.sha256, records: arrivals.length }],
    lengths: { inputTokens: null, outputTokens: null },
    sharesPrefixes: true,
    dueMs: Float64Array.from(arrivals, ({ atMs }) => (atMs - start) / speed),
    notes: () => notesOf(file.name, arrivals, speed),
    open: async ({ vocabulary }) => {
      const known = needsWords ? await vocabulary() : null;
      return (seed) => toUnits(arrivals, known, seed);
    },
  };
}
