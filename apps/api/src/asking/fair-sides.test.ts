import { beforeAll, describe, expect, it, test } from 'vitest';
import { loadPublicPack } from '../sample-data/sample.ts';
import { useTestApp } from '../testing/index.ts';
import { loadsInCommon } from './same-entries.ts';

// The data of a fresh installation: the sample and the pack of published results.
const app = useTestApp({ sampleData: true });
beforeAll(() => loadPublicPack(app.deps));

interface Answer {
  says: string | null;
  rank_by: string;
  excluded: Record<string, number>;
  interpretation: { phrases: { note: string | null }[] };
  workload: { id: string; regime: string; chosen_because: string; reason: string } | null;
  data: {
    value: number;
    load: { mode: string; level: number };
    system: { gpu_count: number; quantization: { id: string } };
  }[];
  comparison: { sides: { ratio: number | null }[] };
}

const ask = (q: string) => app.get<Answer>(`/v1/best?${new URLSearchParams({ q })}`);

describe('a comparison', () => {
  it('prefers systems with the same settings to the best of each side', async () => {
    const { says, comparison } = await ask('fp8 vs bf16 on h100');
    expect(says).toMatch(/FP8 has 1\.28 times the value of BF16/);
    expect(says).not.toContain('differ in');
    expect(comparison.sides[1]?.ratio).toBeCloseTo(1 / 1.277, 2);
  });

  it.each(['$/M tokens deepseek r1 b200 vs mi355x', 'h200 vs b200 deepseek r1 itl', 'h100 vs b200 for gpt-oss-120b'])(
    'is at the same load if the sides have one in common: %s',
    async (q) => {
      const { says, data } = await ask(q);
      expect(new Set(data.map(({ load }) => `${load.mode} ${load.level}`)).size).toBe(1);
      expect(says).toContain('each at the same load');
    },
  );

  it.each(['h100 vs mi300x for deepseek r1', 'cheapest: h100 vs mi300x for deepseek r1'])(
    'by a metric per GPU is at the same load per GPU, and states the best values: %s',
    async (q) => {
      const { says, data } = await ask(q);
      const [one, other] = data.map(({ load, system }) => load.level / system.gpu_count);
      expect(one).toBe(other);
      expect(says).toMatch(/128 concurrent on 32 GPUs.*32 concurrent on 8 GPUs/);
      expect(says).toMatch(/has [\d.]+ times the value of .*; each at the same load per GPU \(4 concurrent\)\./);
      expect(says).toMatch(/ The best stored value of H100 is [\d.]+ \S+ \(308 concurrent on 48 GPUs\)\. /);
    },
  );

  it.each([
    ['8 x h200 vs 8 x b200', 256],
    ['$/M tokens h100 vs h200 deepseek r1', 128],
    ['mi300x vs h200 deepseek r1 throughput per gpu', 64],
  ])('prefers a load at which the systems do well to equal settings and numbers of GPUs: %s', async (q, level) => {
    const { says, data } = await ask(q);
    expect(data.map(({ load }) => load.level)).toEqual([level, level]);
    expect(says).toContain(`each at the same load (${level} concurrent)`);
  });

  it('of throughput at a load at which a side is nearly idle states no ratio, but the best values', async () => {
    const { says, comparison } = await ask('mi355x fp4 vs b200 fp4 deepseek r1 1k/1k');
    expect(comparison.sides.map(({ ratio }) => ratio)).toEqual([null, null]);
    expect(says).toMatch(/4096 concurrent on 12 GPUs.*1024 concurrent on 12 GPUs.*because the loads differ\./);
    expect(says).not.toContain('best stored value');
  });

  it.each([
    ['h200 vs gb300 for deepseek r1', 2048],
    ['b300 vs mi300x for deepseek r1 per user speed', 4],
  ])('is at a load at which all sides were measured, even if no best value is: %s', async (q, level) => {
    const { says, data, comparison } = await ask(q);
    expect(data.map(({ load }) => load.level)).toEqual([level, level]);
    expect(comparison.sides[1]?.ratio).not.toBeNull();
    expect(says).toContain(`each at the same load (${level} concurrent)`);
  });

  it('of latencies is at the common load with the best values', async () => {
    const { data } = await ask('h200 vs b200 deepseek r1 itl');
    expect(data.map(({ load }) => load.level)).toEqual([4, 4]);
  });

  it('uses a latency if the sides have no other metric in common, the lowest first', async () => {
    const { rank_by, data } = await ask('fp8 vs bf16 llama 3.1 8b');
    expect(rank_by).toBe('ttft_ms_p50');
    expect(data[0]?.value).toBeLessThan(100);
  });

  it('of unlike loads states no ratio, but the loads', async () => {
    const { says, data, comparison } = await ask('h100 vs mi300x ttft');
    expect(data).toHaveLength(2);
    expect(comparison.sides.map(({ ratio }) => ratio)).toEqual([null, null]);
    expect(says).not.toContain(' times ');
    expect(says).toContain('(210 req/s on 16 GPUs)');
    expect(says).toContain('No ratio is stated, because the loads differ.');
  });

  it('of rates in MLPerf states a ratio at any load', async () => {
    const { says, data, comparison } = await ask('h200 vs b200 for llama 2 70b');
    expect(new Set(data.map(({ load }) => load.level)).size).toBe(2);
    expect(comparison.sides[1]?.ratio).toBeGreaterThan(2);
    expect(says).toMatch(
      /B200 SXM 180GB has [\d.]+ times the value of H200; each at its load under the rules of MLPerf\./,
    );
  });

  it('that is not possible states the load of each value', async () => {
    const { says } = await ask('h100 pcie vs h100 sxm');
    expect(says).toMatch(
      /^They cannot be compared.*H100 PCIe 80GB .* \(batch 1\); H100 SXM5 80GB .* \(burst of 1000\)\.$/,
    );
  });

  it('may have sides of more models than a filter has values', async () => {
    const { says, comparison } = await ask('dense vs moe on strix halo');
    expect(comparison.sides).toHaveLength(2);
    expect(says).toMatch(/: dense [\d.]+ tok\/s \(Gemma 4 31B\), moe [\d.]+ tok\/s \(Gemma 4 26B-A4B\)\. moe has /);
  });

  it('of vendors names the GPUs', async () => {
    const { says } = await ask('amd vs nvidia deepseek r1');
    expect(says).toMatch(
      /: AMD [\d.]+ tok\/s \(Instinct MI\d+X\), NVIDIA [\d.]+ tok\/s \([HB]\d00[^)]*\)\. NVIDIA has /,
    );
  });

  it('states the best value of a side in the unit of the question', async () => {
    const { says } = await ask('J/token of deepseek r1 on b200 vs b300');
    expect(says).toMatch(/ The best stored value of .* is [\d.]+ J\/tok \(.*\)\.$/);
  });
});

