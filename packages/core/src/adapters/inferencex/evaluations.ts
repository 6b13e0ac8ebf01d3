import type { Load } from '../../subjects/load.ts';
import { type Adapter, noRemarks, type ParsedResult, type SystemFacts } from '../adapter.ts';
import { numberOf, stated, toEvaluation } from '../quality-result.ts';
import {
  hasAll,
  isObject,
  type JsonObject,
  type JsonRecord,
  recordFinder,
  toClaims,
  within,
} from '../reading/documents/json-records.ts';
import { readEach } from '../reading/tables/read-each.ts';
import { isSet, textOf, toEngineName, toGpuName, wholeOf } from './system.ts';

const id = 'inferencex-evaluations';

const findRows = recordFinder((value) =>
  hasAll(value, ['hardware', 'framework', 'model', 'precision', 'task']) &&
  isObject(value.metrics) &&
  Object.keys(value.metrics).some((name) => name.startsWith('em_'))
    ? 'whole'
    : null,
);

/** The two answer filters, by their names in lm-evaluation-harness. */
const variants = [
  ['em_strict', 'strict-match'],
  ['em_flexible', 'flexible-extract'],
] as const;

function toSystem(row: JsonObject): Partial<SystemFacts> {
  // Every row has `disagg`. A disaggregated system also has it in the name of its framework, or uses several machines.
  const isSplit = isSet(row, 'is_multinode') || /disagg|dynamo|mori/i.test(textOf(row, 'framework') ?? '');
  const [prefill, decode] = [wholeOf(row, 'num_prefill_gpu'), wholeOf(row, 'num_decode_gpu')];
  // Without disaggregation, the two fields count the same GPUs.
  const gpus = isSplit && prefill !== null && decode !== null ? prefill + decode : (decode ?? prefill);
  const drafts = textOf(row, 'spec_method') ?? 'none';
  const tensor = isSplit ? null : wholeOf(row, 'decode_tp');
  return {
    model: stated(textOf(row, 'model')),
    quantization: stated(textOf(row, 'precision')),
    gpu: stated(toGpuName(textOf(row, 'hardware'))),
    gpuCount: stated(gpus),
    engine: stated(toEngineName(textOf(row, 'framework'))),
    parallelism: tensor === null ? {} : { tensor },
    features: {
      ...(drafts === 'none' ? {} : { speculative_decoding: true, speculative_algorithm: drafts }),
      ...(isSplit ? { disaggregated: true } : {}),
    },
  };
}

interface Figure {
  row: JsonRecord;
  name: (typeof variants)[number][0];
  variant: string;
}

function toResult({ row: { value: row, from, to }, name, variant }: Figure): ParsedResult | null {
  const metrics = isObject(row.metrics) ? row.metrics : {};
  const value = numberOf(metrics[name]);
  if (value === null || value < 0 || value > 1) return null;
  const concurrency = wholeOf(row, 'conc');
  const load: Load | null = concurrency === null ? null : { mode: 'concurrency', level: concurrency };
  const [time, url] = [textOf(row, 'timestamp'), textOf(row, 'run_url')];
  return toEvaluation({
    task: { task: textOf(row, 'task') ?? '', metric: 'exact_match', variant, fewShot: null, context: null },
    metric: 'score',
    value,
    standardError: numberOf(metrics[`${name}_se`]),
    n: numberOf(metrics.n_eff),
    system: toSystem(row),
    load,
    extra: url === null ? {} : { run_url: url },
    measuredAt: time === null || Number.isNaN(Date.parse(time)) ? null : new Date(time).toISOString(),
    lines: { from, to },
  });
}

/** Evaluations of served models as InferenceX publishes them, by hardware, engine and precision. */
export const inferencexEvaluations: Adapter = {
  id,
  title: id,
  kind: 'quality',
  recognises: 'JSON objects with hardware, framework, precision, task and metrics such as em_strict',
  command: 'InferenceX publishes evaluations of its configurations as JSON',
  detect: (artifact) => toClaims(id, findRows(artifact)),
  read: (artifact, claim) => {
    const figures = within(findRows(artifact), claim).flatMap((row) =>
      variants.map(([name, variant]): Figure => ({ row, name, variant })),
    );
    const read = readEach(figures, claim.from, (figure) => {
      const result = toResult(figure);
      return result === null ? null : { result, ignored: [] };
    });
    return { tool: { name: id, version: null }, ...read, ...noRemarks };
  },
};
