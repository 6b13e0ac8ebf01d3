import { builtInPrices } from '@inferboard/core/prices/price-list';
import { beforeAll, expect, it } from 'vitest';
import { adminKey, useTestApp } from '../testing/index.ts';

interface Price {
  gpu: string | null;
  usd_per_hour: number;
  stated_by: string;
  tier: string | null;
  as_of: string | null;
  source: string | null;
}

interface Board {
  rank_by: string;
  order: string;
  unit: string;
  gpu_usd_per_hour: number | null;
  prices: { tier: string; as_of: string; source: { url: string }; gpus: Price[] };
  data: {
    rank: number;
    value: number;
    usd_per_mtok_output: number;
    price: Price;
    derived: Record<string, number | null>;
    statistics: { mean: number };
    system: { gpu: { name: string } };
  }[];
  excluded: Record<string, number>;
  next_cursor: string | null;
  links: Record<string, string>;
  x: { metric: string };
  y: { metric: string; unit: string; better: string };
  errors: { parameter: string; code: string; hint?: string }[];
}

const app = useTestApp();

const rates = [
  ['h100', 1, 1000],
  ['h100-pcie', 1, 900],
  ['mi355x', 2, 3000],
  ['b200', 8, 8 * 1500],
  ['rtx 3090', 1, 400],
] as const;

beforeAll(async () => {
  for (const [gpu, gpu_count, rate] of rates) {
    const body = {
      schema: 'inferboard/v1',
      system: { model: 'llama-3.1-8b', quantization: 'bf16', gpu, gpu_count, engine: 'vllm' },
      scenario: 'chatbot',
      results: [1, 2].map((repetition) => ({
        load: { mode: 'concurrency', level: 64 },
        repetition,
        metrics: { output_tok_s: rate * (repetition === 1 ? 0.99 : 1.01), user_tok_s: rate / 64 },
      })),
    };
    const sent = await app.submit(JSON.stringify(body), {}, adminKey);
    expect(sent.status).toBe(201);
  }
});

const cost = (usd: number, perGpu: number) => (usd / (3600 * perGpu)) * 1e6;

it('ranks every board by cost with the prices of the list, and returns them', async () => {
  const board = await app.get<Board>('/v1/leaderboard?rank_by=usd_per_mtok_output');
  expect(board).toMatchObject({ rank_by: 'usd_per_mtok_output', order: 'asc', unit: 'USD/Mtok' });
  // 2.10 / 1500, 2.60 / 1500, 1.78 / 1000, 1.78 / 900; the RTX 3090 has no price.
  const expected = [cost(2.1, 1500), cost(2.6, 1500), cost(1.78, 1000), cost(1.78, 900)];
  expect(board.data.map(({ value }) => value)).toEqual(expected.map((value) => expect.closeTo(value, 9)));
  expect(board.data[0]?.price).toEqual({
    ...{ gpu: 'mi355x', usd_per_hour: 2.1, stated_by: 'list', tier: 'retail' },
    ...{ as_of: builtInPrices.asOf, source: builtInPrices.source.url },
  });
  expect(board.prices).toMatchObject({ tier: 'retail', as_of: builtInPrices.asOf, source: builtInPrices.source });
  expect(board.prices?.gpus.map(({ gpu }) => gpu).sort()).toEqual(['b200-sxm', 'h100', 'mi355x']);
  expect(board.excluded).toEqual({ unpriced_gpu: 1 });
  // The statistics are still those of the measured metric.
  expect(board.data[0]?.statistics.mean).toBeCloseTo(1500, 6);
});

it('prefers the prices of the request to the list, for a family, a GPU or a name', async () => {
  const stated = new URLSearchParams({
    rank_by: 'usd_per_mtok_output',
    'price[h100]': '0.5',
    'price[H100 PCIe]': '0.1',
    'price[rtx 3090]': '0.2',
  });
  const board = await app.get<Board>(`/v1/leaderboard?${stated}`);
  expect(board.data.map(({ price }) => [price.gpu, price.usd_per_hour, price.stated_by, price.source])).toEqual([
    ['h100-pcie', 0.1, 'reader', null],
    ['h100', 0.5, 'reader', null],
    ['rtx-3090', 0.2, 'reader', null],
    ['mi355x', 2.1, 'list', builtInPrices.source.url],
    ['b200-sxm', 2.6, 'list', builtInPrices.source.url],
  ]);
  expect(board.excluded).toEqual({});
  const neo = await app.get<Board>('/v1/leaderboard?rank_by=usd_per_mtok_output&price_tier=neocloud');
  expect(neo.data.map(({ price }) => price.usd_per_hour)).toEqual([2.07, 2.09, 1.55, 1.55]);
});