describe('the speed of one user', () => {
  it('is that of a batch of one request for a single user', async () => {
    const { says, data } = await ask('single user speed of gpt-oss-20b');
    expect(data[0]?.load).toMatchObject({ level: 1 });
    expect(says).toMatch(/batch 1\.$|1 concurrent\.$|single request\.$/);
  });
});

describe('units of energy', () => {
  test.each([
    ['tokens per kWh of llama 3.1 70b on h100', 3.6e6, /^[\d.,]+ tokens per kWh by /],
    ['tokens per Wh of llama 3.1 70b on h100', 3600, /^[\d.,]+ tokens per Wh by /],
  ])('are those of the question: %s', async (q, factor, expected) => {
    const { says, data } = await ask(q);
    expect(says).toMatch(expected);
    expect(Number((says ?? '').split(' ')[0]?.replaceAll(',', '')) / ((data[0]?.value ?? 0) * factor)).toBeCloseTo(
      1,
      2,
    );
  });

  it('state energy per 1,000 tokens', async () => {
    const { says, data } = await ask('Wh per 1k tokens llama 3.1 70b h100');
    expect(says).toMatch(/^[\d.]+ Wh\/1k tok by /);
    expect(Number.parseFloat(says ?? '')).toBeCloseTo(1000 / 3600 / (data[0]?.value ?? 0), 3);
  });
});

