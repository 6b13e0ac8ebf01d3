import { metricNames, onRequestFamilies } from '@inferboard/core/metrics/index';
import { withConnection } from '@inferboard/db/testing/index';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Ask, asks } from '../boards/asked-metrics.ts';
import { metricSchema } from '../schemas/metric-name.ts';
import { answerOf, useTestApp } from '../testing/index.ts';

interface MetricItem {
  id: string;
  name: string;
  asked: boolean;
  glossary: string;
  prerequisites: string[];
  needs: string[];
  ask: Ask | null;
}

const app = useTestApp({ sampleData: true });
const listMetrics = async () => (await app.get<{ data: MetricItem[] }>('/v1/catalogue/metrics')).data;

// The glossary page and clients read these lists. Facts missing here would be copied by hand elsewhere.
it('lists every metric with its explanation and inputs, and metrics computed on request last', async () => {
  const data = await listMetrics();
  expect(data.map(({ id }) => id)).toEqual([...metricNames, ...onRequestFamilies.map(({ base }) => base)]);
  for (const item of data) {
    expect(item.glossary.length, item.id).toBeGreaterThanOrEqual(80);
    expect(Array.isArray(item.prerequisites), item.id).toBe(true);
    expect(Array.isArray(item.needs), item.id).toBe(true);
  }
});

it('marks the metrics that no stored result has', async () => {
  const data = await listMetrics();
  expect(data.filter(({ asked }) => asked).map(({ id }) => id)).toEqual([
    'max_safe_queue',
    'speedup_vs_baseline',
    'usd_per_mtok_output',
  ]);
  expect(data.find(({ id }) => id === 'usd_per_mtok_output')).toMatchObject({
    statistic: null,
    unit: '$',
    direction: 'lower',
    needs: ['output_tok_s'],
    prerequisites: ['a price per GPU-hour', 'the number of GPUs'],
  });
});

it.each([
  ['models', 's.model_id'],
  ['gpus', 'coalesce(s.gpu_id, s.gpu_family)'],
  ['quantizations', 'case when cardinality(s.quantization_recipe) = 0 then s.quantization_id end'],
  ['engines', 's.engine_id'],
  ['scenarios', 'sc.name'],
])('counts the ranked points of all %s', async (kind, value) => {
  const { data } = await app.get<{ data: { id: string; points: number; known?: boolean }[] }>(`/v1/catalogue/${kind}`);
  const isNamed = kind === 'scenarios';
  // Values that the catalogue does not have are grouped by name.
  const used = data.filter(({ points, known = true }) => (known || isNamed) && points > 0);
  const counted = await withConnection(app.databaseUrl, (sql) =>
    sql.unsafe<{ id: string; points: number }[]>(`
      select ${value} as id, count(*)::int as points
      from board_points b join points p on p.id = b.point_id
      join systems s on s.id = p.system_id join scenarios sc on sc.id = p.scenario_id
      where b.status = 'accepted' and ${value} is not null group by 1`),
  );
  expect(used.length).toBeGreaterThan(1);
  expect(new Map(used.map(({ id, points }) => [id, points]))).toEqual(
    new Map(counted.map(({ id, points }) => [id, points])),
  );
});

it('lists the values of all kinds in use as the lists of their kinds do, most used first', async () => {
  interface Used {
    id: string;
    name: string;
    kind: string;
    points: number;
  }
  const listOf = async (kind: string) => (await app.get<{ data: Used[] }>(`/v1/catalogue/${kind}`)).data;
  const ofKind = Map.groupBy(await listOf('used'), ({ kind }) => kind);
  expect([...ofKind.keys()].sort()).toEqual(['engines', 'gpus', 'models', 'quantizations', 'scenarios']);
  for (const [kind, used] of ofKind) {
    const points = used.map((item) => item.points);
    expect(points).toEqual(points.toSorted((a, b) => b - a));
    const listed = (await listOf(kind)).filter((item) => item.points > 0);
    const facts = (items: Used[]) => items.map(({ id, name, points: count }) => [id, name, count]).sort();
    expect(facts(used)).toEqual(facts(listed));
  }
});

// The schema of an entry allows more fields than it names, because each kind has its own facts.
it.each([
  ['used', 'kind,nope', '"nope" is not a field of an entry.'],
  ['used', '__proto__', '"__proto__" is not a field of an entry.'],
  ['gpus', 'id.nope', '"id.nope" is not a field of an entry.'],
])('rejects fields that no entry of %s has: %s', async (kind, fields, message) => {
  const response = await app.request(`/v1/catalogue/${kind}?fields=${fields}`);
  expect(response.status).toBe(422);
  const { errors } = (await response.json()) as { errors: { parameter: string; message: string }[] };
  expect(errors).toMatchObject([{ parameter: 'fields', message }]);
});

