import { beforeAll, describe, expect, it } from 'vitest';
import { adminKey, useTestApp } from '../testing/index.ts';
import { type MeasuredPoint, submitMeasured } from '../testing/measured.ts';
import type { HistoryValueSchema } from './history-schema.ts';

type Value = ReturnType<typeof HistoryValueSchema.parse>;
interface History {
  metric: string;
  system: { id: string };
  versions: { engine_version: string; system_id: string }[];
  data: {
    scenario: { id: string };
    load: { level: number };
    definition: string | null;
    values: Value[];
    truncated: boolean;
  }[];
  next_cursor: string | null;
}

const app = useTestApp();
const submit = (points: readonly MeasuredPoint[], parameters?: Record<string, string>) =>
  submitMeasured(app, adminKey, points, parameters);
const calm = (mean: number) => [mean - 1, mean, mean + 1];
const itl = (version: string, id: string, mean: number): MeasuredPoint => ({
  version,
  metric: 'itl_ms_mean',
  values: calm(mean),
  level: 64,
  definitions: { itl_ms: id },
});

let system: string;
const history = (query = '') => app.get<History>(`/v1/history?system=${system}${query}`);
const valuesOf = async (query: string) => (await history(query)).data.flatMap(({ values }) => values);

beforeAll(async () => {
  const newest = await submit(
    [
      { version: '0.11.0', values: calm(900) },
      { version: '0.11.0', values: calm(1200), level: 16 },
      { version: '0.11.0', values: calm(700), scenario: 'rag' },
    ],
    { measured_at: '2026-06-02T10:00:00Z' },
  );
  system = newest.systems[0] ?? '';
  await submit([{ version: '0.9.2', values: calm(800) }], { measured_at: '2026-02-03T10:00:00Z' });
  await submit([{ version: '0.10.0', values: calm(1000) }]);
  await submit([{ version: '0.11.0', values: [930] }], { measured_at: '2026-07-04T10:00:00Z' });
  // Similar systems that differ in another fact.
  await submit([
    { version: '0.10.0', values: calm(5), power: 450 },
    { version: '0.10.0', values: calm(5), gpu: 'h200-sxm' },
  ]);
  await submit([itl('0.11.0', 'per_token', 20), itl('0.11.0', 'per_chunk', 30), itl('0.10.0', 'per_token', 25)]);
});

