import { describe, expect, it } from 'vitest';
import { useTestApp } from '../testing/index.ts';

interface Best {
  subject: string;
  rank_by: string;
  order: string;
  unit: string;
  interpretation: {
    subject: string;
    rank_by: string;
    order: string;
    filters: Record<string, unknown>;
    limit: number;
    phrases: { text: string; became: string }[];
  };
  url: string;
  data: {
    rank: number;
    value: number;
    usd_per_mtok_output: number | null;
    derived: Record<string, number | null>;
    metrics: Record<string, number | null>;
    definitions: Record<string, string>;
    system: {
      id: string;
      quantization: { id: string | null };
      gpu: { family: string | null };
      model: { id: string | null };
    };
  }[];
  links: { self: string; leaderboard: string };
  code: string;
  errors: { code: string; message: string; parameter: string }[];
}

const app = useTestApp({ sampleData: true });
const ask = (query: Record<string, string>) =>
  app.get<Best>(`/v1/best?${new URLSearchParams({ ...query, full: 'true' })}`);
async function refusal(query: Record<string, string>): Promise<Best> {
  const response = await app.request(`/v1/best?${new URLSearchParams(query)}`);
  expect(response.status).toBe(422);
  return (await response.json()) as Best;
}

describe('GET /v1/best', () => {
  it('answers the example question in words', async () => {
    const answer = await ask({ q: 'best model under 20ms ITL on H100' });
    // The report has per-user speed only.
    expect(answer).toMatchObject({
      subject: 'model',
      rank_by: 'user_tok_s',
      order: 'desc',
      // The burst workload has the same number of systems; steady load wins the tie.
      workload: {
        ...{ id: 'chatbot-steady', chosen_because: 'most_systems', systems: 1 },
        others: [{ id: 'chatbot-burst', systems: 1 }],
      },
      rank_by_choice: { id: 'user_tok_s', chosen_because: 'most_systems', systems: 1 },
    });
    expect(answer.interpretation).toEqual({
      kind: 'rank',
      ignored: [],
      subject: 'model',
      rank_by: 'user_tok_s',
      order: 'desc',
      alternatives: [],
      filters: { gpu: ['h100'], max_itl_ms_mean: 20 },
      limit: 10,
      phrases: [
        { text: 'best', became: 'rank_by=user_tok_s, order=desc', note: null },
        { text: 'model', became: 'subject=model', note: null },
        { text: 'under 20ms ITL', became: 'max_itl_ms_mean=20', note: null },
        { text: 'H100', became: 'gpu=h100', note: null },
      ],
    });
    expect(answer.url).toBe(answer.links.self);
    expect(answer.data.length).toBeGreaterThan(0);
    for (const { system, metrics, definitions } of answer.data) {
      expect(system.gpu.family).toBe('h100');
      expect(metrics.itl_ms_mean).toBeLessThanOrEqual(20);
      expect(definitions.itl_ms).toBeDefined();
    }
  });

  it('has one entry for each subject, its best on the board', async () => {
    // Llama 2 was measured at eight power limits, which makes eight systems of one model.
    const answer = await ask({ q: 'best model by decode speed on rtx pro 6000' });
    expect(answer.data.length).toBeGreaterThan(3);
    const ids = answer.data.map(({ system }) => system.model.id);
    expect(new Set(ids).size).toBe(ids.length);
    const board = await app.get<Best>(
      new URL(answer.links.leaderboard).pathname + new URL(answer.links.leaderboard).search,
    );
    expect(answer.data[0]?.system.id).toBe(board.data[0]?.system.id);
    const firsts = new Map<string | null, number>();
    for (const { system, value } of board.data) if (!firsts.has(system.model.id)) firsts.set(system.model.id, value);
    expect(answer.data.map(({ value }) => value)).toEqual([...firsts.values()].slice(0, 10));
  });

  it.each([
    { q: 'best model under 20ms ITL on H100' },
    { q: 'top 3 quantizations of llama 3.1 8b by decode speed since 2024-01-01' },
    { q: 'cheapest model', gpu_usd_per_hour: '1.5' },
    { subject: 'gpu', rank_by: 'ttft_ms', scenario: 'chatbot' },
  ])('%j returns the same response through its self link', async (query) => {
    const answer = await ask(query as unknown as Record<string, string>);
    const { pathname, search } = new URL(answer.links.self);
    const again = await app.get<Best>(`${pathname}${search}&full=true`);
    const spoken = { ...answer, q: null, interpretation: { ...answer.interpretation, phrases: [] } };
    // The interpretation names the day in the words' format; the query gets an instant.
    for (const { interpretation } of [again, spoken]) {
      if (interpretation.filters.since !== undefined) interpretation.filters.since = 'a day';
    }
    expect(again).toEqual(spoken);
  });

  it('by cost uses one price for all GPUs, and returns the interpretation', async () => {
    const words = { q: 'cheapest engine' };
    const answer = await ask({ ...words, gpu_usd_per_hour: '1.5' });
    expect(answer).toMatchObject({ rank_by: 'usd_per_mtok_output', order: 'asc', gpu_usd_per_hour: 1.5 });
    expect(answer.data.length).toBeGreaterThan(0);
    for (const { value, usd_per_mtok_output, derived } of answer.data) {
      expect(value).toBeCloseTo((1.5 / (3600 * (derived.output_tok_s_per_gpu ?? 0))) * 1e6, 9);
      expect(usd_per_mtok_output).toBe(value);
    }
    expect(answer.data.map(({ value }) => value)).toEqual(answer.data.map(({ value }) => value).sort((a, b) => a - b));
  });

  it('chooses an available metric if none is given, also with one stored result', async () => {
    for (const scenario of ['decode-bound', 'base', 'tg128', 'pp512', 'chatbot', 'sharegpt']) {
      const answer = await ask({ subject: 'engine', scenario });
      expect(answer.data.length, scenario).toBeGreaterThan(0);
    }
  });

  // The alternatives are counted without the filter, so they may have more systems.
  it.each([
    ['tg128', 'No other workload under these filters has more systems (13 systems).'],
    ['decode-bound', 'Of the workloads that the filters name, none has more systems (7 systems).'],
  ])('states the workloads it chose from: %s', async (scenario, reason) => {
    const subject = 'quantization';
    const answer = await ask(scenario === 'tg128' ? {} : { subject, scenario });
    expect((answer as unknown as { workload: { reason: string } }).workload.reason).toBe(reason);
  });

  it('compares systems without a model within one account, and says so', async () => {
    const answer = (await ask({ q: 'fastest quantization in decode-bound' })) as unknown as {
      data: unknown[];
      account: { name: string; reason: string } | null;
    };
    expect(answer.account).toMatchObject({ name: 'sample-data', reason: expect.stringContaining('unspecified') });
    expect(answer.data).toHaveLength(7);
  });

  it('in words can be narrowed by other filters', async () => {
    const answer = await ask({ q: 'best quantization of llama 3.1 8b', scenario: 'decode-bound' });
    expect(answer.links.self).toContain('scenario=decode-bound');
    expect(await refusal({ q: 'best model in the chatbot scenario', scenario: 'rag' })).toMatchObject({
      errors: [{ code: 'parameter_repeated', parameter: 'scenario' }],
    });
    expect(await refusal({ q: 'best model', rank_by: 'req_s' })).toMatchObject({ errors: [{ parameter: 'rank_by' }] });
  });

  it.each([
    ['best model under 20 bananas on H100', 'bananas'],
    ['best model on a flux capacitor', 'flux'],
    ['', ''],
    ['best model under 20ms', '20ms'],
  ])('rejects %j and quotes the unknown words', async (q, word) => {
    const problem = await refusal({ q });
    expect(problem.code).toBe('query_not_understood');
    expect(JSON.stringify(problem)).toContain(word);
  });

  it.each([
    { subject: 'colour' },
    { rank_by: 'speed' },
    { gpu_usd_per_hour: '-1' },
    { gpu: 'h1000' },
    { nothing: '1' },
  ])('rejects %j', async (query) => {
    await refusal(query as unknown as Record<string, string>);
  });
});
