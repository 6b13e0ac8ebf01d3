import { z } from 'zod';
import {
  type Claim,
  type Fact,
  noFacts,
  noRemarks,
  type ParsedResult,
  type ReaderNote,
  type Reading,
  type SystemFacts,
} from '../adapter.ts';
import { ArtifactError, maxResults, tooManyResults, unreadable } from '../errors.ts';
import { toModelName } from '../reading/context/model-name.ts';
import { within } from '../reading/documents/json-records.ts';
import { parseAt } from '../reading/documents/zod-faults.ts';
import { parseNumber } from '../reading/figures/numbers.ts';
import { type ReadOne, readEach } from '../reading/tables/read-each.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { type LlamaTest, parseTest } from './cells.ts';
import { readColumns } from './columns.ts';
import { engineOfType, toFigures, toFileType, toLlamaEngine } from './figures.ts';
import { gpusUsed } from './gpus.ts';
import { findLlamaRecords, type LlamaRecord } from './records.ts';

/** CSV and SQL write numbers as text. */
const numeric = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (typeof value === 'string' ? (parseNumber(value) ?? value) : value), schema);
const tokens = numeric(z.number().int().nonnegative().max(1e9));
const bytes = numeric(z.number().nonnegative()).nullish();

const RecordSchema = z.looseObject({
  build_commit: z.string().max(200),
  build_number: numeric(z.number().int()).nullish(),
  cpu_info: z.string().nullish(),
  gpu_info: z.string().nullish(),
  backends: z.string().nullish(),
  model_filename: z.string().nullish(),
  model_type: z.string().min(1).max(200),
  model_size: bytes,
  model_n_params: bytes,
  n_prompt: tokens,
  n_gen: tokens,
  n_depth: tokens.nullish(),
  test_time: z.string().nullish(),
  /** Only of ik_llama.cpp. */
  test: z.string().max(200).nullish(),
  avg_ts: numeric(z.number().positive()),
  stddev_ts: numeric(z.number().nonnegative()).nullish(),
  samples_ts: z.array(z.number().positive()).max(100_000).nullish(),
});
type TestRecord = z.infer<typeof RecordSchema>;

/** Settings by field name: the column name in the table, and the default value that the table omits. */
const settings = new Map<string, { column: string; default: RegExp }>([
  ['n_batch', { column: 'n_batch', default: /^(?:2048)?$/ }],
  ['n_ubatch', { column: 'n_ubatch', default: /^(?:512)?$/ }],
  ['type_k', { column: 'type_k', default: /^(?:f16)?$/ }],
  ['type_v', { column: 'type_v', default: /^(?:f16)?$/ }],
  ['n_cpu_moe', { column: 'n_cpu_moe', default: /^0?$/ }],
  ['split_mode', { column: 'sm', default: /^(?:layer)?$/ }],
  ['main_gpu', { column: 'main_gpu', default: /^0?$/ }],
  ['no_kv_offload', { column: 'nkvo', default: /^0?$/ }],
  ['flash_attn', { column: 'fa', default: /^0?$/ }],
  ['devices', { column: 'dev', default: /^(?:auto)?$/ }],
  ['tensor_split', { column: 'ts', default: /^[0./]*$/ }],
  ['tensor_buft_overrides', { column: 'ot', default: /^(?:none)?$/ }],
  ['embeddings', { column: 'embd', default: /^0?$/ }],
  ['no_op_offload', { column: 'nopo', default: /^0?$/ }],
  // Of ik_llama.cpp, whose defaults change between versions: they count if a run compared them.
  ['mla_attn', { column: 'mla', default: /^/ }],
  ['attn_max_batch', { column: 'amb', default: /^/ }],
  ['ser', { column: 'ser', default: /^/ }],
  ['repack', { column: 'rtr', default: /^/ }],
  ['fused_moe', { column: 'fmoe', default: /^/ }],
]);
/** Stored in addition to the metrics. The default number of threads depends on the machine. */
const extras = new Map([
  ['n_threads', 'threads'],
  ['n_gpu_layers', 'ngl'],
  ['cpu_mask', 'cpu_mask'],
  ['cpu_strict', 'cpu_strict'],
  ['poll', 'poll'],
  ['use_mmap', 'mmap'],
  ['use_direct_io', 'dio'],
  ['load_mode', 'lm'],
  ['no_host', 'noh'],
  ['fit_target', 'fitt'],
  ['fit_min_ctx', 'fitc'],
]);
const known = new Set([...Object.keys(RecordSchema.shape), ...settings.keys(), ...extras.keys()]);

/** A setting in CSV notation. JSON has true and false for 1 and 0. Unknown fields keep their JSON value. */
function toText(value: unknown): string {
  if (typeof value === 'boolean') return value ? '1' : '0';
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
}

/** Setting fields with more than one value in a claim: the settings that the run compared. */
function varyingFields(records: readonly LlamaRecord[]): ReadonlySet<string> {
  const [first] = records;
  const varying = new Set<string>();
  for (const { fields } of records)
    for (const name of [...settings.keys(), ...extras.keys()])
      if (toText(fields[name]) !== toText(first?.fields[name])) varying.add(name);
  return varying;
}

