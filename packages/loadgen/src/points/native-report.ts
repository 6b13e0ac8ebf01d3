import { generatorNotes } from '@inferboard/core/adapters/native/schema';
import { toPlainText } from '@inferboard/core/adapters/plain-facts';
import type { Sample } from '@inferboard/core/observed/engine-state';
import type { PlanPoint } from '@inferboard/core/plans/point';
import type { RequestRecord } from '../measure/records/load-record.ts';
import type { Detected } from '../probe/detected.ts';
import type { RowFacts } from '../traffic/point-traffic.ts';
import { remarksOf } from './doubts.ts';
import type { MeasuredPoint } from './measure-point.ts';

/** The measured system, in the terms of the native format; null if unknown. */
export interface ReportedSystem {
  model: string;
  quantization: string | null;
  gpu: string | null;
  gpuCount: number | null;
  gpuPowerLimitW: number | null;
  engine: string | null;
  engineVersion: string | null;
  tensorParallel: number | null;
}

const toolName = 'inferboard-loadgen';
/** Whenever what is measured, or how, changes. */
export const toolVersion = '0.1.0';

/** Times to the microsecond: the clock's own grain. */
const rounded = (value: number) => Math.round(value * 1000) / 1000;

export interface ReportOptions {
  /** Whether failures include the text of the server and the network, which is not public. */
  withDetails?: boolean;
  /** Whether the report states when the point was measured, by this machine's clock. */
  withTime?: boolean;
  /** Figures that were measured in addition to the requests. */
  metrics?: Readonly<Record<string, number>>;
  /** Readings of the server while the point was measured. */
  observed?: readonly Sample[];
  detected?: Detected;
  notes?: string;
  /** The session that compared two servers, and which of them this is. */
  session?: { id: string; server: 'a' | 'b' };
}

function errorOf({ outcome, outcome_detail, status }: RequestRecord, { withDetails = false }: ReportOptions): string {
  if (withDetails) return [outcome, outcome_detail].filter((text) => text !== null).join(': ');
  return outcome.startsWith('http_') && status !== null ? `${outcome}: ${status}` : outcome;
}

/** Parameters of a request. */
export interface RequestFacts {
  maxTokens: number | null;
  row: RowFacts;
  hasDocuments: boolean;
}

/** Of a document, which has no chunks, the time to its end. */
function timesOf({ chunks_ms: chunks, started_ms, closed_ms }: RequestRecord, hasDocuments: boolean) {
  const [first, last] = hasDocuments ? [undefined, closed_ms] : [chunks[0], chunks.at(-1)];
  return {
    ttft_ms: first === undefined ? null : rounded(first - started_ms),
    e2e_ms: last === undefined ? null : rounded(last - started_ms),
  };
}

/** When a failed request ended is part of the window that rates are over. */
const failedTimesOf = ({ started_ms, closed_ms }: RequestRecord) => ({
  ttft_ms: null,
  e2e_ms: Number.isNaN(closed_ms) ? null : rounded(closed_ms - started_ms),
});

/** Gaps between the chunks of a request in whole microseconds; null where it has none. */
export function gapsOf(
  { outcome, chunks_ms: chunks }: RequestRecord,
  { hasDocuments }: Pick<RequestFacts, 'hasDocuments'>,
): Uint32Array<ArrayBuffer> | null {
  if (outcome !== 'ok' || hasDocuments) return null;
  const gaps = new Uint32Array(Math.max(0, chunks.length - 1));
  for (let place = 0; place < gaps.length; place++)
    gaps[place] = Math.round(((chunks[place + 1] ?? 0) - (chunks[place] ?? 0)) * 1000);
  return gaps;
}

/** A request as the native format has it, without the gaps between its chunks. */
export function toNativeRow(
  request: RequestRecord,
  { maxTokens, row, hasDocuments }: RequestFacts,
  options: ReportOptions = {},
) {
  const isOk = request.outcome === 'ok';
  return {
    ...row,
    sent_s: Math.round(request.started_ms * 1000) / 1e6,
    input_tokens: request.prompt_tokens,
    cached_tokens: request.cached_tokens,
    output_tokens: request.output_tokens,
    max_tokens: maxTokens,
    ...(isOk ? timesOf(request, hasDocuments) : failedTimesOf(request)),
    itl_ms: null,
    error: isOk ? null : errorOf(request, options),
  };
}

/** A request as the native format has it. */
function toNativeRequest(request: RequestRecord, facts: RequestFacts, options: ReportOptions) {
  const gaps = gapsOf(request, facts);
  return {
    ...toNativeRow(request, facts, options),
    itl_ms: gaps === null ? null : Array.from(gaps, (us) => us / 1000),
  };
}

const filled = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

function toNativeSystem(system: ReportedSystem) {
  const { engine, engineVersion, tensorParallel } = system;
  return filled({
    model: system.model,
    quantization: system.quantization,
    gpu: system.gpu,
    gpu_count: system.gpuCount,
    gpu_power_limit_w: system.gpuPowerLimitW,
    engine: engine === null ? null : filled({ name: engine, version: engineVersion }),
    parallelism: tensorParallel === null ? null : { tensor: tensorParallel },
  });
}

const toNativePrompts = ({ seed, salt, bodiesSha256 }: NonNullable<MeasuredPoint['prompts']>) => ({
  ...{ seed, salt },
  bodies_sha256: bodiesSha256,
});