describe('the history of a system', () => {
  it('has every version of its engine, by number, and no other system', async () => {
    const { versions, metric, system: asked } = await history();
    expect(versions.map(({ engine_version }) => engine_version)).toEqual(['0.9.2', '0.10.0', '0.11.0']);
    expect([metric, asked.id]).toEqual(['output_tok_s_per_gpu', system]);
  });

  it('is the same for each version in the request', async () => {
    const { versions, data } = await history();
    for (const { system_id } of versions) {
      const other = await app.get<History>(`/v1/history?system=${system_id}`);
      expect([other.system.id, other.data]).toEqual([system_id, data]);
    }
  });

  it('has a series for each scenario and load, with one value for each version', async () => {
    const { data } = await history();
    expect(data.map(({ scenario, load }) => [scenario.id, load.level])).toEqual([
      ['chatbot', 8],
      ['chatbot', 16],
      ['rag', 8],
    ]);
    // 899, 900, 901 and 930: mean 907.5, sd sqrt((8.5^2 + 7.5^2 + 6.5^2 + 22.5^2) / 3) = 15.022.
    expect(data[0]?.values).toMatchObject([
      { engine_version: '0.9.2', n: 3, mean: 800, sd: 1, at: '2026-02-03T10:00:00.000Z', at_is: 'measured' },
      { engine_version: '0.10.0', n: 3, mean: 1000, at_is: 'stored', measured_at: null },
      { engine_version: '0.11.0', n: 4, mean: 907.5, at: '2026-07-04T10:00:00.000Z', trust: 'self_reported' },
    ]);
    expect(data[0]?.values[2]?.sd).toBeCloseTo(15.0222, 3);
    // t(2) = 4.302653
    expect(data[0]?.values[0]?.ci95?.[0]).toBeCloseTo(800 - 4.302653 / Math.sqrt(3), 5);
    expect(data[0]?.values[1]?.at).toBe(data[0]?.values[1]?.created_at);
    expect(data.map(({ truncated }) => truncated)).toEqual([false, false, false]);
  });

  it('by month splits a version by measurement month', async () => {
    const values = await valuesOf('&by=month&load_level=8&scenario=chatbot');
    const stored = values.find(({ at_is }) => at_is === 'stored');
    expect(values.map(({ month, engine_version, mean }) => [month, engine_version, mean])).toEqual([
      ['2026-02', '0.9.2', 800],
      ['2026-06', '0.11.0', 900],
      ['2026-07', '0.11.0', 930],
      [stored?.created_at.slice(0, 7), '0.10.0', 1000],
    ]);
  });

  it('by result has every result, oldest first', async () => {
    const values = await valuesOf('&by=result&load_level=8&scenario=chatbot');
    expect(values.map(({ mean }) => mean).slice(0, 7)).toEqual([799, 800, 801, 899, 900, 901, 930]);
    expect(values.every(({ n, result_id, ci95 }) => n === 1 && result_id !== null && ci95 === null)).toBe(true);
    const { data } = await app.get<{ data: { id: string }[] }>(`/v1/results?system=${system}&limit=1`);
    expect(data).toHaveLength(1);
  });

  it('never combines values of two formulas', async () => {
    const { data } = await history('&metric=itl_ms');
    expect(data.map(({ definition, values }) => [definition, values.map(({ mean }) => mean)])).toEqual([
      ['per_chunk', [30]],
      ['per_token', [25, 20]],
    ]);
    for (const { definition, values } of data) for (const value of values) expect(value.definition).toBe(definition);
  });

  it('accepts the common filters', async () => {
    const means = async (query: string) => (await valuesOf(query)).map(({ mean }) => mean);
    expect(await means('&engine_version=0.10.0')).toEqual([1000]);
    expect(await means('&scenario=rag')).toEqual([700]);
    expect(await means('&load_level=8&scenario=chatbot&min_output_tok_s=930')).toEqual([1000, 930]);
    expect(await means('&until=2026-01-01T00:00:00Z')).toEqual([]);
    expect(await means('&trust=managed')).toEqual([]);
  });

  it('is the same across pages', async () => {
    const { data } = await history();
    const paged: History['data'] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: History = await history(`&limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`);
      expect(page.data.length).toBeLessThanOrEqual(1);
      paged.push(...page.data);
      cursor = page.next_cursor;
    }
    expect(paged).toEqual(data);
    const formulas = await history('&metric=itl_ms&limit=1');
    const rest = await history(`&metric=itl_ms&limit=1&cursor=${formulas.next_cursor}`);
    expect([formulas.data[0]?.definition, rest.data[0]?.definition, rest.next_cursor]).toEqual([
      'per_chunk',
      'per_token',
      null,
    ]);
  });

  it('omits quarantined and retracted results by default', async () => {
    const { submission } = await submit([{ version: '0.8.0', values: calm(600) }]);
    expect((await valuesOf('&load_level=8&scenario=chatbot')).map(({ mean }) => mean)).toContain(600);
    await app.request(`/v1/submissions/${submission}/retract`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ reason: 'wrong machine' }),
    });
    expect((await valuesOf('&load_level=8&scenario=chatbot')).map(({ mean }) => mean)).not.toContain(600);
    expect((await valuesOf('&include=retracted&load_level=8')).map(({ mean }) => mean)).toContain(600);
  });
});

describe('invalid queries', () => {
  it.each([
    ['', 'system'],
    ['system=sys_1', 'system'],
    ['system=nothing', 'system'],
    ['system=a&system=b', 'system'],
    ['by=week', 'by'],
    ['metric=speed', 'metric'],
    ['limit=0', 'limit'],
    ['gpu=h1000', 'gpu'],
    ['cursor=x&limit=0', 'cursor'],
    ['sytem=x', 'sytem'],
  ])('%s is rejected', async (query, parameter) => {
    const asked = /system=|^$/.test(query) ? query : `system=${system}&${query}`;
    const response = await app.request(`/v1/history?${asked}`);
    expect(response.status).toBe(422);
    const { errors } = (await response.json()) as { errors: { parameter: string }[] };
    expect(errors.map((fault) => fault.parameter)).toContain(parameter);
  });
});

it('versions without numbers are sorted by measurement time, regardless of storage time', async () => {
  const facts = { scenario: 'rag', level: 2, gpu: 'b200' };
  const at = (version: string, value: number, day: string) =>
    submitMeasured(app, adminKey, [{ ...facts, version, values: calm(value) }], { measured_at: `${day}T10:00:00Z` });
  const { systems } = await at('nightly of May', 300, '2026-05-20');
  await at('0.5.12', 200, '2026-05-02');
  await at('a1b2c3d', 100, '2026-04-17');
  const { versions, data } = await app.get<History>(`/v1/history?system=${systems[0]}`);
  expect(versions.map(({ engine_version: version }) => version)).toEqual(['a1b2c3d', '0.5.12', 'nightly of May']);
  expect(data[0]?.values.map(({ mean }) => mean)).toEqual([100, 200, 300]);
  const changes = await app.get<{ data: { new: { engine_version: string }; old: { engine_version: string } }[] }>(
    '/v1/changes?gpu=b200&type=version',
  );
  expect(changes.data.map(({ new: fresh, old }) => [fresh.engine_version, old.engine_version])).toContainEqual([
    ...['nightly of May', '0.5.12'],
  ]);
});
