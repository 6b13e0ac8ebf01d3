import { beforeAll, describe, expect, it } from 'vitest';
import { ensureAccount } from '../startup/bootstrap.ts';
import { answerInThisThread } from '../submissions/actions/answer-submission.ts';
import { adminKey, useTestApp } from '../testing/index.ts';
import { type MeasuredPoint, submitMeasured } from '../testing/measured.ts';
import type { TrendSchema } from './trend-schema.ts';

type Trend = ReturnType<typeof TrendSchema.parse>;

const app = useTestApp();
const submit = (day: string, points: readonly MeasuredPoint[]) =>
  submitMeasured(app, adminKey, points, { measured_at: `${day}T10:00:00Z` });

/** A published figure of an H200, as the operator imports it. */
const published = (value: number, source: Record<string, string>, scenario = 'chatbot', level = 8) =>
  JSON.stringify({
    schema: 'inferboard/v1',
    system: {
      ...{ model: 'llama-3.1-8b', quantization: 'fp8', gpu: 'h200-sxm', gpu_count: 1 },
      engine: { name: 'vllm', version: source.entry ?? source.title },
    },
    scenario,
    results: [
      {
        load: { mode: 'concurrency', level },
        metrics: { output_tok_s: value },
        source: { publisher: 'Somebody', url: 'https://example.org/r', ...source },
      },
    ],
  });

async function importAll(lines: readonly string[]): Promise<void> {
  const accountId = await ensureAccount(app.deps.database.db, 'importer');
  const principal = { accountId, accountName: 'importer', keyId: '', scopes: [] };
  const bytes = Buffer.from(lines.join('\n'));
  const upload = { bytes, parameters: {} as never, dryRun: false, isFull: false, isImported: true };
  await answerInThisThread(app.deps, { principal, upload, request: null });
}

beforeAll(async () => {
  // The best load of the day counts, as the mean of its repetitions.
  await submit('2026-01-05', [
    { version: '0.9.0', values: [90, 110] },
    { version: '0.9.0', values: [300, 302], level: 32 },
  ]);
  await submit('2026-02-05', [{ version: '0.9.1', values: [250], level: 32 }]);
  await submit('2026-03-05', [{ version: '0.10.0', values: [390, 410], level: 32 }]);
  // The fastest figure of all is of another workload.
  await submit('2026-03-06', [{ version: '0.10.0', values: [2000], scenario: 'rag' }]);
  await importAll([
    published(500, { title: 'Figures', entry: 'run 7, 2026-02-20' }),
    published(450, { title: 'Figures', entry: 'run 9, 2026-03-20' }),
    published(420, { title: 'MLPerf Inference v5.1, Closed', entry: '5.1-0001, Somebody' }),
    published(5000, { title: 'Figures', entry: 'run of some day' }),
  ]);
  await submitMeasured(app, adminKey, [{ values: [4000], gpu: 'unspecified' }], {
    measured_at: '2026-01-02T00:00:00Z',
  });
});

const trend = (query = '&model=llama-3.1-8b') => app.get<Trend>(`/v1/trends?metric=output_tok_s${query}`);
const figures = ({ data }: Trend) =>
  data.map(({ id, values }) => [id, values.map(({ day, value, is_best: isBest }) => [day, value, isBest])]);

