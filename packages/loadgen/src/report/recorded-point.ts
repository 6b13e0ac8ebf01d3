import type { Sample } from '@inferboard/core/observed/engine-state';
import type { RequestRecord } from '@inferboard/core/records';
import { type Recomputed, recompute } from '@inferboard/core/records/recompute';
import { formatLoad, type Load } from '@inferboard/core/subjects/load';

/** A point as its line in the file of records has it. */
export interface RecordedPoint {
  scenario: string;
  load: { mode: Load['mode']; level: number | null };
  repetition: number;
  /** Null in lines of points that were not measured to an end. */
  startedUnixMs: number | null;
  isPartial: boolean;
  isSimulated: boolean;
  system: Record<string, unknown>;
  tool: { name: string; version: string };
  /** Figures that are measured in addition to the requests, such as `power_w`. */
  metrics: Record<string, number>;
  limited: readonly string[];
  /** Readings of the server that are stored with the point. */
  samples: readonly Sample[];
  requests: RequestRecord[];
  figures: Recomputed;
}

interface NativeRequest {
  sent_s?: number | null;
  input_tokens?: number | null;
  cached_tokens?: number | null;
  output_tokens?: number | null;
  max_tokens?: number | null;
  ttft_ms?: number | null;
  e2e_ms?: number | null;
  itl_ms?: number[] | null;
  error?: string | null;
}

interface NativeLine {
  tool: RecordedPoint['tool'];
  system: Record<string, unknown>;
  scenario: string | { dataset?: string; input_tokens?: number; output_tokens?: number };
  results: {
    load: RecordedPoint['load'];
    repetition: number;
    measured_at?: string;
    simulated?: boolean;
    metrics?: Record<string, number>;
    observed?: { started_unix_ms: number; samples: Sample[] };
    generator?: { cut_short?: unknown; limited?: string[] };
    requests: NativeRequest[];
  }[];
}

const toRequest = (request: NativeRequest): RequestRecord => ({
  sentS: request.sent_s ?? null,
  inputTokens: request.input_tokens ?? null,
  cachedTokens: request.cached_tokens ?? null,
  outputTokens: request.output_tokens ?? null,
  maxTokens: request.max_tokens ?? null,
  ttftMs: request.ttft_ms ?? null,
  e2eMs: request.e2e_ms ?? null,
  gapsMs: request.itl_ms ?? null,
  error: request.error ?? null,
});

const nameOf = (scenario: NativeLine['scenario']) =>
  typeof scenario === 'string' ? scenario : (scenario.dataset ?? `${scenario.input_tokens}-${scenario.output_tokens}`);

/** Reads the lines that the load generator wrote. The figures are computed as the service computes them. */
export function readRecordedPoints(reports: readonly string[]): RecordedPoint[] {
  return reports.flatMap((line) => {
    const { tool, system, scenario, results } = JSON.parse(line) as NativeLine;
    return results.map((result) => {
      const requests = result.requests.map(toRequest);
      return {
        scenario: nameOf(scenario),
        load: result.load,
        repetition: result.repetition,
        startedUnixMs:
          result.measured_at === undefined
            ? (result.observed?.started_unix_ms ?? null)
            : Date.parse(result.measured_at),
        isPartial: result.generator?.cut_short !== undefined,
        isSimulated: result.simulated === true,
        system,
        tool,
        metrics: result.metrics ?? {},
        limited: result.generator?.limited ?? [],
        samples: result.observed?.samples ?? [],
        requests,
        figures: recompute(requests, null, {}),
      };
    });
  });
}

/** "1024 → 256 tokens": a workload without a name has its lengths. */
export const workloadText = (scenario: string): string => scenario.replace(/^(\d+)-(\d+)$/, '$1 → $2 tokens');

/** "chatbot, 4 concurrent, repetition 2". */
export function titleOf({ scenario, load, repetition }: RecordedPoint): string {
  return `${workloadText(scenario)}, ${formatLoad(load)}${repetition > 1 ? `, repetition ${repetition}` : ''}`;
}
