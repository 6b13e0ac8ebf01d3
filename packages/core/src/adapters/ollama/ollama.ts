import { type Adapter, noRemarks } from '../adapter.ts';
import { toClaims, within } from '../reading/documents/json-records.ts';
import { countRepetitions } from '../reading/figures/repetitions.ts';
import { readEach } from '../reading/tables/read-each.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { findOllamaBlocks, isOfKtransformers, readOllamaBlock, readOllamaModel } from './block.ts';
import { findOllamaResponses, modelOf, readOllamaResponse } from './response.ts';
import { type OllamaRun, toOllamaResult } from './run.ts';

interface Found {
  from: number;
  to: number;
  model: OllamaRun['model'];
  engine?: OllamaRun['engine'];
  read: () => Omit<OllamaRun, 'model'>;
}

const ktransformers = { value: 'ktransformers', origin: 'context' } as const;

/** Printed blocks and API responses, in order of appearance. */
const findRuns = cachedPerArtifact((artifact): Found[] => {
  const blocks = findOllamaBlocks(artifact).map((block) => {
    const model = readOllamaModel(artifact, block.from);
    const found = { from: block.from, to: block.to, model, read: () => readOllamaBlock(block) };
    return isOfKtransformers(artifact, block) ? { ...found, engine: ktransformers } : found;
  });
  const responses = findOllamaResponses(artifact).map((record) => {
    const { from, to, value } = record;
    return { from, to, model: modelOf(value), read: () => readOllamaResponse(record) };
  });
  return [...blocks, ...responses].sort((a, b) => a.from - b.from);
});

/** Repetition number of a model, counted over the whole artifact. */
const repetitionsOf = cachedPerArtifact((artifact) =>
  countRepetitions(findRuns(artifact), ({ model }) => model?.value ?? ''),
);

/**
 * Ollama's figures of a request: the lines that `--verbose` prints below a response, or the API response, which has the same
 * figures in nanoseconds. The server measures the times, for each request separately.
 *
 * Printed by https://github.com/ollama/ollama/blob/main/api/types.go (`Metrics.Summary`).
 */
export const ollama: Adapter = {
  id: 'ollama',
  title: 'ollama --verbose',
  kind: 'serving',
  recognises:
    'lines such as "total duration: 3.2s" and "eval rate: 104.17 tokens/s", or JSON with eval_count and eval_duration',
  command: 'ollama run MODEL --verbose "..." 2>&1 | tee result.txt',
  detect: (artifact) => [
    ...findOllamaBlocks(artifact).map(({ from, to }) => ({ adapter: 'ollama', from, to })),
    ...toClaims('ollama', findOllamaResponses(artifact)),
  ],
  read: (artifact, claim) => {
    const repetitions = repetitionsOf(artifact);
    const read = readEach(within(findRuns(artifact), claim), claim.from, (found) => {
      const { model, engine } = found;
      const run = { ...found.read(), model, ...(engine && { engine }) };
      return { result: toOllamaResult(run, repetitions.get(found) ?? 1), ignored: run.ignored ?? [] };
    });
    return { tool: { name: 'ollama --verbose', version: null }, ...read, ...noRemarks };
  },
};