describe('the best figures over time', () => {
  it('are listed for each day, with each new best marked', async () => {
    expect(figures(await trend())).toEqual([
      [
        'h200-sxm',
        [
          ['2025-09-09', 420, true],
          ['2026-02-20', 500, true],
          ['2026-03-20', 450, false],
        ],
      ],
      [
        'h100-sxm',
        [
          ['2026-01-05', 301, true],
          ['2026-02-05', 250, false],
          ['2026-03-05', 400, true],
        ],
      ],
    ]);
  });

  it('have n, interval, load, source and the origin of the date', async () => {
    const { data, unit, better, days, series } = await trend();
    expect({ unit, better, days, series }).toEqual({ unit: 'tok/s', better: 'higher', days: 6, series: 2 });
    const [h200, h100] = data;
    expect(h200?.title).toMatch(/^H200/);
    expect(h200?.values.map(({ day_is: is, source }) => [is, source?.title])).toEqual([
      ['published', 'MLPerf Inference v5.1, Closed'],
      ['published', 'Figures'],
      ['published', 'Figures'],
    ]);
    const [first] = h100?.values ?? [];
    expect(first).toMatchObject({ n: 2, day_is: 'measured', source: null, load: { mode: 'concurrency', level: 32 } });
    expect(first?.ci95?.[0]).toBeCloseTo(301 - 12.7062, 3);
    const { pathname, hash } = new URL(first?.links.page ?? '');
    const { results } = await app.get<{ results: { id: string }[] }>(`/v1${pathname}`);
    expect(results.map(({ id }) => `#${id}`)).toContain(hash);
  });

  it('never mix workloads: the one with the longest series is chosen, the others are listed', async () => {
    const { workload } = await trend();
    expect(workload).toMatchObject({ id: 'chatbot-steady', chosen_because: 'most_days' });
    expect(workload?.others).toEqual([
      { id: 'rag-steady', days: 1, url: expect.stringContaining('workload=rag-steady') },
    ]);
    const asked = await trend('&model=llama-3.1-8b&workload=rag-steady');
    expect(asked.workload).toMatchObject({ id: 'rag-steady', chosen_because: 'asked' });
    expect(figures(asked)).toEqual([['h100-sxm', [['2026-03-06', 2000, true]]]]);
  });

  it('exclude published figures without a date and unspecified GPUs, and count them', async () => {
    expect((await trend()).excluded).toEqual({ undated: 1, unspecified_gpu: 1 });
  });

  it('state why there are none', async () => {
    await importAll([published(600, { title: 'Figures', entry: 'run of some day' }, 'agentic')]);
    const { workload, days, excluded } = await trend('&model=llama-3.1-8b&workload=agentic-steady');
    expect({ workload, days, excluded }).toEqual({ workload: null, days: 0, excluded: { undated: 1 } });
  });

  it('use another default metric if the first one has no value', async () => {
    await submit('2026-06-01', [{ metric: 'decode_tok_s', values: [50], gpu: 'a100-sxm-80gb', level: 1 }]);
    const { metric, data } = await app.get<Trend>('/v1/trends?gpu=a100-sxm-80gb');
    expect({ metric, best: data[0]?.best }).toEqual({ metric: 'decode_tok_s', best: 50 });
    expect(await app.get('/v1/trends?gpu=a100-sxm-80gb&metric=output_tok_s_per_gpu')).toMatchObject({
      ...{ metric: 'output_tok_s_per_gpu', days: 0 },
    });
    expect(await app.get('/v1/trends?gpu=a100-sxm-80gb&regime=burst')).toMatchObject({
      ...{ metric: 'output_tok_s_per_gpu', days: 0 },
    });
  });

  it('accept the common filters, including dates', async () => {
    expect(figures(await trend('&gpu=h100&until=2026-03-01T00:00:00Z'))).toEqual([
      [
        'h100-sxm',
        [
          ['2026-01-05', 301, true],
          ['2026-02-05', 250, false],
        ],
      ],
    ]);
    expect(figures(await trend('&gpu=h200&until=2026-01-01T00:00:00Z'))).toEqual([
      ['h200-sxm', [['2025-09-09', 420, true]]],
    ]);
    const byModel = await trend('&by=model&gpu=h100');
    expect(byModel.data.map(({ id, title }) => [id, title])).toEqual([['llama-3.1-8b', 'Llama 3.1 8B']]);
    expect(await trend('&gpu=b200')).toMatchObject({ workload: null, definition: null, days: 0, data: [] });
  });

  it('are the lowest values if lower is better', async () => {
    const ttft = (value: number, formula = 'send_to_first_token'): MeasuredPoint => ({
      ...{ metric: 'ttft_ms_mean', values: [value], level: 4 },
      definitions: { ttft_ms: formula },
    });
    await submit('2026-04-01', [ttft(200)]);
    await submit('2026-04-02', [ttft(220)]);
    await submit('2026-04-03', [ttft(120), ttft(30, 'schedule_to_first_token')]);
    const { data, definition, better } = await app.get<Trend>('/v1/trends?metric=ttft_ms&gpu=h100');
    expect({ better, group: definition?.id }).toEqual({ better: 'lower', group: 'request' });
    expect(data[0]?.values.map(({ value, is_best: isBest }) => [value, isBest])).toEqual([
      [200, true],
      [220, false],
      [120, true],
    ]);
    expect(definition?.others).toEqual([{ id: 'schedule', days: 1, url: expect.any(String) }]);
    const other = new URL(definition?.others[0]?.url ?? '');
    const asked = await app.get<Trend>(other.pathname + other.search);
    expect(asked.data[0]?.values.map(({ value }) => value)).toEqual([30]);
  });

  it('never average values of two formulas', async () => {
    const itl = (value: number, formula: string): MeasuredPoint => ({
      ...{ metric: 'itl_ms_mean', values: [value], level: 4 },
      definitions: { itl_ms: formula },
    });
    await submit('2026-04-04', [itl(12, 'per_chunk'), itl(10, 'per_token')]);
    const { data } = await app.get<Trend>('/v1/trends?metric=itl_ms&gpu=h100');
    expect(data[0]?.values.map(({ value, n }) => [value, n])).toEqual([[10, 1]]);
  });

  it('exclude retracted results', async () => {
    const { submission } = await submit('2026-05-01', [{ version: '0.12.0', values: [8000], level: 32 }]);
    expect((await trend()).data[0]?.best).toBe(8000);
    const headers = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ reason: 'It was another model.' });
    await app.request(`/v1/submissions/${submission}/retract`, { method: 'POST', headers, body });
    expect((await trend()).data[0]?.best).toBe(500);
  });

  it.each([
    ['model=llama-3.1-8b&metric=duration_s', 'metric_neutral'],
    ['model=llama-3.1-8b&metric=speed_of_sound', 'metric_unknown'],
    ['model=llama-3.1-8b&by=colour', 'value_invalid'],
    ['gpu=h1000', 'value_unknown'],
    ['quantization=fp8', 'parameter_missing'],
    ['model=llama-3.1-8b&definition=best', 'definition_unknown'],
    ['model=llama-3.1-8b&limit=5', 'parameter_unknown'],
  ])('%s is rejected', async (query, code) => {
    const response = await app.request(`/v1/trends?${query}`);
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ errors: [{ code }] });
  });
});