it('accepts several prices in one parameter, which every link keeps', async () => {
  const path = '/v1/leaderboard?rank_by=usd_per_mtok_output';
  const one = await app.get<Board>(`${path}&price[h100]=0.5&price[rtx 3090]=0.2`);
  for (const prices of ['h100=0.50, rtx 3090=0.2', 'h100 0.5; rtx 3090: $0.20', 'h100=0.5\nrtx 3090 0.2'])
    expect((await app.get<Board>(`${path}&${new URLSearchParams({ prices })}`)).data).toEqual(one.data);
  expect((await app.get<Board>(`${path}&price[h100]=0.5&prices=rtx 3090=0.2`)).data).toEqual(one.data);
  const q = 'cheapest gpu for llama 3.1 8b';
  const answer = await app.get<Board>(`/v1/best?${new URLSearchParams({ q, prices: 'b200=1, h100=9' })}`);
  expect(answer.data[0]?.price).toMatchObject({ gpu: 'b200-sxm', usd_per_hour: 1, stated_by: 'reader' });
  for (const link of ['self', 'leaderboard']) {
    const { pathname, search } = new URL(answer.links[link] ?? '');
    expect((await app.get<Board>(pathname + search)).data[0]?.price).toEqual(answer.data[0]?.price);
  }
});

it('paginates a board by cost', async () => {
  const path = '/v1/leaderboard?rank_by=usd_per_mtok_output&limit=3';
  const first = await app.get<Board>(path);
  const second = await app.get<Board>(`${path}&cursor=${first.next_cursor}`);
  const whole = await app.get<Board>('/v1/leaderboard?rank_by=usd_per_mtok_output');
  expect([...first.data, ...second.data]).toEqual(whole.data);
  expect(second.next_cursor).toBeNull();
  const dear = await app.get<Board>('/v1/leaderboard?rank_by=usd_per_mtok_output&order=desc');
  expect(dear.data.map(({ value }) => value)).toEqual(whole.data.map(({ value }) => value).reverse());
});

it('answers "cheapest" without a given price', async () => {
  const q = 'cheapest gpu for llama 3.1 8b over 15 tok/s per user';
  const answer = await app.get<Board>(`/v1/best?${new URLSearchParams({ q })}`);
  expect(answer).toMatchObject({ rank_by: 'usd_per_mtok_output', gpu_usd_per_hour: null, prices: { tier: 'retail' } });
  expect(answer.data.map(({ price }) => price.gpu)).toEqual(['mi355x', 'b200-sxm', 'h100']);
  expect(answer.data[0]?.usd_per_mtok_output).toBeCloseTo(cost(2.1, 1500), 9);
  const own = await app.get<Board>(`/v1/best?${new URLSearchParams({ q, 'price[b200]': '1' })}`);
  expect(own.data[0]?.price).toMatchObject({ gpu: 'b200-sxm', usd_per_hour: 1, stated_by: 'reader' });
  for (const link of ['self', 'leaderboard']) {
    const { pathname, search } = new URL(own.links[link] ?? '');
    const again = await app.get<Board>(pathname + search);
    expect(again.data[0]?.price).toEqual(own.data[0]?.price);
    expect(again.data[0]?.value).toBe(own.data[0]?.value);
  }
  const oneForAll = await app.get<Board>(`/v1/best?${new URLSearchParams({ q: 'cheapest gpu at $3 per gpu hour' })}`);
  expect(oneForAll).toMatchObject({ gpu_usd_per_hour: 3 });
  expect(oneForAll.prices).toBeUndefined();
  expect(oneForAll.data.at(-1)).toMatchObject({
    system: { gpu: { name: 'rtx 3090' } },
    price: { gpu: null, usd_per_hour: 3, stated_by: 'reader' },
  });
});

