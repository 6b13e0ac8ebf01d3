import { findGpu, models } from '@inferboard/core/catalogue/index';
import { beforeAll, describe, expect, it } from 'vitest';
import { adminKey, useTestApp } from '../testing/index.ts';
import { shortChoice } from './short-views.ts';

// Short responses have a size limit in bytes; `full=true` returns everything.

const app = useTestApp();
const entriesMax_bytes = 40_000;
const submissionMax_bytes = 20_000;

const sizeOf = async (path: string, init?: RequestInit) => {
  const response = await app.request(path, init);
  expect(response.status, path).toBeLessThan(300);
  return (await response.arrayBuffer()).byteLength;
};

/** Metrics with all their digits, as printed by tools that summarise latencies with several statistics. */
function metricsOf(at: number): Record<string, number> {
  const latency = (name: string, mean: number) =>
    Object.entries({ mean: 1, p50: 0.97, p90: 1.31, p95: 1.47, p99: 1.93, min: 0.71, max: 2.3, sd: 0.17 }).map(
      ([statistic, factor]) => [`${name}_${statistic}`, mean * factor] as const,
    );
  const ttft = 420 + 100 / (at + 7);
  const itl = 31 + 10 / (at + 3);
  return Object.fromEntries([
    ...latency('ttft_ms', ttft),
    ...latency('itl_ms', itl),
    ...latency('e2e_ms', ttft + itl * 255),
    ['output_tok_s', 8 * (256 / ((ttft + itl * 255) / 1000))],
  ]);
}

const known = models.filter(({ paramsTotalB }) => paramsTotalB < 100).slice(0, 40);
const cards = ['h100-sxm', 'h200-sxm', 'b200-sxm', 'mi300x', 'a100-sxm4-80gb'].flatMap((id) => findGpu(id) ?? []);
/** Repetitions for every other system. */
const runs = [0, 0.03, -0.02];

/** Native-format lines with `count` results, for systems with names as tools write them. */
function linesOf(count: number, version: string): string {
  return Array.from({ length: count / 2 }, (_, at) => {
    const model = known[at % known.length];
    const gpu = cards[Math.floor(at / known.length) % cards.length];
    return JSON.stringify({
      schema: 'inferboard/v1',
      system: {
        ...{ model: `mistralai/${model?.name}`, quantization: 'fp8', gpu: gpu?.name, gpu_count: 8 },
        engine: { name: 'vllm', version },
        parallelism: { tensor: 8 },
        features: { prefix_caching: false },
      },
      scenario: 'chatbot',
      results: (at % 2 === 0 ? runs : [0]).map((more) => ({
        load: { mode: 'concurrency', level: 8 },
        metrics: metricsOf(at + more),
      })),
    });
  }).join('\n');
}

interface Submission {
  id: string;
  result_count: number;
  summary: {
    systems: number;
    statuses: Record<string, number>;
    findings: { code: string; severity: string; results: number; result_id: string | null }[];
  } | null;
  results: { id: string; findings: { code: string; severity: string }[]; status: string }[] | null;
  links: { full: string; results: string };
}

const submit = async (lines: string, query: Record<string, string> = {}) => {
  const response = await app.submit(lines, query, adminKey);
  const text = await response.text();
  expect(response.status, text.slice(0, 2000)).toBeLessThan(300);
  return { bytes: Buffer.byteLength(text), body: JSON.parse(text) as Submission };
};