/** Sorts settings as in the table. A setting with its default value does not make a different system. */
function toSettings(record: TestRecord, varying: ReadonlySet<string>) {
  const cells = new Map([['backend', record.backends ?? '']]);
  const compared = new Set<string>();
  for (const [name, { column, default: usual }] of settings) {
    const text = toText(record[name]);
    if (varying.has(name)) compared.add(column);
    if (!usual.test(text) || varying.has(name)) cells.set(column, text);
  }
  for (const [name, column] of extras) {
    if (varying.has(name)) compared.add(column);
    cells.set(column, toText(record[name]));
  }
  const { features, extra } = readColumns({ from: 0, to: 0, cells }, compared);
  if (varying.has('n_threads') || features.threads === undefined) return { features, extra };
  const { threads, ...others } = features;
  return { features: others, extra: { threads, ...extra } };
}

function toGpu(record: TestRecord): Pick<SystemFacts, 'gpu' | 'gpuCount'> {
  const devices = (record.gpu_info ?? '').split(', ').map((name) => name.trim());
  const [name = ''] = devices;
  // Devices of different kinds, or on other hosts (listed by address), have no common name.
  if (name === '' || devices.some((other) => other !== name) || /rpc/i.test(record.backends ?? ''))
    return { gpu: null, gpuCount: null };
  const gpu: Fact<string> = { value: name, origin: 'stated' };
  const count = gpusUsed(devices.length, {
    devices: toText(record.devices),
    tensorSplit: toText(record.tensor_split),
    splitMode: toText(record.split_mode),
  });
  return { gpu, gpuCount: count === null ? null : { value: count, origin: 'stated' } };
}

function toInstant(text: string | null | undefined): string | null {
  return text != null && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text) && !Number.isNaN(Date.parse(text))
    ? text
    : null;
}

const interrupted: ReaderNote = {
  code: 'truncated',
  severity: 'info',
  message: 'The array is not closed: the run was interrupted after this test, and later tests are missing.',
  evidence: {},
};

/** The label of ik_llama.cpp alone shows that a prompt was not timed: `tg64@pp512` has 512 and 64 tokens, as `pp512+tg64`. */
function toTest({ test, n_prompt: promptTokens, n_gen: generatedTokens, n_depth }: TestRecord): LlamaTest {
  const labelled = parseTest(test ?? '');
  if (labelled !== null && labelled.promptTokens === 0 && promptTokens > 0) return labelled;
  const depth = n_depth ?? 0;
  const parts = [promptTokens > 0 ? [`pp${promptTokens}`] : [], generatedTokens > 0 ? [`tg${generatedTokens}`] : []];
  const name = parts.flat().join('+');
  return {
    name: depth > 0 ? `${name}@d${depth}` : name,
    promptTokens,
    generatedTokens,
    depth: depth > 0 ? depth : null,
  };
}

/** The engine, by the fields and the file types that only a fork of llama.cpp has. */
function engineOf(record: TestRecord): string {
  if ('mla_attn' in record || 'fused_moe' in record || record.test != null) return 'ik_llama.cpp';
  return engineOfType(record.model_type) ?? 'llama.cpp';
}

function toResult(
  record: TestRecord,
  { from, to, isLastBeforeCut }: LlamaRecord,
  varying: ReadonlySet<string>,
): ParsedResult {
  const { features, extra } = toSettings(record, varying);
  const model = toModelName(record.model_filename ?? '');
  const samples = record.samples_ts ?? null;
  return {
    kind: 'serving',
    system: {
      ...noFacts,
      ...toGpu(record),
      model: model === null ? null : { value: model, origin: 'stated' },
      quantization: toFileType(record.model_type),
      ...toLlamaEngine(record.build_number, engineOf(record)),
      features,
    },
    ...toFigures({
      test: toTest(record),
      average: record.avg_ts,
      sd: record.stddev_ts ?? null,
      n: samples === null ? null : samples.length,
      samples,
    }),
    requests: null,
    limits: null,
    extra: {
      ...extra,
      printed_model: record.model_type,
      ...(record.backends ? { backend: record.backends } : {}),
      ...(record.cpu_info ? { cpu_info: record.cpu_info } : {}),
      ...(record.model_size ? { file_bytes: record.model_size } : {}),
      ...(record.model_n_params ? { params: record.model_n_params } : {}),
      build_commit: record.build_commit,
    },
    notes: isLastBeforeCut ? [interrupted] : [],
    measuredAt: toInstant(record.test_time),
    lines: { from, to },
  };
}

function readRecord(record: LlamaRecord, varying: ReadonlySet<string>): ReadOne {
  const { fields, fault, from } = record;
  if (fault !== null) throw new ArtifactError([fault]);
  const test = parseAt(RecordSchema, fields, from);
  if (test.n_prompt + test.n_gen === 0)
    throw unreadable(from, 'value_invalid', `n_prompt and n_gen on line ${from} are both 0: nothing was timed.`);
  return { result: toResult(test, record, varying), ignored: Object.keys(test).filter((name) => !known.has(name)) };
}

/** Translates the records of one claim. Throws `ArtifactError` with the line and the field of each error. */
export function readRecords(artifact: ArtifactText, claim: Claim): Reading {
  const records = within(findLlamaRecords(artifact), claim);
  if (records.length > maxResults) throw tooManyResults(claim.from);
  const varying = varyingFields(records);
  const read = readEach(records, claim.from, (record) => readRecord(record, varying));
  const version = read.results.find(({ system }) => system.engineVersion !== null)?.system.engineVersion?.value ?? null;
  return { tool: { name: 'llama-bench', version }, ...read, ...noRemarks };
}
