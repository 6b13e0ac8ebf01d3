import type { Fault } from '../../errors.ts';
import { type Adapter, noRemarks, type ParsedResult } from '../adapter.ts';
import { toModelName } from '../reading/context/model-name.ts';
import { toClaims, within } from '../reading/documents/json-records.ts';
import { countRepetitions } from '../reading/figures/repetitions.ts';
import { type ReadOne, readEach } from '../reading/tables/read-each.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { type BenchEpoch, findBenchEpochs } from './bench-lines.ts';
import { toOllamaResult } from './run.ts';

const id = 'ollama-bench';

function toResult({ from, to, name, model, steps }: BenchEpoch, repetition: number): ParsedResult {
  const named = toModelName(name.replace(/:latest$/, ''));
  const { prefill, generate, ttft, load, total } = Object.fromEntries(steps);
  const run = {
    from,
    to,
    model: named === null ? null : ({ value: named, origin: 'stated' } as const),
    totalMs: total?.ms ?? null,
    loadMs: load?.ms ?? null,
    promptTokens: prefill?.tokens ?? null,
    promptTokS: prefill?.tokS ?? null,
    outputTokens: generate?.tokens ?? null,
    outputTokS: generate?.tokS ?? null,
    ttftMs: ttft?.ms ?? null,
    measuredAt: null,
    ...(model?.quantization == null ? {} : { quantization: { value: model.quantization, origin: 'stated' } as const }),
    ...(model?.isOffloaded === true ? { features: { offload: true } } : {}),
    extra: model?.extra ?? {},
  };
  return toOllamaResult(run, repetition);
}

/** Epoch number of a model, counted over the whole artifact. */
const repetitionsOf = cachedPerArtifact((artifact) => countRepetitions(findBenchEpochs(artifact), ({ name }) => name));

function readEpoch(epoch: BenchEpoch, repetition: number): ReadOne {
  const faults: Fault[] = [...epoch.faults];
  const rates = ['prefill', 'generate'].filter((step) => (epoch.steps.get(step)?.tokS ?? null) !== null);
  if (faults.length === 0 && rates.length === 0) {
    const message = `The epoch that begins on line ${epoch.from} has no rate above 0: nothing was measured.`;
    faults.push({ code: 'nothing_measured', line: epoch.from, message });
  }
  return { result: toResult(epoch, repetition), ignored: epoch.ignored, faults };
}

/**
 * Ollama's own bench tool. Each epoch has a line for each step of one request, in benchstat format or as CSV. The server
 * measures prefill and generation; the client measures the time to first token.
 *
 * Written by https://github.com/ollama/ollama/tree/main/cmd/bench (`OutputMetrics`).
 */
export const ollamaBench: Adapter = {
  id,
  title: id,
  kind: 'serving',
  recognises:
    'lines "BenchmarkModel/name=.../step=... 1 N ns/token N token/sec", or CSV with NAME,STEP,COUNT,NS_PER_COUNT,TOKEN_PER_SEC',
  command: 'ollama-bench -model MODEL -epochs 5 -format csv > result.csv',
  detect: (artifact) => toClaims(id, findBenchEpochs(artifact)),
  read: (artifact, claim) => {
    const repetitions = repetitionsOf(artifact);
    const epochs = within(findBenchEpochs(artifact), claim);
    const read = readEach(epochs, claim.from, (epoch) => readEpoch(epoch, repetitions.get(epoch) ?? 1));
    return { tool: { name: id, version: null }, ...read, ...noRemarks };
  },
};
