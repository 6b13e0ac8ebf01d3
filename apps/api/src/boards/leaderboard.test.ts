import { describe, expect, it } from 'vitest';
import { adminKey, answerOf, useTestApp } from '../testing/index.ts';

interface Entry {
  rank: number;
  rank_spread: [number, number];
  value: number;
  statistics: {
    n: number | null;
    mean: number;
    sd: number | null;
    median: number | null;
    ci95: [number, number] | null;
    cv: number | null;
    stability: string | null;
    basis: string;
    outliers: { value: number; tests: { test: string; statistic: number; critical: number }[] }[];
    runs: { value: number; result_id: string }[];
  };
  system: {
    id: string;
    quantization: { id: string | null; name: string };
    gpu: { name: string };
    gpu_power_limit_w: number | null;
    model: { id: string | null };
  };
  derived: Record<string, number | null>;
  scenario: { id: string };
}
interface Board {
  rank_by: string;
  definition: { id: string; others: { id: string; systems: number; url: string }[] } | null;
  rank_by_choice: { id: string; chosen_because: string; systems: number; others: { id: string; systems: number }[] };
  workload: {
    id: string;
    chosen_because: string;
    systems: number;
    others: { id: string; systems: number; url: string }[];
  } | null;
  data: Entry[];
  excluded: Record<string, number>;
  next_cursor: string | null;
}

const app = useTestApp({ sampleData: true });
const board = (query: string) => app.get<Board>(`/v1/leaderboard?full=true&${query}`);
/** The grid's systems name neither model nor GPU, so only their quantizations are compared. */
const quantizations = (query: string) => app.get<Board>(`/v1/best?full=true&subject=quantization&${query}`);
const byQuantization = (entries: Entry[], name: string) =>
  entries.find((entry) => entry.system.quantization.name === name);

describe('the seven quantizations of the decode-bound grid', () => {
  it('rank by decode speed with the printed mean and standard deviation', async () => {
    const { data } = await quantizations('scenario=decode-bound&rank_by=decode_tok_s');
    const figures = data.map(({ system, statistics: { n, mean, sd } }) => [
      system.quantization.name,
      n,
      mean.toFixed(2),
      sd?.toFixed(2),
    ]);
    expect(figures).toEqual([
      ['w8a8_sparse_smooth_gptq', 3, '198.06', '0.13'],
      ['w8a8_smooth_ptq', 3, '197.63', '1.34'],
      ['w8a8_smooth_gptq', 3, '197.20', '0.66'],
      ['w8a16_sparse_awq', 3, '188.21', '1.20'],
      ['w8a16_awq', 3, '187.49', '0.56'],
      ['w8a16_smooth_awq', 3, '187.18', '0.69'],
      ['original', 3, '136.47', '0.05'],
    ]);
  });

  it('are tied if their intervals overlap', async () => {
    const { data } = await quantizations('scenario=decode-bound&rank_by=decode_tok_s');
    expect(data.map((entry) => entry.rank)).toEqual([1, 1, 1, 4, 4, 4, 7]);
    expect(data.slice(0, 3).map((entry) => entry.rank_spread)).toEqual([
      [1, 3],
      [1, 3],
      [1, 3],
    ]);
    expect(data.at(-1)?.rank_spread).toEqual([7, 7]);
  });
});

describe('the base grid', () => {
  it('labels the point with the run of 1526.74 unstable, and shows its runs and median', async () => {
    const { data } = await quantizations('scenario=base&rank_by=decode_tok_s');
    const entry = byQuantization(data, 'w8a16_sparse_awq');
    expect(entry?.statistics.stability).toBe('unstable');
    expect(entry?.statistics.cv).toBeCloseTo(0.4539, 3);
    expect(entry?.statistics.median).toBe(3906.77);
    expect(entry?.statistics.runs.map((run) => run.value)).toEqual([1526.74, 4153.26, 3906.77]);
  });

  it('flags the run of 2898.23 with the Grubbs test', async () => {
    const { data } = await quantizations('scenario=base&rank_by=decode_tok_s');
    const outliers = byQuantization(data, 'w8a8_sparse_smooth_gptq')?.statistics.outliers;
    expect(outliers?.map((outlier) => outlier.value)).toEqual([2898.23]);
    expect(outliers?.[0]?.tests[0]).toMatchObject({ test: 'grubbs', critical: 1.1543 });
    expect(outliers?.[0]?.tests[0]?.statistic).toBeCloseTo(1.15457, 5);
  });
});

