import { z } from 'zod';
import type { Fault } from '../../errors.ts';
import type { Adapter } from '../adapter.ts';
import { ArtifactError, addFaults } from '../errors.ts';
import { readRunContexts } from '../reading/context/run-context.ts';
import { blocksAndRecords } from '../reading/documents/blocks-and-records.ts';
import { hasAll, type JsonRecord, recordFinder } from '../reading/documents/json-records.ts';
import { parseAt } from '../reading/documents/zod-faults.ts';
import { parseNumber } from '../reading/figures/numbers.ts';
import type { ReadOne } from '../reading/tables/read-each.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { type LatencyFigures, toLatencyResult } from './offline.ts';

const id = 'vllm-bench-latency';
const name = 'vllm bench latency';

const seconds = z.number().positive().max(1e9);
export const LatencySchema = z.looseObject({
  avg_latency: seconds,
  latencies: z.array(seconds).min(1).max(100_000),
  percentiles: z.record(z.string().regex(/^\d{1,2}(?:\.\d{1,3})?$/), seconds),
});
const known = new Set(Object.keys(LatencySchema.shape));

const findRecords = recordFinder((value) =>
  hasAll(value, ['avg_latency', 'latencies', 'percentiles']) ? 'whole' : null,
);

export function toLatencyFigures(record: z.infer<typeof LatencySchema>): LatencyFigures {
  return {
    meanS: record.avg_latency,
    percentiles: Object.entries(record.percentiles),
    latenciesS: record.latencies,
  };
}

function readRecord({ value, from, to }: JsonRecord): ReadOne {
  const figures = toLatencyFigures(parseAt(LatencySchema, value, from));
  const ignored = Object.keys(value).filter((key) => !known.has(key));
  return { result: toLatencyResult(figures, null, { from, to }), ignored };
}

/** The printed lines. 1-based, inclusive. */
interface Printed {
  from: number;
  to: number;
  mean: string;
  percentiles: [string, string][];
}

const average = /^\s*Avg latency: (\S{1,40}) seconds\s*$/;
const percentile = /^\s*(\d{1,2}(?:\.\d{1,3})?)% percentile latency: (\S{1,40}) seconds\s*$/;

/**
 * All averages that are directly followed by percentiles. Until March 2024 only the average was printed; one alone may be from
 * any program, unless the artifact names this one.
 */
const findPrinted = cachedPerArtifact((artifact): Printed[] => {
  const isNamed = artifact.has('benchmark_latency.py');
  const all: Printed[] = [];
  for (const line of artifact.linesWith('Avg latency')) {
    const mean = average.exec(artifact.lineAt(line))?.[1];
    if (mean === undefined) continue;
    const printed: Printed = { from: line, to: line, mean, percentiles: [] };
    for (let next = line + 1; ; next++) {
      const found = percentile.exec(artifact.lineAt(next));
      if (found === null) break;
      printed.percentiles.push([found[1] ?? '', found[2] ?? '']);
      printed.to = next;
    }
    if (isNamed || printed.percentiles.length > 0) all.push(printed);
  }
  return all;
});

const isProgram = (words: readonly string[]) =>
  (/(?:^|\/)vllm$/.test(words[0] ?? '') && words[1] === 'bench' && words[2] === 'latency') ||
  /(?:^|[/\\])benchmark_latency\.py$/.test(words[0] ?? '');

const contextsIn = cachedPerArtifact((artifact) => readRunContexts(artifact, findPrinted(artifact), isProgram));

function readPrinted(artifact: ArtifactText, printed: Printed): ReadOne {
  const { from, to, mean, percentiles } = printed;
  const faults: Fault[] = [];
  const second = (text: string, line: number) => {
    const number = parseNumber(text);
    if (number !== null && number > 0) return number;
    const message = `A latency should be a number of seconds above 0, found "${text}".`;
    addFaults(faults, [{ code: 'value_unreadable', line, message }]);
    return Number.NaN;
  };
  const figures: LatencyFigures = {
    meanS: second(mean, from),
    percentiles: percentiles.map(([name, text], index) => [name, second(text, from + 1 + index)]),
    latenciesS: null,
  };
  if (faults.length > 0) throw new ArtifactError(faults);
  const context = contextsIn(artifact).get(printed) ?? null;
  return { result: toLatencyResult(figures, context, { from, to }), ignored: [] };
}

/**
 * `vllm bench latency`, formerly `benchmark_latency.py`: its result file and its console output. Each latency is that of a
 * whole static batch. The file does not state the batch size or the sequence lengths.
 *
 * Written by https://github.com/vllm-project/vllm/blob/main/vllm/benchmarks/latency.py
 */
export const vllmBenchLatency: Adapter = {
  id,
  title: name,
  kind: 'serving',
  recognises:
    'JSON with avg_latency, latencies and percentiles, or the lines "Avg latency: ... seconds" and "10% percentile latency: ..."',
  command: 'vllm bench latency --model MODEL --batch-size 8 --input-len 32 --output-len 128 2>&1 | tee result.txt',
  ...blocksAndRecords({ id, name, findBlocks: findPrinted, readBlock: readPrinted, findRecords, readRecord }),
};
