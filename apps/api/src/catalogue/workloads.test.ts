import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { adminKey, useTestApp } from '../testing/index.ts';

const app = useTestApp();
let [key, otherKey] = ['', ''];
beforeAll(async () => {
  [key, otherKey] = await Promise.all([app.createAccount('first'), app.createAccount('second')]);
});

const fixture = (path: string) =>
  readFileSync(new URL(`../../../../packages/core/fixtures/${path}`, import.meta.url), 'utf8');
const facts = { model: 'llama-3.1-8b', gpu: 'h100-sxm', gpu_count: '1', quantization: 'bf16' };

interface Answered {
  copy_of: string | null;
  id: string | null;
  system: { id: string };
  scenario: { id: string; input_tokens: number | null; output_tokens: number | null };
  workload: { id: string; regime: string | null; input_tokens: number | null; output_tokens: number | null };
  measured_lengths: { input_tokens: number | null; output_tokens: number | null } | null;
  load: { mode: string; level: number | null };
}
interface Answer {
  results: Answered[];
  errors?: { code: string; parameter?: string; hint?: string }[];
}

async function submit(artifact: string, query: Record<string, string> = {}, as = key) {
  const response = await app.submit(artifact, { ...facts, ...query }, as);
  return { http: response.status, ...((await response.json()) as Answer) };
}

const works = ({ scenario, workload, measured_lengths, load }: Answered) => ({
  scenario,
  workload,
  measured_lengths,
  load,
});

/** An AIPerf console table with these means. */
const box = fixture('aiperf/0.5-box-and-command.txt');
const boxOf = (input: string, output: string) =>
  box.replace('512.00 │     512.00', `${input} │     512.00`).replace('128.00 │     128.00', `${output} │     128.00`);

describe('measured mean lengths', () => {
  test('are stored and returned, and determine the shape', async () => {
    const { http, results } = await submit(boxOf('511.98', '127.99'));
    expect(http).toBe(201);
    const [result] = results;
    expect(result).toMatchObject({
      scenario: { id: '510-130', input_tokens: null, output_tokens: null },
      workload: { id: '510-130-steady', regime: 'steady', input_tokens: 510, output_tokens: 130 },
      measured_lengths: { input_tokens: 511.98, output_tokens: 127.99 },
    });
    const { results: dry } = await submit(boxOf('511.98', '127.99'), { dry_run: 'true' }, otherKey);
    expect(dry.map(works)).toEqual(results.map(works));
    const { data } = await app.get<{ data: Answered[] }>(`/v1/results?full=true&system=${result?.system.id}`);
    expect(data.map(works)).toEqual(results.map(works));
  });

  test('do not distinguish points: another account measures the same one', async () => {
    const { results } = await submit(boxOf('512.02', '128.01'), {}, otherKey);
    const system = results[0]?.system.id ?? '';
    const { points } = await app.get<{ points: { workload: { id: string }; result_count: number }[] }>(
      `/v1/systems/${system}`,
    );
    // The values are those of the first account: the copy at the same point is not counted.
    expect(results[0]?.copy_of).not.toBeNull();
    expect(points.map(({ workload, result_count }) => [workload.id, result_count])).toEqual([['510-130-steady', 1]]);
  });

  test('are returned together with the requested lengths', async () => {
    const { results } = await submit(boxOf('511.97', '127.98'), { input_tokens: '512', output_tokens: '128' });
    expect(results[0]).toMatchObject({
      scenario: { id: '510-130', input_tokens: 512, output_tokens: 128 },
      measured_lengths: { input_tokens: 511.97, output_tokens: 127.98 },
    });
  });

  test('close to a named shape map to that shape, regardless of the given name', async () => {
    const { results } = await submit(boxOf('1020.30', '250.10'), { scenario: 'custom' });
    expect(results[0]?.workload).toMatchObject({ id: 'chatbot-steady', input_tokens: 1024, output_tokens: 256 });
    const refused = await submit(boxOf('8000.30', '250.10'), { scenario: 'chatbot' });
    expect(refused.http).toBe(422);
    expect(refused.errors?.[0]).toMatchObject({ code: 'scenario_contradicted', parameter: 'input_tokens' });
  });
});

test('an offline run is offline without a given batch size', async () => {
  const { results } = await submit(fixture('vllm-bench-throughput/0.6.3-console-total-only.txt'));
  expect(results[0]).toMatchObject({
    workload: { id: 'unspecified-offline', regime: 'offline' },
    load: { mode: 'unspecified', level: null },
  });
  const { results: stated } = await submit(fixture('vllm-bench-throughput/0.7-result.json'));
  expect(stated[0]).toMatchObject({ workload: { regime: 'offline' }, load: { mode: 'burst', level: 200 } });
});