describe('fifty entries take at most 40 kB', () => {
  beforeAll(async () => {
    await submit(linesOf(400, '0.11.0.post1'));
  });

  it.each([
    '/v1/leaderboard',
    '/v1/leaderboard?rank_by=ttft_ms_mean&max_itl_ms=90',
    '/v1/best?limit=50',
    '/v1/results?include=quarantined',
  ])('%s', async (path) => {
    const { data } = await app.get<{ data: unknown[] }>(path);
    expect(data).toHaveLength(50);
    expect(await sizeOf(path)).toBeLessThanOrEqual(entriesMax_bytes);
    // The full response must be much longer; otherwise the test proves nothing.
    expect(await sizeOf(`${path}${path.includes('?') ? '&' : '?'}full=true`)).toBeGreaterThan(3 * entriesMax_bytes);
  });

  it('also in a chart and in a matrix', async () => {
    const { data } = await app.get<{ data: object[] }>('/v1/pareto?x=ttft_ms_mean');
    expect(data.length).toBeGreaterThan(50);
    expect(JSON.stringify(data.slice(0, 50)).length).toBeLessThanOrEqual(entriesMax_bytes);
    const { cells } = await app.get<{ cells: (object | null)[][] }>('/v1/matrix');
    const measured = cells.flat().filter((cell) => cell !== null);
    expect(measured.length).toBeGreaterThan(50);
    expect(JSON.stringify(measured.slice(0, 50)).length).toBeLessThanOrEqual(entriesMax_bytes);
  });

  it('list few alternatives', () => {
    expect(shortChoice({ id: 'a', others: [1, 2, 3, 4, 5, 6, 7] })).toEqual({ id: 'a', others: [1, 2, 3, 4, 5] });
    expect(shortChoice(null)).toBeNull();
  });

  it('are subsets of the full response', async () => {
    for (const path of ['/v1/leaderboard', '/v1/best?subject=gpu', '/v1/pareto?x=ttft_ms_mean', '/v1/matrix']) {
      const whole = await app.get(`${path}${path.includes('?') ? '&' : '?'}full=true`);
      expect(whole, path).toMatchObject(await app.get(path));
    }
  });

  it('of results have finding codes', async () => {
    type Page = { data: { findings: { code: string; severity: string }[] }[] };
    // The GPU count is missing, which is a finding.
    const [line = ''] = linesOf(2, '0.10.0').split('\n');
    const { body } = await submit(line.replace('"gpu_count":8,', '').replace('{"tensor":8}', '{}'));
    expect(body.results?.[0]?.findings).not.toEqual([]);
    const { data } = await app.get<Page>('/v1/results');
    const whole = await app.get<Page>('/v1/results?full=true');
    const judged = whole.data.map(({ findings }) => findings.filter(({ severity }) => severity !== 'unchecked'));
    expect(judged.flat().length).toBeGreaterThan(0);
    expect(data.map(({ findings }) => findings)).toEqual(
      judged.map((findings) => findings.map(({ code, severity }) => ({ code, severity }))),
    );
    expect(whole.data).toMatchObject(data.map(({ findings: _, ...rest }) => rest));
  });

  it('of results have only measured metrics, and the metrics of the query', async () => {
    const { data } = await app.get<{
      data: { metrics: Record<string, number>; derived: Record<string, number>; definitions: Record<string, string> }[];
    }>('/v1/leaderboard?rank_by=output_tok_s&max_ttft_ms_p99=100000&min_output_tok_s_per_gpu=0.1');
    expect(Object.keys(data[0]?.metrics ?? {})).toEqual(['ttft_ms_p99']);
    expect(Object.keys(data[0]?.derived ?? {})).toEqual(['output_tok_s_per_gpu']);
    expect(Object.keys(data[0]?.definitions ?? {})).toEqual(['ttft_ms']);
  });

  it('have the same pages as full responses', async () => {
    const { next_cursor: cursor } = await app.get<{ next_cursor: string }>('/v1/leaderboard?limit=10');
    const short = await app.get(`/v1/leaderboard?limit=10&cursor=${cursor}`);
    expect(await app.get(`/v1/leaderboard?limit=10&full=true&cursor=${cursor}`)).toMatchObject({
      data: short.data as object,
    });
  });

  it('reject other values of full', async () => {
    expect((await app.request('/v1/leaderboard?full=maybe')).status).toBe(422);
  });
});

describe('a large submission', () => {
  const count = 10_000;
  const lines = linesOf(count, '0.12.0');
  let stored: { bytes: number; body: Submission };
  beforeAll(async () => {
    stored = await submit(lines);
  }, 120_000);

  it('is returned with counts, in at most 20 kB', async () => {
    const { bytes, body } = stored;
    expect(bytes).toBeLessThanOrEqual(submissionMax_bytes);
    expect(body).toMatchObject({ result_count: count, results: null });
    const { systems, statuses } = body.summary ?? { systems: 0, statuses: {} };
    expect(systems).toBe(known.length * cards.length);
    expect(Object.values(statuses).reduce((sum, one) => sum + one, 0)).toBe(count);
  });

  it('has the same response later and in a dry run', async () => {
    const again = await submit(lines);
    expect(again.body).toEqual({ ...stored.body, duplicate: true });
    expect(await app.get(`/v1/submissions/${stored.body.id}`)).toEqual(stored.body);
    const { body, bytes } = await submit(lines, { dry_run: 'true', notes: 'another' });
    expect(bytes).toBeLessThanOrEqual(submissionMax_bytes);
    expect(body.result_count).toBe(count);
    expect(body.summary?.findings.every(({ result_id }) => result_id === null)).toBe(true);
  });

  it('has all results with full=true, which match the counts', async () => {
    const { pathname, search } = new URL(stored.body.links.full);
    const whole = await app.get<Submission>(pathname + search);
    expect(whole).toMatchObject({ id: stored.body.id, summary: null, result_count: count });
    const results = whole.results ?? [];
    expect(results).toHaveLength(count);
    for (const { code, severity, results: total, result_id } of stored.body.summary?.findings ?? []) {
      const having = results.filter(({ findings }) =>
        findings.some((finding) => finding.code === code && finding.severity === severity),
      );
      expect([code, having.length, having[0]?.id]).toEqual([code, total, result_id]);
    }
  });

  it('links its results page by page', async () => {
    const { pathname, search } = new URL(stored.body.links.results);
    const { data } = await app.get<{ data: { submission_id: string }[] }>(pathname + search);
    expect(data).toHaveLength(50);
    expect(new Set(data.map(({ submission_id: id }) => id))).toEqual(new Set([stored.body.id]));
  });
});

it('a submission with up to one page of results lists all of them', async () => {
  const { body } = await submit(linesOf(200, '0.13.0'));
  expect(body.results).toHaveLength(200);
  expect(body).toMatchObject({ result_count: 200, summary: null });
  expect((await submit(linesOf(204, '0.14.0'), { full: 'true' })).body.results).toHaveLength(204);
});
