import { beforeAll, describe, expect, it, test } from 'vitest';
import { loadPublicPack } from '../sample-data/sample.ts';
import { useTestApp } from '../testing/index.ts';

// The data of a fresh installation: the sample and the pack of published results.
const app = useTestApp({ sampleData: true });
beforeAll(() => loadPublicPack(app.deps));

interface Answer {
  says: string | null;
  rank_by: string;
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

  it.each([
    'J/token for deepseek r1 on gb300 vs b200',
    '$/M tokens deepseek r1 b200 vs mi355x',
    'mi355x fp4 vs b200 fp4 deepseek r1 1k/1k',
  ])('is at the same load if the sides have one in common: %s', async (q) => {
    const { says, data } = await ask(q);
    expect(new Set(data.map(({ load }) => `${load.mode} ${load.level}`)).size).toBe(1);
    expect(says).toContain('each at the same load');
  });

  it('is at similar loads of a GPU if the sides have no other, and states the best value', async () => {
    const { says, data } = await ask('h100 vs mi300x for deepseek r1');
    const loads = data.map(({ load, system }) => ({ total: load.level, each: load.level / system.gpu_count }));
    for (const kind of ['total', 'each'] as const) {
      const levels = loads.map((load) => load[kind]);
      expect(Math.max(...levels) / Math.min(...levels)).toBeLessThanOrEqual(2);
    }
    expect(says).toContain('at loads that differ at most twofold');
    expect(says).toMatch(/ The best stored value of H100 is [\d.]+ tok\/s \(308 concurrent\)\.$/);
  });

  it('may have sides of more models than a filter has values', async () => {
    const { says, comparison } = await ask('dense vs moe on strix halo');
    expect(comparison.sides).toHaveLength(2);
    expect(says).toContain(' has ');
  });

  it('states the best value of a side in the unit of the question', async () => {
    const { says } = await ask('J/token for deepseek r1 on gb300 vs b200');
    expect(says).toMatch(/ The best stored value of B200 SXM 180GB is [\d.]+ J\/tok \(\d+ concurrent\)\.$/);
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

it('finds MLX and GGUF formats for "4bit" on a Mac', async () => {
  const { data } = await ask('4bit qwen3 on apple m4 max');
  expect(data[0]?.system.quantization.id).toMatch(/^mlx-4bit|^gguf-q4|^gguf-iq4/);
});