test.each(['jsonl', 'csv'])('an export as %s has the same workloads', async (format) => {
  const text = await (await app.request(`/v1/results.${format}?account=first`)).text();
  const { data } = await app.get<{ data: Answered[] }>('/v1/results?full=true&account=first');
  expect(data.length).toBeGreaterThanOrEqual(5);
  const response = await app.submit(text, {}, adminKey);
  expect(response.status).toBe(201);
  expect(((await response.json()) as Answer).results.map(works)).toEqual(data.map(works));
});

describe('filters', () => {
  const ids = async (query: string) => {
    const { data } = await app.get<{ data: Answered[] }>(`/v1/results?full=true&account=first&account=second&${query}`);
    return data.map(({ workload }) => workload.id).sort();
  };
  const board = async (query: string) => {
    const answer = await app.get<{ data: Answered[] }>(`/v1/leaderboard?full=true&rank_by=output_tok_s&${query}`);
    return answer.data.map(({ workload }) => workload.id);
  };

  test('accept a workload, or a shape with any regime', async () => {
    expect(await ids('workload=510-130-steady')).toEqual(Array(3).fill('510-130-steady'));
    expect(await ids('scenario=510-130')).toEqual(await ids('workload=510-130'));
    expect(await ids('workload=510-130-burst')).toEqual([]);
    expect(await ids('workload=512-128')).toHaveLength(3);
    expect(await ids('workload=chatbot&workload=510-130')).toHaveLength(4);
    expect(await board('workload=chatbot-steady')).toEqual(['chatbot-steady']);
    expect(await board('workload=chatbot-burst')).toEqual([]);
    expect(await board('scenario=chatbot')).toEqual(['chatbot-steady']);
  });

  test('accept a regime', async () => {
    expect(await ids('regime=offline')).toEqual(['unspecified-offline', 'unspecified-offline']);
    expect((await ids('regime=steady')).every((id) => id.endsWith('-steady'))).toBe(true);
    expect((await board('regime=offline')).every((id) => id.endsWith('-offline'))).toBe(true);
  });

  test('reject the scenario "custom" and misspelled names', async () => {
    for (const [query, near] of [
      ['scenario=custom', undefined],
      ['workload=custom-steady', undefined],
      ['workload=chatbt-steady', 'chatbot'],
    ] as const) {
      const response = await app.request(`/v1/results?${query}`);
      expect(response.status).toBe(422);
      const { errors } = (await response.json()) as Answer;
      expect(errors?.[0]).toMatchObject({ code: 'value_unknown' });
      if (near !== undefined) expect(errors?.[0]?.hint).toContain(near);
    }
  });
});

test('the catalogue lists every workload that has results', async () => {
  interface Listed {
    id: string;
    shape: string;
    regime: string | null;
    systems: number;
    claims: number;
    metrics: number;
  }
  const { data } = await app.get<{ data: Listed[] }>('/v1/catalogue/workloads');
  const { data: results } = await app.get<{ data: Answered[] }>('/v1/results?full=true&limit=200');
  expect(new Set(data.map(({ id }) => id))).toEqual(new Set(results.map(({ workload }) => workload.id)));
  expect(data.find(({ id }) => id === 'chatbot-steady')).toMatchObject({
    name: 'Chatbot, steady',
    shape: 'chatbot',
    regime: 'steady',
    systems: 1,
    claims: 1,
    input_tokens: 1024,
    metrics: expect.any(Number),
  });
});

// Published result files, next to the checkout if they were collected.
const folder = new URL('../../../../../shared/real-results/', import.meta.url);
const published = existsSync(folder) ? readdirSync(folder).filter((name) => /^(?:aiperf|genai_perf)__/.test(name)) : [];

test.skipIf(published.length === 0).each(published)(
  'storing the published file %s gives the result of its dry run',
  async (name) => {
    const artifact = readFileSync(new URL(name, folder), 'utf8');
    const given = { model: 'unspecified', gpu: 'unspecified', quantization: 'unspecified', gpu_count: '1' };
    const dry = await submit(artifact, { ...given, dry_run: 'true' });
    expect(dry.http).toBe(200);
    const stored = await submit(artifact, given);
    expect(stored.http).toBe(201);
    expect(stored.results.map(works)).toEqual(dry.results.map(works));
  },
);
