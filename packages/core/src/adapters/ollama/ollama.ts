import { type Adapter, noRemarks } from '../adapter.ts';
import { toClaims, within } from '../reading/json-records.ts';
import { readEach } from '../reading/read-each.ts';
import { remembered } from '../reading/remembered.ts';
import { countRepetitions } from '../reading/repetitions.ts';
import { findOllamaBlocks, readOllamaBlock, readOllamaModel } from './block.ts';
import { findOllamaResponses, modelOf, readOllamaResponse } from './response.ts';
import { type OllamaRun, toOllamaResult } from './run.ts';

interface Found {
  from: number;
  to: number;
  model: OllamaRun['model'];
  read: () => Omit<OllamaRun, 'model'>;
}

/** Printed blocks and answers of the API, in order of appearance. */
const findRuns = remembered((artifact): Found[] => {
  const blocks = findOllamaBlocks(artifact).map((block) => {
    const model = readOllamaModel(artifact, block.from);
    return { from: block.from, to: block.to, model, read: () => readOllamaBlock(block) };
  });
  const responses = findOllamaResponses(artifact).map((record) => {
    const { from, to, value } = record;
    return { from, to, model: modelOf(value), read: () => readOllamaResponse(record) };
  });
  return [...blocks, ...responses].sort((a, b) => a.from - b.from);
});

/** Which repetition of its model one is, over all of the artifact. */
const repetitionsOf = remembered((artifact) => countRepetitions(findRuns(artifact), ({ model }) => model?.value ?? ''));

/**
 * What Ollama counts for a request: the lines that `--verbose` prints below an answer, or the answer of its API, which
 * has the same in nanoseconds. Times are those of the server, for one request alone.
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
      const run = { ...found.read(), model: found.model };
      return { result: toOllamaResult(run, repetitions.get(found) ?? 1), ignored: run.ignored ?? [] };
    });
    return { tool: { name: 'ollama --verbose', version: null }, ...read, ...noRemarks };
  },
};
