import { refreshPointStatistics } from '@inferboard/db/points/point-statistics-refresh';
import { beforeAll, expect } from 'vitest';
import { type Answer, adminKey, useTestApp } from './index.ts';

// Helpers for tests of admin decisions about held results.

export interface Finding {
  code: string;
  severity: string;
  message: string;
  evidence: Record<string, unknown>;
}

export interface Submission extends Omit<Answer, 'results'> {
  reviews: {
    decision: string;
    note: string;
    mapping: Record<string, { from: string; to: string }> | null;
    results: string[];
    at: string;
    by: string;
  }[];
  results: (Omit<Answer['results'][number], 'findings'> & {
    id: string;
    findings: Finding[];
    copy_of: string | null;
  })[];
}

export interface Board {
  data: {
    value: number;
    statistics: { n: number; mean: number; ci95: [number, number] | null; runs: { result_id: string }[] };
    system: { id: string; gpu: { id: string | null; name: string } };
  }[];
  excluded: Record<string, number>;
}

export interface Line {
  metrics: Record<string, number>;
  level?: number;
}

export const fast: Line = { metrics: { output_tok_s: 800, ttft_ms_mean: 100 } };
export const slow: Line = { metrics: { output_tok_s: 400, ttft_ms_mean: 50 }, level: 4 };
/** Implausible: the first token comes after the last one. */
export const impossible: Line = { metrics: { output_tok_s: 500, ttft_ms_mean: 900, e2e_ms_mean: 200 }, level: 2 };

/** A native report. Every test uses a separate system, distinguished by the engine version. */
export function report(version: string, system: Record<string, unknown>, lines: Line[]): string {
  return JSON.stringify({
    schema: 'inferboard/v1',
    system: {
      model: 'llama-3.1-8b',
      quantization: 'bf16',
      gpu: 'h100-sxm',
      gpu_count: 1,
      engine: { name: 'vllm', version },
      ...system,
    },
    scenario: 'chatbot',
    results: lines.map(({ metrics, level = 8 }) => ({ load: { mode: 'concurrency', level }, metrics })),
  });
}

export const codes = (submission: Submission, place = 0) => submission.results[place]?.findings.map(({ code }) => code);
export const statuses = (submission: Submission) => submission.results.map(({ status }) => status);

/** A service, a submitting account, and the requests of the review tests. For a whole test file. */
export function useReviews() {
  const app = useTestApp();
  let key = '';
  beforeAll(async () => {
    key = await app.createAccount('submitter');
  });

  async function submit(artifact: string, query: Record<string, string> = {}, by = key): Promise<Submission> {
    const response = await app.submit(artifact, query, by);
    const body = (await response.json()) as Submission;
    expect([response.status, body.errors]).toEqual([201, undefined]);
    return body;
  }

  const post = (id: string, body: unknown, headers: Record<string, string> = {}) =>
    app.request(`/v1/submissions/${id}/review`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });

  async function review(id: string, body: Record<string, unknown>): Promise<Submission> {
    const response = await post(id, { note: 'looked at', ...body });
    const answer = (await response.json()) as Submission;
    expect([response.status, answer.errors]).toEqual([200, undefined]);
    expect(answer).toEqual(await app.get(`/v1/submissions/${id}`));
    return answer;
  }

  const board = (version: string, filters: Record<string, string> = {}) =>
    app.get<Board>(
      `/v1/leaderboard?${new URLSearchParams({ full: 'true', rank_by: 'output_tok_s', engine_version: version, ...filters })}`,
    );
  /** Compares the stored statistics of all points with ones recomputed from the stored results. */
  async function expectStatisticsCurrent(): Promise<void> {
    const { sql, db } = app.deps.database;
    const read = () => sql`
      select to_jsonb(t) - '{updated_at,summed_by}'::text[] as row from point_statistics t order by t.point_id, t.status, t.account_id, t.own_trust, t.variant`;
    const before = await read();
    await db.transaction(async (tx) => {
      const points = (await tx.execute('select id from points')) as unknown as { id: string }[];
      await refreshPointStatistics(
        tx,
        points.map(({ id }) => Number(id)),
      );
    });
    expect(before).toEqual(await read());
  }

  return { app, submit, post, review, board, expectStatisticsCurrent, submitterKey: () => key };
}
