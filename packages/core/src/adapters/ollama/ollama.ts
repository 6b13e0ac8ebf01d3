import type { Fault } from '../../errors.ts';
import { type Adapter, type Claim, noRemarks, type ParsedResult, type Reading } from '../adapter.ts';
import { ArtifactError, maxFaults, maxResults, tooManyResults } from '../errors.ts';
import { tellIgnored } from '../plain-facts.ts';
import type { ArtifactText } from '../reading/artifact-text.ts';
import { toClaims, within } from '../reading/json-records.ts';
import { remembered } from '../reading/remembered.ts';
import { findOllamaBlocks, readOllamaBlock, readOllamaModel } from './block.ts';
import { findOllamaResponses, readOllamaResponse } from './response.ts';
import { type OllamaRun, toOllamaResult } from './run.ts';

interface ReadRun {
  from: number;
  result: ParsedResult;
  ignored: string[];
}

interface Parsed {
  runs: ReadRun[];
  faults: Fault[];
}

/** All runs together: which repetition of a model one is depends on those before it. */
const parseAll = remembered((artifact): Parsed => {
  const faults: Fault[] = [];
  const blocks = findOllamaBlocks(artifact);
  const responses = findOllamaResponses(artifact);
  const [first] = [...blocks.slice(0, 1), ...responses.slice(0, 1)];
  if (first !== undefined && blocks.length + responses.length > maxResults) throw tooManyResults(first.from);
  const found: { run: OllamaRun; ignored: string[] }[] = [];
  for (const block of blocks) {
    if (faults.length >= maxFaults) break;
    const run = readOllamaBlock(block, faults);
    if (run !== null) found.push({ run: { ...run, model: readOllamaModel(artifact, block.from) }, ignored: [] });
  }
  for (const response of responses) {
    if (faults.length >= maxFaults) break;
    const read = readOllamaResponse(response, faults);
    if (read !== null) found.push(read);
  }
  found.sort((a, b) => a.run.from - b.run.from);
  const seen = new Map<string, number>();
  const runs = found.map(({ run, ignored }) => {
    const model = run.model?.value ?? '';
    const repetition = (seen.get(model) ?? 0) + 1;
    seen.set(model, repetition);
    return { from: run.from, result: toOllamaResult(run, repetition), ignored };
  });
  const parsed = { runs, faults };
  return parsed;
});

function readClaim(artifact: ArtifactText, claim: Claim): Reading {
  const { runs, faults } = parseAll(artifact);
  const own = faults.filter(({ line = 0 }) => line >= claim.from && line <= claim.to);
  if (own.length > 0) throw new ArtifactError(own);
  const read = within(runs, claim);
  const ignored = new Set(read.flatMap((run) => run.ignored));
  const results = read.map(({ result }) => result);
  return { tool: { name: 'ollama --verbose', version: null }, results, ignored: tellIgnored(ignored), ...noRemarks };
}

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
  read: (artifact, claim) => readClaim(artifact, claim),
};