it('returns frontiers with cost', async () => {
  const found = await app.get<{ y: object; prices: object; data: { x: number; y: number; on_frontier: boolean }[] }>(
    '/v1/pareto?x=user_tok_s&y=usd_per_mtok_output',
  );
  expect(found).toMatchObject({
    y: { metric: 'usd_per_mtok_output', unit: 'USD/Mtok', better: 'lower' },
    prices: { tier: 'retail' },
  });
  expect(found.data.map(({ y, on_frontier }) => [y, on_frontier])).toEqual([
    [expect.closeTo(cost(1.78, 900), 9), false],
    [expect.closeTo(cost(1.78, 1000), 9), false],
    [expect.closeTo(cost(2.1, 1500), 9), true],
    [expect.closeTo(cost(2.6, 1500), 9), true],
  ]);
});

it('exports a board by cost with the price of each row', async () => {
  const response = await app.request('/v1/leaderboard.jsonl?rank_by=usd_per_mtok_output&price[b200]=1');
  const [first] = (await response.text()).split('\n');
  const price = { gpu: 'b200-sxm', usd_per_hour: 1, stated_by: 'reader' };
  expect(JSON.parse(first ?? '')).toMatchObject({ rank: 1, unit: 'USD/Mtok', price });
  const csv = await (await app.request('/v1/leaderboard.csv?rank_by=usd_per_mtok_output')).text();
  const [names = '', cells = ''] = csv.split('\n');
  const at = (name: string) => cells.split(',')[names.split(',').indexOf(name)];
  expect([at('unit'), at('statistics_unit'), at('price_gpu'), at('price_usd_per_gpu_hour'), at('price_tier')]).toEqual([
    ...['USD/Mtok', 'tok/s', 'mi355x', '2.1', 'retail'],
  ]);
});

it.each([
  ['price[h1000]=2', 'price[h1000]', 'value_unknown'],
  ['price[h100]=free', 'price[h100]', 'value_invalid'],
  ['price[h100]=0', 'price[h100]', 'value_invalid'],
  ['price[h100]=1&price[h100]=2', 'price[h100]', 'value_invalid'],
  ['price=2', 'price', 'value_invalid'],
  ['prise[h100]=2', 'prise[h100]', 'parameter_unknown'],
  ['price_tier=retial', 'price_tier', 'value_unknown'],
  ['prices=h1000=2', 'prices', 'value_unknown'],
  ['prices=h100', 'prices', 'value_invalid'],
  ['prices=h100=1&prices=b200=1', 'prices', 'value_invalid'],
  ['prices=h100=1&price[H100]=1', 'price[H100]', 'value_invalid'],
])('rejects %s', async (query, parameter, code) => {
  for (const path of ['/v1/leaderboard', '/v1/best', '/v1/leaderboard.csv', '/v1/pareto']) {
    const rank = path === '/v1/pareto' ? 'y' : 'rank_by';
    const response = await app.request(`${path}?${rank}=usd_per_mtok_output&${query}`);
    expect(response.status, path).toBe(422);
    const { errors } = (await response.json()) as Board;
    expect(errors, path).toContainEqual(expect.objectContaining({ parameter, code }));
  }
});

it('names each invalid part of several prices', async () => {
  const prices = 'h100=2.1, b200, mi300x=free; h100=3';
  const response = await app.request(`/v1/leaderboard?${new URLSearchParams({ prices })}`);
  const { errors } = (await response.json()) as { errors: { message: string }[] };
  expect(errors.map(({ message }) => message)).toEqual([
    'prices cannot be read: "b200" has no price: write h100=2.10; "mi300x=free" has no price in dollars above 0, such as 2.10; "h100=3" is the same GPU as "h100": state one price',
  ]);
});

it('lists all errors at once', async () => {
  const response = await app.request('/v1/leaderboard?price[h1000]=x&limit=0&nothing=1');
  const { errors } = (await response.json()) as Board;
  expect(errors.map(({ parameter }) => parameter).sort()).toEqual(['limit', 'nothing', 'price[h1000]', 'price[h1000]']);
});