it('names the kinds in the error for an unknown one', async () => {
  const response = await app.request('/v1/catalogue/planets');
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({
    code: 'not_found',
    detail: expect.stringMatching(/^There is no resource at this URL\. \{kind\} must be one of models, gpus, .*\.$/),
  });
});

it('accepts the fields that entries of the kind have', async () => {
  const { data } = await app.get<{ data: object[] }>('/v1/catalogue/metrics?fields=id,ask.path');
  expect(data[0]).toEqual({ id: metricNames[0], ask: null });
});

/** All values at a path such as `data[].value`. */
function valuesAt(answer: unknown, place: string): unknown[] {
  return place.split('.').reduce<unknown[]>(
    (found, part) => {
      const name = part.replace('[]', '');
      const inner = found.map((value) => (value as Record<string, unknown> | null)?.[name]);
      return part.endsWith('[]') ? inner.flat() : inner;
    },
    [answer],
  );
}

// If parameters reject a metric that the catalogue lists, its entry must say which request returns it.
describe('a metric computed on request', () => {
  const given: Record<string, string> = { price: '2.49', seconds: '3' };
  beforeAll(async () => {
    const idsOf = async (query: string) => {
      const { data } = await app.get<{ data: { system: { id: string } }[] }>(`/v1/leaderboard?${query}`);
      return data.map(({ system }) => system.id);
    };
    const [id = '', baseline = ''] = await idsOf('rank_by=decode_tok_s&workload=tg128-offline');
    const [burst = ''] = await idsOf('rank_by=ttft_ms&load_mode=burst');
    Object.assign(given, { id, baseline, burst });
  });

  it.each(onRequestFamilies.map(({ base }) => base))('%s states a path, and the path returns it', async (name) => {
    const ask = (await listMetrics()).find(({ id }) => id === name)?.ask;
    const values: Record<string, string | undefined> = {
      ...given,
      ...(name === 'max_safe_queue' && { id: given.burst }),
    };
    // No system of the sample has both all facts and throughput.
    const more = name === 'usd_per_mtok_output' ? '&subject=engine' : '';
    const address = `${ask?.path}?${ask?.query}${more}`.replace(/\{(\w+)\}/g, (_, part: string) => values[part] ?? '');
    const answers = valuesAt(await app.get(address), ask?.field ?? '');
    expect(answers.filter((value) => typeof value === 'number').length).toBeGreaterThan(0);
  });

  it('is the only kind that parameters reject', async () => {
    const taken = metricSchema('metric');
    for (const { id, ask } of await listMetrics()) expect(taken.safeParse(id).success, id).toBe(ask === null);
  });

  it.each([
    ['/v1/leaderboard', 'rank_by'],
    ['/v1/leaderboard.csv', 'rank_by'],
    ['/v1/matrix', 'metric'],
    ['/v1/pareto', 'x'],
    ['/v1/changes', 'metric'],
  ])('is rejected by %s?%s=, with the URL that computes it', async (path, parameter) => {
    // Leaderboards and frontiers compute costs from prices.
    const isPriced = !['/v1/matrix', '/v1/changes'].includes(path);
    for (const { base } of onRequestFamilies.filter((family) => !isPriced || family.base !== 'usd_per_mtok_output')) {
      const response = await app.request(`${path}?${parameter}=${base}`);
      expect(response.status).toBe(422);
      const { path: where } = asks[base];
      expect((await answerOf(response)).errors).toMatchObject([
        { code: 'metric_not_stored', parameter, hint: expect.stringContaining(`GET ${where}?`) },
      ]);
    }
  });

  it('can be ranked by only if it is a cost', async () => {
    const refusalOf = async (rankBy: string) =>
      (await answerOf(await app.request(`/v1/best?rank_by=${rankBy}&gpu_usd_per_hour=2`))).errors;
    await app.get('/v1/best?rank_by=usd_per_mtok_output&gpu_usd_per_hour=2');
    expect(await refusalOf('max_safe_queue')).toMatchObject([{ code: 'metric_not_stored', parameter: 'rank_by' }]);
    expect(await refusalOf('usd_per_mtok_out')).toMatchObject([
      {
        code: 'metric_unknown',
        hint: expect.stringMatching(/Did you mean "usd_per_mtok_output"\? Use GET \/v1\/best\?/),
      },
    ]);
  });
});