/** Undefined if nothing was detected. */
function toNativeDetected(detected: Detected | undefined): Record<string, unknown> | undefined {
  const fields = filled({
    model_revision: detected?.modelRevision ?? null,
    weights_sha256: detected?.weightsSha256 ?? null,
    container_image: detected?.containerImage ?? null,
    gpu_name: detected?.gpuName ?? null,
    gpu_count: detected?.gpuCount ?? null,
    gpu_driver: detected?.gpuDriver ?? null,
  });
  return Object.keys(fields).length === 0 ? undefined : fields;
}

/** The native format accepts no more. */
const toNativeNotes = (remarks: readonly string[]) =>
  remarks
    .slice(0, generatorNotes.max)
    .map((remark) => toPlainText(remark).slice(0, generatorNotes.lengthMax).toWellFormed());

const toNativeTraffic = ({ seed, bodiesSha256, files }: NonNullable<MeasuredPoint['traffic']>) => ({
  seed,
  bodies_sha256: bodiesSha256,
  files: files.map(({ name, sha256, records }) => ({ name, sha256, records })),
});

/** Traffic is a separate workload: varying lengths are those of the requests, and are not stated. */
function toNativeScenario({ id, inputTokens, outputTokens }: PlanPoint['scenario'], hasTraffic: boolean) {
  if (hasTraffic) return filled({ dataset: id, input_tokens: inputTokens, output_tokens: outputTokens });
  return inputTokens === null || outputTokens === null
    ? id
    : { input_tokens: inputTokens, output_tokens: outputTokens };
}

function documentOf(
  { scenario, load, repetition }: PlanPoint,
  system: ReportedSystem,
  hasTraffic: boolean,
  measured: object,
): Record<string, unknown> {
  return {
    schema: 'inferboard/v1',
    tool: { name: toolName, version: toolVersion },
    system: toNativeSystem(system),
    scenario: toNativeScenario(scenario, hasTraffic),
    results: [
      {
        load: filled({
          mode: load.mode,
          level: load.level,
          burstiness: load.burstiness ?? null,
          max_concurrency: load.maxConcurrency ?? null,
        }),
        repetition,
        ...measured,
      },
    ],
  };
}

/**
 * The report of a point that has not ended: its requests are added where the process that measures it dies. `hasTraffic`: the
 * plan's workload is that of traffic.
 */
export function unfinishedReport(
  point: PlanPoint,
  system: ReportedSystem,
  hasTraffic: boolean,
): Record<string, unknown> {
  const cut_short = { reason: 'stopped', planned_requests: point.requests };
  return documentOf(point, system, hasTraffic, { generator: { cut_short }, requests: [] });
}

/** Samples in a report at most, of all kinds together. */
const samplesMax = 1000;

/** To the millisecond, and nine digits of a mean. */
const shortened = ({ unixMs, values }: Sample): Sample => ({
  unixMs: Math.round(unixMs),
  values: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value.toPrecision(9))])),
});

/** Evenly in each kind, because sources with different rates alternate. The last sample of a kind is always kept. */
function thinned(samples: readonly Sample[]): Sample[] {
  const kinds = Map.groupBy(samples, ({ values }) => Object.keys(values).sort().join());
  const most = Math.max(1, Math.floor(samplesMax / kinds.size));
  const kept = [...kinds.values()].flatMap((kind) => {
    const step = Math.ceil(kind.length / most);
    return kind.filter((_, place) => (kind.length - 1 - place) % step === 0);
  });
  return kept.sort((a, b) => a.unixMs - b.unixMs).map(shortened);
}

/**
 * One measured point as a line of the native format: its records, from which readers compute every figure.
 * Dropped requests were never sent, and those that we gave up say nothing of the server: neither are among them.
 */
export function toNativeReport(
  measured: MeasuredPoint,
  system: ReportedSystem,
  options: ReportOptions = {},
): Record<string, unknown> {
  const { point, record, summary, goodput, cut, askedTokens, prompts, traffic } = measured;
  const sent = record.requests.filter(({ outcome }) => outcome !== 'dropped' && outcome !== 'cancelled');
  const factsOf = (index: number): RequestFacts => ({
    maxTokens: askedTokens[index] ?? null,
    row: traffic?.rows[index] ?? {},
    hasDocuments: record.documents ?? false,
  });
  const detected = toNativeDetected(options.detected);
  const document = documentOf(point, system, traffic !== undefined, {
    ...(goodput !== null && { slo: goodput.limits }),
    ...(record.simulated && { simulated: true }),
    ...(options.withTime && { measured_at: new Date(record.started_at_unix_ms).toISOString() }),
    ...(options.metrics !== undefined && { metrics: options.metrics }),
    ...(options.observed !== undefined &&
      options.observed.length > 0 && {
        observed: { started_unix_ms: record.started_at_unix_ms, samples: thinned(options.observed) },
      }),
    generator: {
      late_ms_p99: summary.arrival === null ? null : rounded(summary.arrival.lateness_ms_p99),
      dropped: summary.by_outcome.dropped,
      limited: record.self.reasons,
      retried: summary.retried,
      notes: toNativeNotes(remarksOf(measured)),
      ...(record.workers !== undefined && {
        workers: filled({ count: record.workers.count, clock_error_ms: record.workers.clock_error_ms }),
      }),
      ...(options.session !== undefined && { session: options.session }),
      ...(prompts !== undefined && { prompts: toNativePrompts(prompts) }),
      ...(traffic !== undefined && { traffic: toNativeTraffic(traffic) }),
      ...(cut !== null && { cut_short: { reason: cut.reason, planned_requests: cut.planned } }),
    },
    ...(detected !== undefined && { detected }),
    requests: sent.map((request) => toNativeRequest(request, factsOf(request.index), options)),
  });
  return options.notes === undefined ? document : { ...document, notes: options.notes };
}
