import { beforeEach, describe, expect, it } from 'vitest';
import { adminKey, useTestApp } from '../testing/index.ts';
import { submitMeasured } from '../testing/measured.ts';
import type { ViewedChange } from './read-changes.ts';

interface Changes {
  data: ViewedChange[];
  next_cursor: string | null;
}

const app = useTestApp();
const submit = (...[points, parameters]: [Parameters<typeof submitMeasured>[2], Record<string, string>?]) =>
  submitMeasured(app, adminKey, points, parameters);
const changes = (query = '') => app.get<Changes>(`/v1/changes?${query}`);
const summaryOf = ({ data }: Changes) =>
  data.map(({ type, verdict, old, new: fresh }) => [type, verdict, old.engine_version, fresh.engine_version]);
/** Reads the pages of a list in sequence. */
async function pagesOf(query: string, between: () => Promise<unknown> = async () => {}): Promise<ViewedChange[][]> {
  const pages: ViewedChange[][] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Changes = await changes(`${query}${cursor === '' ? '' : `&cursor=${cursor}`}`);
    pages.push(page.data);
    cursor = page.next_cursor;
    await between();
  }
  return pages;
}

const calm = (mean: number) => [mean - 1, mean, mean + 1, mean];
const onDay = (day: string) => ({ measured_at: `2026-05-${day}T12:00:00Z` });

beforeEach(async () => {
  await app.deps.database
    .sql`truncate results, point_statistics, boards, board_rows, board_figures, board_systems, board_points, board_totals, tool_scatter, points, scenarios, systems, submissions, artifacts cascade`;
});

describe('a version', () => {
  it('that is slower than the previous one is a regression, with effect and interval', async () => {
    await submit([{ version: '0.10.2', values: calm(1000) }]);
    await submit([{ version: '0.11.0', values: calm(900) }]);
    const { data } = await changes('type=version');
    expect(data).toHaveLength(1);
    expect(data[0]).toMatchObject({
      type: 'version',
      verdict: 'regression',
      metric: 'output_tok_s_per_gpu',
      unit: 'tok/s',
      ratio: 0.9,
      new: { engine_version: '0.11.0', n: 4, mean: 900 },
      old: { engine_version: '0.10.2', n: 4, mean: 1000 },
    });
    expect(data[0]?.effect).toBeCloseTo(-0.1, 12);
    // sd = sqrt(2/3) on both sides: error of ln ratio = sqrt(2/3/4) * sqrt(1/900^2 + 1/1000^2) = 0.000611; t(6) = 2.45.
    expect(data[0]?.interval?.[0]).toBeCloseTo(0.9 * Math.exp(-2.45 * 0.000611), 3);
    expect(data[0]?.interval?.[1]).toBeCloseTo(0.9 * Math.exp(2.45 * 0.000611), 3);
    expect(data[0]?.summary).toContain('fell by 10 % from 1,000 to 900 tok/s (n = 4 and 4');
  });

  it('with a lower latency is an improvement', async () => {
    const ttft = (version: string, mean: number) => ({ version, metric: 'ttft_ms_mean', values: calm(mean) });
    await submit([ttft('0.10.2', 200)]);
    await submit([ttft('0.11.0', 150)]);
    const { data } = await changes('metric=ttft_ms&type=version');
    expect(data[0]).toMatchObject({ verdict: 'improvement', ratio: 0.75, effect: 0.25, better: 'lower' });
  });

  it('is compared with the previous version number, regardless of the measurement dates', async () => {
    await submit([{ version: '0.11.0', values: calm(900) }]);
    await submit([{ version: '0.9.2', values: calm(800) }]);
    await submit([{ version: '0.10.2', values: calm(1000) }]);
    expect(summaryOf(await changes('type=version'))).toEqual([
      ['version', 'improvement', '0.9.2', '0.10.2'],
      ['version', 'regression', '0.10.2', '0.11.0'],
    ]);
  });

  it('is compared only at the same scenario, load and formula of the same system', async () => {
    await submit([
      { version: '0.10.2', values: calm(1000), level: 16 },
      { version: '0.10.2', values: calm(1000), scenario: 'rag' },
      { version: '0.10.2', values: calm(1000), power: 450 },
      { version: '0.10.2', values: calm(1000), gpu: 'h200-sxm' },
    ]);
    await submit([{ version: '0.11.0', values: calm(900) }]);
    expect(summaryOf(await changes('type=version'))).toEqual([]);
    const itl = (version: string, id: string) => ({
      version,
      metric: 'itl_ms_mean',
      values: calm(20),
      definitions: { itl_ms: id },
    });
    await submit([itl('0.12.0', 'per_token')]);
    await submit([itl('0.13.0', 'per_chunk')]);
    expect(summaryOf(await changes('type=version&metric=itl_ms'))).toEqual([]);
    await submit([itl('0.14.0', 'per_token')]);
    expect(summaryOf(await changes('type=version&metric=itl_ms'))).toEqual([['version', 'stable', '0.12.0', '0.14.0']]);
  });

  it('with a single measurement has no verdict, and the response states the reason', async () => {
    await submit([{ version: '0.10.2', values: calm(1000) }]);
    await submit([{ version: '0.11.0', values: [500] }]);
    const { data } = await changes('type=version');
    expect(data[0]).toMatchObject({ verdict: 'insufficient_data', interval: null, ratio: 0.5 });
    expect(data[0]?.reason).toContain('3 repetitions');
  });

  it('whose results are retracted is not a change any more', async () => {
    await submit([{ version: '0.10.2', values: calm(1000) }]);
    const { submission } = await submit([{ version: '0.11.0', values: calm(900) }]);
    expect((await changes()).data).toHaveLength(1);
    const response = await app.request(`/v1/submissions/${submission}/retract`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ reason: 'wrong machine' }),
    });
    expect(response.status).toBe(200);
    expect((await changes()).data).toEqual([]);
    expect(summaryOf(await changes('include=retracted'))).toEqual([['version', 'regression', '0.10.2', '0.11.0']]);
  });
});

