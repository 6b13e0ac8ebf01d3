import { createRandom, deriveSeed, shuffled } from '../../pacing/random.ts';
import type { CountTokens } from '../calibrator.ts';
import { withFreshPrefix } from '../compose.ts';
import { DatasetError } from './dataset-error.ts';
import { type DatasetKind, datasetKinds } from './kinds.ts';
import type { Dataset, DatasetRecord } from './load-dataset.ts';

/** A recorded prompt ready to be sent. Its length in tokens is the one that the server reports. */
export interface DatasetRequest {
  prompt: string;
  /** Tokens of the answer to ask for: about as many as the recorded answer has. */
  outputTokens: number;
  /** Number of the record in its file. */
  record: number;
}

export interface DatasetRequestOptions {
  count: number;
  seed: number;
  /** See `TextIdentity`. */
  salt: string;
  /** Characters that make a token of this data set with the model that is asked; see `measureCharsPerToken`. */
  charsPerToken: number;
  /** Tokens of an answer at most, where a run has less to spend than the data set asks. */
  outputTokensMax?: number;
}

/** Shorter prompts and answers say nothing about decoding; the bound is that of vLLM's and SGLang's benchmarks. */
const tokensLeast = 4;
const sampledRecords = 32;
const sampledChars = 16_000;

/**
 * Characters per token of a data set, from one text of a sample of its prompts and answers: the server counts once,
 * where counting every answer would take as many requests as the measurement.
 */
export async function measureCharsPerToken(dataset: Dataset, countTokens: CountTokens, seed: number): Promise<number> {
  const sample = shuffled(dataset.records, createRandom(deriveSeed(seed, 'sample'))).slice(0, sampledRecords);
  const text = sample
    .map(({ prompt, answer }) => `${prompt}\n${answer ?? ''}`)
    .join('\n')
    .slice(0, sampledChars)
    .toWellFormed();
  const tokens = await countTokens(text);
  if (!(tokens > 0)) throw new RangeError(`the server counts ${tokens} tokens in a prompt`);
  return text.length / tokens;
}

interface Sized extends DatasetRecord {
  outputTokens: number;
}

function sizedRecords({ id, records }: Dataset, { charsPerToken, outputTokensMax }: DatasetRequestOptions): Sized[] {
  const kind: DatasetKind = datasetKinds[id];
  const tokensOf = (text: string) => Math.round(text.length / charsPerToken);
  return records.flatMap((record) => {
    const promptTokens = tokensOf(record.prompt);
    const outputTokens = record.answer === null ? kind.outputTokens : tokensOf(record.answer);
    const fits =
      promptTokens >= tokensLeast &&
      outputTokens >= tokensLeast &&
      promptTokens <= kind.promptTokensMax &&
      promptTokens + outputTokens <= kind.totalTokensMax;
    return fits ? [{ ...record, outputTokens: Math.min(outputTokens, outputTokensMax ?? outputTokens) }] : [];
  });
}

/**
 * The requests of a point: records in an order drawn by the seed, each once before any comes again, every one behind a
 * fresh beginning. Records too short or too long for the data set's bounds are left out. Throws DatasetError where that
 * leaves none.
 */
export function datasetRequests(dataset: Dataset, options: DatasetRequestOptions): DatasetRequest[] {
  const { count, seed, salt } = options;
  const sized = sizedRecords(dataset, options);
  if (sized.length === 0)
    throw new DatasetError('no_usable_records', `${dataset.name} has no record of a length that ${dataset.id} allows`);
  const requests: DatasetRequest[] = [];
  for (let round = 0; requests.length < count; round++) {
    for (const { prompt, outputTokens, record } of shuffled(sized, createRandom(deriveSeed(seed, 'records', round)))) {
      if (requests.length >= count) break;
      const identity = { seed, salt, index: requests.length };
      requests.push({ prompt: withFreshPrefix(prompt, identity), outputTokens, record });
    }
  }
  return requests;
}