describe('a limit on the price', () => {
  it('counts the results that it omits because their GPU has no price', async () => {
    const { excluded, interpretation, workload } = await ask('best gpu under $1 per hour');
    const byCost = new URLSearchParams({ rank_by: 'usd_per_mtok_output', workload: workload?.id ?? '' });
    const board = await app.get<Pick<Answer, 'excluded'>>(`/v1/leaderboard?${byCost}`);
    expect(excluded.unpriced_gpu).toBeGreaterThan(0);
    expect(excluded).toEqual(board.excluded);
    expect(interpretation.phrases.map(({ note }) => note)).toContainEqual(
      expect.stringMatching(/ without GPUs that have no price$/),
    );
  });

  it('applies to the sides of a comparison', async () => {
    const query = new URLSearchParams({ q: 'h100 vs b200 under $2 an hour' });
    const response = await app.request(`/v1/best?${query}`);
    expect(response.status).toBe(422);
    expect(await response.text()).toContain('No price of \\"b200-sxm\\" is at most $2 per hour');
  });
});

it('finds MLX and GGUF formats for "4bit" on a Mac', async () => {
  const { data } = await ask('4bit qwen3 on apple m4 max');
  expect(data[0]?.system.quantization.id).toMatch(/^mlx-4bit|^gguf-q4|^gguf-iq4/);
});

describe('loads in common', () => {
  const entry = (level: number, count: number | null, mode = 'concurrency') =>
    ({ load: { mode, level }, system: { gpu_count: count } }) as unknown as Parameters<typeof loadsInCommon>[0][number]; // only the load and the GPUs count
  const loads = (gpuCount: number, ...levels: number[]) =>
    levels.map((level) => ({ mode: 'concurrency' as const, level, gpuCount }));
  const levelsOf = (sides: ReturnType<typeof loadsInCommon>) =>
    sides.map((one) => one.map(({ load_level: level }) => level));

  test('are those that all sides have, the highest first for a throughput', () => {
    const measured = [loads(8, 1, 4, 16, 64, 256), loads(8, 1, 4, 16, 64, 100)];
    const entries = [entry(256, 8), entry(100, 8)];
    expect(levelsOf(loadsInCommon(entries, measured, 'output_tok_s'))).toEqual([
      [[64], [64]],
      [[16], [16]],
    ]);
    expect(levelsOf(loadsInCommon(entries, measured, 'user_tok_s'))[0]).toEqual([[1], [1]]);
  });

  test('are also those for each GPU, with the number of GPUs of the chosen systems', () => {
    const sides = loadsInCommon(
      [entry(12, 3), entry(100, 6)],
      [loads(3, 10, 12), loads(6, 20, 100)],
      'output_tok_s_per_gpu',
    );
    expect(sides).toEqual([
      [
        { load_mode: ['concurrency'], load_level: [10], gpu_count: [3] },
        { load_mode: ['concurrency'], load_level: [20], gpu_count: [6] },
      ],
    ]);
  });

  test('are none in different modes, and none for each GPU without a number of GPUs', () => {
    const measured = [loads(1, 4), loads(1, 4)];
    expect(loadsInCommon([entry(4, 1), entry(4, 1, 'burst')], measured, 'output_tok_s')).toEqual([]);
    expect(loadsInCommon([entry(4, null), entry(4, 1)], measured, 'output_tok_s_per_gpu')).toHaveLength(1);
  });
});