describe('a later day', () => {
  it('is compared with all earlier days', async () => {
    await submit([{ values: calm(1000) }], onDay('01'));
    await submit([{ values: calm(1001) }], onDay('02'));
    await submit([{ values: calm(900) }], onDay('03'));
    const { data } = await changes('type=day');
    expect(data.map(({ verdict, new: fresh, old }) => [verdict, fresh.mean, fresh.n, old.mean, old.n])).toEqual([
      ['regression', 900, 4, 1000.5, 8],
      ['stable', 1001, 4, 1000, 4],
    ]);
    expect(data[0]?.links.compare).toBeNull();
    expect(data[0]?.new.measured_at).toBe('2026-05-03T12:00:00.000Z');
  });
});

describe('a new best', () => {
  it('takes the first place from another system of its model, GPU and scenario', async () => {
    await submit([{ version: '0.10.2', values: calm(1000) }]);
    await submit([{ version: '0.11.0', values: calm(900), level: 4 }]);
    await submit([{ version: '0.11.0', values: calm(1100), level: 16 }]);
    await submit([{ version: '0.12.0', gpu: 'h200-sxm', values: calm(5000) }]);
    expect(summaryOf(await changes('type=new_best'))).toEqual([['new_best', 'improvement', '0.10.2', '0.11.0']]);
  });

  it('is the best of a submission, regardless of the order of its results', async () => {
    await submit([{ version: '0.10.2', values: calm(1000) }]);
    await submit([
      { version: '0.11.0', values: calm(1100), level: 32 },
      { version: '0.11.0', values: calm(1300), level: 8 },
      { version: '0.11.0', values: calm(1200), level: 16 },
    ]);
    const { data } = await changes('type=new_best');
    expect(data.map(({ new: fresh }) => fresh.mean)).toEqual([1300]);
  });

  it('requires an earlier best of another system', async () => {
    await submit([{ values: calm(1000) }]);
    await submit([{ values: calm(1500), level: 16 }]);
    expect((await changes('type=new_best')).data).toEqual([]);
  });

  it('stays in the list after the next one', async () => {
    for (const [at, mean] of [1000, 1100, 1200].entries())
      await submit([{ version: `0.1${at}.0`, values: calm(mean) }]);
    expect(summaryOf(await changes('type=new_best'))).toEqual([
      ['new_best', 'improvement', '0.11.0', '0.12.0'],
      ['new_best', 'improvement', '0.10.0', '0.11.0'],
    ]);
  });

  it('is not repeated by more results of the same system', async () => {
    await submit([{ version: '0.10.0', values: calm(1000) }], onDay('01'));
    await submit([{ version: '0.11.0', values: calm(1100) }], onDay('01'));
    await submit([{ version: '0.11.0', values: calm(1101) }], onDay('02'));
    expect((await changes('type=new_best')).data).toHaveLength(1);
  });
});