describe('the power sweep', () => {
  it('has eight systems, and the most tokens per joule at 250 W or below', async () => {
    const { data, excluded, definition } = await board('scenario=tg128&rank_by=tok_per_joule&model=llama-2-7b');
    expect(definition?.id).toBe('at_power_limit');
    expect(new Set(data.map((entry) => entry.system.gpu_power_limit_w))).toEqual(
      new Set([600, 500, 450, 400, 350, 300, 250, 200]),
    );
    const alike = data.map(({ system: { id, gpu_power_limit_w, ...rest } }) =>
      JSON.stringify({ ...rest, label: undefined, links: undefined }),
    );
    expect(new Set(alike).size).toBe(1);
    expect(data[0]?.system.gpu_power_limit_w).toBeLessThanOrEqual(250);
    expect(data[0]?.value).toBeCloseTo(189.82 / 200, 6);
    expect(data.at(-1)?.system.gpu_power_limit_w).toBe(600);
    expect(data.every((entry) => entry.statistics.n === null)).toBe(true);
    expect(excluded).toEqual({});
  });

  it("keeps the tool's deviation if the number of repetitions is unknown", async () => {
    const { data } = await board('scenario=tg128&rank_by=decode_tok_s&model=llama-2-7b&gpu_power_limit_w=600');
    expect(data[0]?.statistics).toMatchObject({ n: null, mean: 278.95, sd: 0.23, ci95: null, basis: 'tool_summary' });
  });
});

