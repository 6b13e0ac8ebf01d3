import type { RequestRecord } from '../measure/load-record.ts';
import type { MeasuredPoint } from './measure-point.ts';

/** What is said of the measured system, in the words of the native format; null where it is not known. */
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
  /** Whether failures are told in the words of the server and the network too: those are not for everybody. */
  withDetails?: boolean;
}

function errorOf({ outcome, outcome_detail, status }: RequestRecord, { withDetails = false }: ReportOptions): string {
  if (withDetails) return [outcome, outcome_detail].filter((text) => text !== null).join(': ');
  return outcome.startsWith('http_') && status !== null ? `${outcome}: ${status}` : outcome;
}

function toNativeRequest(request: RequestRecord, maxTokens: number | null, options: ReportOptions) {
  const { chunks_ms: chunks, started_ms, outcome } = request;
  const [first, last] = [chunks[0], chunks.at(-1)];
  const isOk = outcome === 'ok';
  const gaps = Array.from(chunks.subarray(1), (at, place) => rounded(at - (chunks[place] ?? at)));
  return {
    sent_s: Math.round(started_ms * 1000) / 1e6,
    input_tokens: request.prompt_tokens,
    cached_tokens: request.cached_tokens,
    output_tokens: request.output_tokens,
    max_tokens: maxTokens,
    ttft_ms: isOk && first !== undefined ? rounded(first - started_ms) : null,
    e2e_ms: isOk && last !== undefined ? rounded(last - started_ms) : null,
    itl_ms: isOk ? gaps : null,
    error: isOk ? null : errorOf(request, options),
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

/**
 * One measured point as a line of the native format: its records, from which whoever reads it computes every figure.
 * Dropped requests were never sent, and those that we gave up say nothing of the server: neither are among them.
 */
export function toNativeReport(
  { point, record, summary, cut, askedTokens }: MeasuredPoint,
  system: ReportedSystem,
  options: ReportOptions = {},
): Record<string, unknown> {
  const { scenario, load, repetition } = point;
  const { id, inputTokens, outputTokens } = scenario;
  const sent = record.requests.filter(({ outcome }) => outcome !== 'dropped' && outcome !== 'cancelled');
  return {
    schema: 'inferboard/v1',
    tool: { name: toolName, version: toolVersion },
    system: toNativeSystem(system),
    scenario:
      inputTokens === null || outputTokens === null ? id : { input_tokens: inputTokens, output_tokens: outputTokens },
    results: [
      {
        load: filled({
          mode: load.mode,
          level: load.level,
          burstiness: load.burstiness ?? null,
          max_concurrency: load.maxConcurrency ?? null,
        }),
        repetition,
        ...(record.simulated && { simulated: true }),
        generator: {
          late_ms_p99: summary.arrival === null ? null : rounded(summary.arrival.lateness_ms_p99),
          dropped: summary.by_outcome.dropped,
          limited: record.self.reasons,
          ...(cut !== null && { cut_short: { reason: cut.reason, planned_requests: cut.planned } }),
        },
        requests: sent.map((request) => toNativeRequest(request, askedTokens[request.index] ?? null, options)),
      },
    ],
  };
}