describe('the list of changes', () => {
  it('is the same with any page size, while results arrive', async () => {
    for (const [at, mean] of [1000, 1100, 900, 1300, 1200].entries()) {
      await submit([8, 16, 32].map((level) => ({ version: `0.${at + 1}.0`, values: calm(mean + level), level })));
    }
    const all = (await changes('limit=200')).data.map(({ id }) => id);
    expect(all.length).toBeGreaterThan(12);
    expect(new Set(all).size).toBe(all.length);
    for (const limit of [1, 2, 5]) {
      expect((await pagesOf(`limit=${limit}`)).flat().map(({ id }) => id)).toEqual(all);
    }
    let arrived = 0;
    const pages = await pagesOf('limit=4', async () => {
      arrived += 1;
      await submit([{ version: `0.${arrived + 5}.0`, values: calm(2000 + 100 * arrived), level: 8 }]);
    });
    expect(pages.flat().map(({ id }) => id)).toEqual(all);
    expect(pages.every((page) => page.length <= 4)).toBe(true);
    expect((await changes('limit=200')).data.length).toBeGreaterThan(all.length);
  });

  it('accepts the common filters, applied to the result that caused the change', async () => {
    await submit([{ version: '0.10.2', values: calm(1000) }]);
    await submit([{ version: '0.11.0', values: calm(900) }]);
    const count = async (query: string) => (await changes(query)).data.length;
    const past = encodeURIComponent(new Date(Date.now() - 60_000).toISOString());
    const future = encodeURIComponent(new Date(Date.now() + 60_000).toISOString());
    expect(await count(`since=${past}`)).toBe(1);
    expect(await count(`since=${future}`)).toBe(0);
    expect(await count(`until=${past}`)).toBe(0);
    expect(await count('model=llama-3.1-8b&gpu=h100&scenario=chatbot&load_level=8&tool=native')).toBe(1);
    expect(await count('engine_version=0.10.2')).toBe(0);
    expect(await count('gpu=h200')).toBe(0);
    expect(await count('max_output_tok_s=950&trust=self_reported')).toBe(1);
    expect(await count('verdict=regression&verdict=improvement')).toBe(1);
    expect(await count('verdict=stable')).toBe(0);
  });

  it('scans a limited number of results for each page, and returns a cursor to continue', async () => {
    await submit([{ version: '0.10.2', values: calm(1000) }]);
    await submit([{ version: '0.11.0', values: calm(900) }]);
    // One point, one day: more results without changes than one request scans.
    await submit([{ version: '0.20.0', level: 99, values: Array.from({ length: 2500 }, (_, i) => 1000 + (i % 7)) }]);
    const first = await changes('type=version');
    expect([first.data.length, typeof first.next_cursor]).toEqual([0, 'string']);
    expect((await pagesOf('type=version')).flat()).toHaveLength(1);
  });

  it('uses the newest results of a point with many, and reports no false changes of days', async () => {
    await submit([{ version: '0.10.2', values: calm(1000) }]);
    // The values vary, because copies count once.
    const many = (mean: number) => Array.from({ length: 300 }, (_, i) => mean + (i % 7));
    await submit([{ version: '0.11.0', values: many(900) }], onDay('01'));
    expect(summaryOf(await changes('type=version'))).toEqual([['version', 'regression', '0.10.2', '0.11.0']]);
    await submit([{ version: '0.11.0', values: many(901) }], onDay('02'));
    expect((await pagesOf('type=version&type=day&limit=1')).flat().map(({ type, old }) => [type, old.n])).toEqual([
      ['day', 200],
    ]);
  });

  it.each([
    ['metric=requests_ok', 'metric_neutral'],
    ['metric=speed', 'metric_unknown'],
    ['verdict=worse', 'value_invalid'],
    ['type=week', 'value_invalid'],
    ['gpu=h1000', 'value_unknown'],
    ['cursor=nonsense', 'request_invalid'],
    ['cursor=nonsense&limit=0', 'cursor_invalid'],
    ['verdikt=stable', 'parameter_unknown'],
  ])('%s is rejected', async (query, code) => {
    const response = await app.request(`/v1/changes?${query}`);
    expect(response.status).toBe(422);
    expect(JSON.stringify(await response.json())).toContain(code);
  });

  it('reports all errors of a query at once', async () => {
    const response = await app.request('/v1/changes?metric=requests_ok&gpu=h1000&verdict=worse&limit=999');
    const { errors } = (await response.json()) as { errors: { parameter: string }[] };
    expect(errors.map(({ parameter }) => parameter).sort()).toEqual(['gpu', 'limit', 'metric', 'verdict']);
  });
});
