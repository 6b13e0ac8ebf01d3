import { type Adapter, noRemarks } from '../adapter.ts';
import { toClaims, within } from '../reading/documents/json-records.ts';
import { countRepetitions } from '../reading/figures/repetitions.ts';
import { readEach } from '../reading/tables/read-each.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { findOllamaBlocks, readOllamaBlock, readOllamaModel } from './block.ts';
import { isOfKtransformers, ktransformersTool, readKtransformers } from './ktransformers.ts';
import { findOllamaResponses, modelOf, readOllamaResponse } from './response.ts';
import { type OllamaRun, toOllamaResult } from './run.ts';

interface Found {
  from: number;
  to: number;
  model: OllamaRun['model'];
  /** Facts of KTransformers, if it printed the lines. */
  other?: Pick<OllamaRun, 'engine' | 'model' | 'quantization'> | undefined;
  read: () => Omit<OllamaRun, 'model'>;
}

/** Printed blocks and API responses, in order of appearance. */
const findRuns = cachedPerArtifact((artifact): Found[] => {
  const all = findOllamaBlocks(artifact);
  const ofKtransformers = readKtransformers(
    artifact,
    all.filter((block) => isOfKtransformers(artifact, block)),
  );
  const blocks = all.map((block) => {
    const other = ofKtransformers.get(block);
    const model = other === undefined ? readOllamaModel(artifact, block.from) : other.model;
    return { from: block.from, to: block.to, model, other, read: () => readOllamaBlock(block) };
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
      const run = { ...found.read(), model: found.model, ...found.other };
      return { result: toOllamaResult(run, repetitions.get(found) ?? 1), ignored: run.ignored ?? [] };
    });
    const isOther = findRuns(artifact).some(({ from, other }) => from === claim.from && other !== undefined);
    const name = isOther ? ktransformersTool : 'ollama --verbose';
    return { tool: { name, version: null }, ...read, ...noRemarks };
  },
};