describe('a board', () => {
  it('never ranks values of different formulas together, and counts the omitted points', async () => {
    const { data, definition, workload } = await board('rank_by=decode_tok_s');
    expect(definition?.id).toBe('in_process');
    expect(workload).toMatchObject({ id: 'tg128-offline', chosen_because: 'most_systems', systems: 13 });
    expect(data).toHaveLength(13);
    const client = await board('rank_by=decode_tok_s&definition=client');
    expect(client.definition).toMatchObject({ id: 'client', chosen_because: 'asked' });
    expect(client.data.every((entry) => !entry.scenario.id.startsWith('tg'))).toBe(true);
  });

  it('names the chosen metric and workload, and links the alternatives', async () => {
    const { rank_by, rank_by_choice, workload, data } = await board('');
    expect(rank_by).toBe(rank_by_choice.id);
    expect(rank_by_choice).toMatchObject({ chosen_because: 'most_systems', systems: data.length });
    for (const { id, systems, url } of workload?.others ?? []) {
      expect(systems).toBeLessThanOrEqual(workload?.systems ?? 0);
      const { pathname, search } = new URL(url);
      const other = await app.get<Board>(pathname + search);
      expect(other.workload).toMatchObject({ id, chosen_because: 'asked' });
      expect(other.data.length).toBeGreaterThan(0);
    }
  });

  it.each(['', 'gpu=h100', 'workload=chatbot', 'regime=burst', 'rank_by=ttft_ms'])(
    'has one workload for the query "%s"',
    async (query) => {
      const { data, workload } = await board(query);
      expect(data.length).toBeGreaterThan(0);
      const loads: Record<string, string> = { batch: 'offline', burst: 'burst', concurrency: 'steady' };
      for (const entry of data as (Entry & { load: { mode: string } })[])
        expect(`${entry.scenario.id}-${loads[entry.load.mode]}`).toBe(workload?.id);
    },
  );

  it('excludes results with an unspecified model, GPU or quantization', async () => {
    const { data, excluded } = await board('rank_by=decode_tok_s&workload=base-offline');
    expect([data, excluded]).toEqual([[], { unspecified_model: 7 }]);
    const shisa = await board('rank_by=output_tok_s&workload=sharegpt');
    expect(shisa.data).toEqual([]);
    expect(shisa.excluded.unspecified_quantization).toBeGreaterThan(0);
  });

  it('bounds any metric, and uses the mean of a latency without a statistic', async () => {
    const ask = (max: number) =>
      app.get<Board>(`/v1/best?subject=engine&rank_by=output_tok_s&max_itl_ms=${max}&tool=vllm%20bench%20serve`);
    expect((await ask(30)).data).toHaveLength(1);
    expect((await ask(20)).data).toHaveLength(0);
  });

  it('returns every entry once across its pages', async () => {
    const whole = await board('scenario=tg128');
    const seen: Entry[] = [];
    let cursor: string | null = null;
    do {
      const page: Board = await board(`scenario=tg128&limit=2${cursor ? `&cursor=${cursor}` : ''}`);
      seen.push(...page.data);
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(seen.map((entry) => [entry.rank, entry.system.id])).toEqual(
      whole.data.map((entry) => [entry.rank, entry.system.id]),
    );
  });

  it('separates kernels from serving results', async () => {
    const { data } = await board('rank_by=forward_ms');
    expect(data.length).toBeGreaterThan(0);
    const serving = await board('rank_by=output_tok_s');
    expect(serving.data.every((entry) => entry.derived.output_tok_s_per_gpu !== undefined)).toBe(true);
  });
});

describe('latencies from the start of an offline run', () => {
  const submit = (e2e: number, definition: string, gpu: string) =>
    app.request('/v1/submissions', {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}` },
      body: JSON.stringify({
        schema: 'inferboard/v1',
        system: { model: 'llama-3.1-8b', quantization: 'fp8', gpu, gpu_count: 1, engine: 'vllm' },
        scenario: { input_tokens: 777, output_tokens: 333 },
        results: [
          {
            load: { mode: 'batch', level: 4 },
            metrics: { e2e_ms_mean: e2e, e2e_ms_max: e2e, output_tok_s: 400 },
            definitions: { e2e_ms: definition },
          },
        ],
      }),
    });

  it('are shown and counted but not ranked: they grow with the number of requests', async () => {
    expect((await submit(100_000, 'from_run_start', 'h100-sxm')).status).toBe(201);
    const asked = 'workload=780-330-offline';
    for (const metric of ['e2e_ms', 'e2e_ms_max']) {
      const { data, excluded } = await board(`${asked}&rank_by=${metric}`);
      expect([data, excluded.other_definition], metric).toEqual([[], 1]);
    }
    expect((await submit(3000, 'whole_batch', 'h200-sxm')).status).toBe(201);
    for (const more of ['', '&gpu_count=1', '&max_e2e_ms=1e9', '&definition=batch']) {
      const { data } = await board(`${asked}&rank_by=e2e_ms${more}`);
      expect(
        data.map(({ value }) => value),
        more,
      ).toEqual([3000]);
    }
    const refused = await app.request('/v1/leaderboard?rank_by=e2e_ms&definition=run');
    expect(await answerOf(refused)).toMatchObject({
      errors: [{ code: 'definition_unranked', parameter: 'definition' }],
    });
  });
});

describe('an invalid query', () => {
  const problem = async (query: string) => {
    const response = await app.request(`/v1/leaderboard?${query}`);
    return { status: response.status, type: response.headers.get('content-type'), body: await answerOf(response) };
  };

  it('names an unknown parameter and the closest known one', async () => {
    const { status, type, body } = await problem('scenari=base&rank_by=decode_tok_s');
    expect([status, type]).toEqual([422, 'application/problem+json']);
    expect(body.errors).toMatchObject([{ parameter: 'scenari', hint: 'Did you mean "scenario"?' }]);
  });

  it('lists all errors at once', async () => {
    const { body } = await problem('limit=0&order=up&max_itl_ms=fast&colour=red');
    expect(body.errors.map((fault) => fault.parameter).sort()).toEqual(['colour', 'limit', 'max_itl_ms', 'order']);
  });

  it('names an unknown metric and the closest known one', async () => {
    const { body } = await problem('rank_by=decode_toks');
    expect(body.errors).toMatchObject([{ code: 'metric_unknown', hint: 'Did you mean "decode_tok_s"?' }]);
  });

  it('rejects a value that was never submitted instead of returning an empty list', async () => {
    const { status, body } = await problem('gpu=h10');
    expect(status).toBe(422);
    expect(body.errors[0]).toMatchObject({ parameter: 'gpu', code: 'value_unknown' });
  });

  const reads = [
    ...[
      'best?',
      'best?q=best+model&',
      'leaderboard?',
      'leaderboard.csv?',
      'matrix?',
      'matrix.jsonl?',
      'pareto?',
      'results?',
    ],
    ...['results.csv?', 'systems?', 'quality?', 'changes?', 'trends?gpu=h100&', 'compare?system=sys_a&system=sys_b&'],
  ];
  it.each(reads)('rejects bounds that no result can meet on /v1/%s', async (path) => {
    const bounds = 'min_itl_ms=20&max_itl_ms=10&max_ttft_ms=-1&min_load_level=9&max_load_level=8';
    const response = await app.request(`/v1/${path}${bounds}`);
    const { errors } = await answerOf(response);
    expect(response.status).toBe(422);
    expect(errors.map(({ parameter }) => parameter)).toEqual(
      expect.arrayContaining(['max_itl_ms', 'max_load_level', 'max_ttft_ms']),
    );
  });

  it('rejects a bound that contradicts the question', async () => {
    const response = await app.request('/v1/best?q=best+model+under+20ms+itl&min_itl_ms=30');
    expect(await answerOf(response)).toMatchObject({
      errors: [{ code: 'bounds_contradict', hint: 'Change or remove one of them.' }],
    });
  });

  it('rejects a cursor of another list', async () => {
    for (const cursor of ['nonsense', 'bnVsbA', Buffer.from('["a",1]').toString('base64url')]) {
      expect((await problem(`cursor=${cursor}`)).body.errors).toMatchObject([{ code: 'cursor_invalid' }]);
    }
  });
});
