import { fullGrid } from '../../packages/core/src/testing/report-grid.ts';
import { adminKey, startTestServer, type TestServer } from './server.ts';

// Systems with different reports, and the API's report of the most complete one.

export interface Figure {
  metric: string;
  value: number;
  n: number | null;
  ci95: [number, number] | null;
  load: { mode: string; level: number };
}
export interface Series {
  scenario: { title: string };
  values: Figure[];
}
export interface Queue {
  scenario: { title: string };
  text: string;
}
type Charts = Record<string, Series[]>;
export interface Report {
  headline: Record<string, Figure | null>;
  peak: Charts | null;
  burst: (Charts & { max_safe_queue: unknown }) | null;
  batch: Charts | null;
  findings: { id: string; sentence: string }[];
}

/** A service with all kinds of reports. */
export interface ReportServer {
  server: TestServer;
  /** Id of a system with a complete inference report and three repetitions. */
  grid: string;
  /** Id of a system with the sample data's six points for a report. */
  sparse: string;
  /** Id of a system with only batch measurements. */
  offline: string;
  /** Id of a system with a kernel. */
  kernel: string;
  /** The API's report of `grid`. */
  report: Report;
}

/** A submission with three repetitions: the second 1 % slower, the third 1 % faster. */
function submission(): string {
  const results = fullGrid.flatMap(({ scenario, mode, level, metrics }) =>
    [1, 1.01, 0.99].map((factor, index) => ({
      scenario,
      load: { mode, level },
      repetition: index + 1,
      metrics: {
        ...metrics,
        ttft_ms_mean: (metrics.ttft_ms_mean ?? 0) * factor,
        user_tok_s: (metrics.user_tok_s ?? 0) / factor,
      },
    })),
  );
  const system = { model: 'Qwen/Qwen3.5-35B-A3B-FP8', quantization: 'fp8', gpu: 'h200', gpu_count: 1 };
  return JSON.stringify({ schema: 'inferboard/v1', system: { ...system, engine: { name: 'vllm' } }, results });
}

/** Starts a service with the sample data and a complete grid. Dispose of its server when done. */
export async function startReportServer(settings: Record<string, string> = {}): Promise<ReportServer> {
  const server = await startTestServer(settings);
  const get = async <T>(path: string): Promise<T> => {
    const response = await fetch(server.url + path);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  };
  const systemWith = async (query: string): Promise<string> => {
    const { data } = await get<{ data: { id: string }[] }>(`/v1/systems?${query}`);
    const [first] = data;
    if (first === undefined) throw new Error(`no system for ${query}`);
    return first.id;
  };
  try {
    const response = await fetch(`${server.url}/v1/submissions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}` },
      body: submission(),
    });
    if (response.status !== 201) throw new Error(await response.text());
    const grid = await systemWith('gpu=h200');
    const kernels = await get<{ data: { system: { id: string } }[] }>('/v1/leaderboard?rank_by=forward_ms');
    return {
      server,
      grid,
      sparse: await systemWith('tool=native&gpu=h100'),
      offline: await systemWith('quantization=w8a16_awq'),
      kernel: kernels.data[0]?.system.id ?? '',
      report: await get<Report>(`/v1/systems/${grid}/report`),
    };
  } catch (error) {
    await server.dispose();
    throw error;
  }
}
