import type { Source } from '../../source.ts';
import { type Adapter, noRemarks, type ParsedResult } from '../adapter.ts';
import {
  hasAll,
  isObject,
  type JsonObject,
  type JsonRecord,
  recordFinder,
  toClaims,
  within,
} from '../reading/json-records.ts';
import { readEach } from '../reading/read-each.ts';
import { readInferencexRecord } from './record.ts';
import { textOf, wholeOf } from './system.ts';

const id = 'inferencex-api';

const findRows = recordFinder((value) => {
  const isRow = hasAll(value, ['hardware', 'framework', 'precision', 'conc', 'isl', 'osl', 'metrics']);
  return isRow && isObject(value.metrics) && Object.hasOwn(value.metrics, 'tput_per_gpu') ? 'whole' : null;
});

/** Cards that InferenceX measures in one form only: their rated power there is that of the SXM boards. */
const gpus: Partial<Record<string, string>> = { h100: 'h100-sxm', h200: 'h200-sxm' };

const numberOf = (value: unknown) => (typeof value === 'number' && value > 0 ? value : null);

/**
 * GPUs that read prompts and GPUs that write answers. Rows without workers say of both how many there were in all; rates by
 * GPU then tell the parts, for the total is what both sides make of it.
 */
function splitOf(row: JsonObject, metrics: JsonObject): { prefill: number; decode: number } | null {
  const [prefill, decode] = [wholeOf(row, 'num_prefill_gpu'), wholeOf(row, 'num_decode_gpu')];
  if (prefill === null || decode === null) return null;
  if (wholeOf(row, 'decode_num_workers') !== null || prefill !== decode) return { prefill, decode };
  const [total, input, output] = ['tput_per_gpu', 'input_tput_per_gpu', 'output_tput_per_gpu'].map((key) =>
    numberOf(metrics[key]),
  );
  if (total == null || input == null || output == null || input === output) return null;
  const share = (decode * (total - output)) / (input - output);
  const part = Math.round(share);
  return part > 0 && part < decode && Math.abs(share - part) < 1e-6 ? { prefill: part, decode: decode - part } : null;
}

/** A row under the keys that aggregates have. */
function toFields(row: JsonObject, metrics: JsonObject): JsonObject {
  const isSplit = row.disagg === true;
  const split = isSplit ? splitOf(row, metrics) : null;
  const shared: JsonObject = {
    ...metrics,
    hw: row.hardware ?? null,
    model: row.model ?? null,
    framework: row.framework ?? null,
    precision: row.precision ?? null,
    spec_decoding: row.spec_method ?? null,
    image: row.image ?? null,
    conc: row.conc ?? null,
    isl: row.isl ?? null,
    osl: row.osl ?? null,
    disagg: isSplit,
    is_multinode: row.is_multinode ?? null,
  };
  // Whatever the row counts as GPUs, one that is not split has as many as its tensor parallelism is wide.
  if (!isSplit)
    return {
      ...shared,
      tp: row.decode_tp ?? null,
      ep: row.decode_ep ?? null,
      dp_attention: row.decode_dp_attention ?? null,
    };
  const hasWorkers = wholeOf(row, 'decode_num_workers') !== null;
  const widths = ['tp', 'ep', 'num_workers', 'dp_attention'].flatMap((key) =>
    ['prefill', 'decode'].map((side) => [`${side}_${key}`, row[`${side}_${key}`] ?? null] as const),
  );
  return {
    ...shared,
    ...(hasWorkers ? Object.fromEntries(widths) : {}),
    ...(split === null ? {} : { num_prefill_gpu: split.prefill, num_decode_gpu: split.decode }),
  };
}

function sourceOf(row: JsonObject, date: string | null): Source {
  const url = textOf(row, 'run_url');
  const run = /\/runs\/(\d{1,20})/.exec(url ?? '')?.[1];
  const entry = [run && `run ${run}`, date].filter((word) => word != null).join(', ');
  return {
    publisher: 'SemiAnalysis',
    title: 'InferenceX',
    url: url !== null && /^https:\/\/[\x21-\x7e]+$/.test(url) ? url : null,
    licence: null,
    entry: entry === '' ? null : entry,
    retrieved_at: null,
  };
}

/** Of a container that does not tell the engine's version, the day of the run does: the newest images are measured. */
function systemOf(row: JsonObject, system: ParsedResult['system'], date: string | null): ParsedResult['system'] {
  const framework = textOf(row, 'framework');
  const gpu = gpus[system.gpu?.value ?? ''];
  return {
    ...system,
    gpu: gpu === undefined ? system.gpu : { value: gpu, origin: 'context' },
    engineVersion: system.engineVersion ?? (date === null ? null : { value: `as of ${date}`, origin: 'inferred' }),
    features: { ...system.features, ...(framework?.includes('-') ? { framework } : {}) },
  };
}

function readRow({ value: row, from, to }: JsonRecord): { result: ParsedResult; ignored: Iterable<string> } {
  const metrics = isObject(row.metrics) ? row.metrics : {};
  const { result, ignored } = readInferencexRecord(toFields(row, metrics), { from, to });
  const date = /^\d{4}-\d\d-\d\d$/.exec(textOf(row, 'date') ?? '')?.[0] ?? null;
  const watts = numberOf(metrics.avg_power_w);
  const count = result.system.gpuCount?.value ?? null;
  return {
    result: {
      ...result,
      system: systemOf(row, result.system, date),
      // The mean of one board; ours is that of all.
      metrics: { ...result.metrics, ...(watts === null || count === null ? {} : { power_w: watts * count }) },
      extra: { ...result.extra, ...(date === null ? {} : { local_date: date }) },
      measuredAt: date === null ? null : `${date}T00:00:00.000Z`,
      source: sourceOf(row, date),
    },
    ignored: [...ignored].filter((name) => name !== 'avg_power_w'),
  };
}

/**
 * Rows of the API of InferenceX's dashboard: a configuration, its figures under `metrics`, and the run that measured it.
 * Times are seconds, rates by GPU. GPUs that a row counts twice, as those that read prompts and those that write answers,
 * are the same GPUs unless it is disaggregated.
 *
 * Written by https://github.com/SemiAnalysisAI/InferenceX-app
 */
export const inferencexApi: Adapter = {
  id,
  title: 'inferencex (API rows)',
  kind: 'serving',
  recognises: 'JSON objects with hardware, framework, precision, conc, isl, osl and metrics.tput_per_gpu',
  command: "the JSON that the API of InferenceX's dashboard answers",
  detect: (artifact) => toClaims(id, findRows(artifact)),
  read: (artifact, claim) => {
    const read = readEach(within(findRows(artifact), claim), claim.from, readRow);
    return { tool: { name: 'inferencex', version: null }, ...read, ...noRemarks };
  },
};
