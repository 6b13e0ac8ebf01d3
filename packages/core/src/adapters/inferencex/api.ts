import type { Source } from '../../subjects/source.ts';
import { type Adapter, noRemarks, type ParsedResult } from '../adapter.ts';
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
import { readInferencexRecord } from './record.ts';
import { textOf, wholeOf } from './system.ts';

const id = 'inferencex-api';

const findRows = recordFinder((value) => {
  const isRow = hasAll(value, ['hardware', 'framework', 'precision', 'conc', 'isl', 'osl', 'metrics']);
  return isRow && isObject(value.metrics) && Object.hasOwn(value.metrics, 'tput_per_gpu') ? 'whole' : null;
});

/** Cards that InferenceX measures only as SXM boards, to which the rated power in its rows applies. */
const gpus: Partial<Record<string, string>> = { h100: 'h100-sxm', h200: 'h200-sxm' };

const numberOf = (value: unknown) => (typeof value === 'number' && value > 0 ? value : null);

/**
 * Numbers of prefill and decode GPUs. Rows without workers state the sum of both in either field. The per-GPU rates then
 * give the split, because the total combines both parts.
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

/** A row with the keys of an aggregate. */
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
  // A system without disaggregation has as many GPUs as its tensor parallelism, regardless of the row's GPU counts.
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

/**
 * If the container does not state the engine version, the date of the run identifies it: InferenceX measures the newest
 * images.
 */
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
      // The mean of one board; our metric covers all boards.
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
 * Times are in seconds, rates are per GPU. Unless the system is disaggregated, prefill GPUs and decode GPUs are the same
 * GPUs.
 *
 * Written by https://github.com/SemiAnalysisAI/InferenceX-app
 */
export const inferencexApi: Adapter = {
  id,
  title: 'inferencex (API rows)',
  kind: 'serving',
  recognises: 'JSON objects with hardware, framework, precision, conc, isl, osl and metrics.tput_per_gpu',
  command: "the JSON response of the API of InferenceX's dashboard",
  detect: (artifact) => toClaims(id, findRows(artifact)),
  read: (artifact, claim) => {
    const read = readEach(within(findRows(artifact), claim), claim.from, readRow);
    return { tool: { name: 'inferencex', version: null }, ...read, ...noRemarks };
  },
};
