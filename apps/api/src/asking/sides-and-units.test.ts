import { beforeAll, describe, expect, it, test } from 'vitest';
import { loadPublicPack } from '../sample-data/sample.ts';
import { useTestApp } from '../testing/index.ts';

// The data of a fresh installation: the sample and the pack of published results.
const app = useTestApp({ sampleData: true });
beforeAll(() => loadPublicPack(app.deps));

interface Answer {
  says: string;
  rank_by: string;
  data: { value: number }[];
  comparison: { is_alike: boolean; sides: { name: string; ratio: number | null; best: unknown }[] };
}

const ask = (q: string) => app.get<Answer>(`/v1/best?${new URLSearchParams({ q })}`);

describe('a comparison of three sides', () => {
  it('compares the others if one has no result, and states which', async () => {
    const { says, data, comparison } = await ask('h100 vs gaudi3 vs h200 for glm 4.6');
    expect(comparison.is_alike).toBe(true);
    expect(comparison.sides.map(({ ratio }) => ratio)).toEqual([1, null, expect.any(Number)]);
    expect(comparison.sides[1]?.best).toBeNull();
    expect(data).toHaveLength(2);
    expect(says).toMatch(/H200 has [\d.]+ times the value of H100.* There is no stored result for Gaudi 3\.$/);
  });

  it('compares two if the third has no result under the same conditions', async () => {
    const { says, data, comparison } = await ask('vllm vs sglang vs tensorrt-llm for deepseek r1 on h200');
    expect(comparison.sides.filter(({ ratio }) => ratio !== null)).toHaveLength(2);
    expect(data).toHaveLength(2);
    expect(says).toMatch(/ is not compared, because it has no result with the same model, GPU and workload\.$/);
  });

  it('compares none if only one has a result', async () => {
    const { says, comparison } = await ask('vllm vs sglang vs tensorrt-llm for llama 3.1 8b on h100');
    expect(comparison.is_alike).toBe(false);
    expect(says).toMatch(/^They cannot be compared: vLLM .*no stored result for SGLang/);
  });
});

describe('energy per token', () => {
  test.each([
    ['joules per token of llama 3.1 70b on h100', 1, /^[\d.]+ J\/tok by /],
    ['Wh per million tokens', 1e6 / 3600, /^[\d.]+ Wh\/Mtok by /],
    ['which GPU uses least energy per token', 1, /^[\d.]+ J\/tok by .* different models/],
  ])('is stated in the unit of the question: %s', async (q, factor, expected) => {
    const { says, rank_by, data } = await ask(q);
    expect(rank_by).toBe('tok_per_joule');
    expect(says).toMatch(expected);
    const values = data.map(({ value }) => value);
    expect(values).toEqual(values.toSorted((a, b) => b - a));
    expect(Number.parseFloat(says)).toBeCloseTo(factor / (values[0] ?? 0), 2);
  });

  it('compares in that unit, where lower is better', async () => {
    const { says } = await ask('h100 vs b200 energy per token');
    const [, h100, b200] = /H100 ([\d.]+) J\/tok, B200 SXM 180GB ([\d.]+) J\/tok/.exec(says) ?? [];
    expect(Number(h100)).toBeGreaterThan(Number(b200));
    expect(says).toMatch(/^Energy per token .*H100 has [\d.]+ times the value of B200 SXM 180GB \(lower is better\)/);
  });
});

describe('memory', () => {
  it('depends on the model', async () => {
    expect((await ask('how much memory for 20 users')).says).toContain('The memory depends on the model.');
  });

  it('lists speeds on one GPU of that memory', async () => {
    const { rank_by, data } = await app.get<Omit<Answer, 'data'> & { data: { system: { gpu_count: number } }[] }>(
      `/v1/best?${new URLSearchParams({ q: 'what can i run on 24GB' })}`,
    );
    expect(rank_by).toMatch(/tok_s/);
    expect(data.every(({ system }) => system.gpu_count === 1)).toBe(true);
  });
});

describe('a question about the meaning of a metric', () => {
  it.each([
    ["what's itl", /^Inter-token latency: /],
    ['whats itl', /^Inter-token latency: /],
    ['what is itl', /^Inter-token latency: .* Best: [\d.]+ ms ITL by /],
    ['define tpot', /^Time per output token of one request after its first token\. .* Best: [\d.]+ ms TPOT by /],
    ['what is goodput', /^Requests per second that met every stated latency limit at once\. No stored result/],
  ])('%s: the description and the best value', async (q, expected) => {
    expect((await ask(q)).says).toMatch(expected);
  });

  it('that names a GPU is about its value', async () => {
    expect((await ask('what is the ttft of h100')).says).toMatch(/^[\d.,]+ ms TTFT by /);
  });
});

describe('an answer without a result states what to ask next', () => {
  it.each([
    ['2x 3090 vs 1x 4090 llama 70b', /Closest match for 1x RTX 4090: 19\.06 tok\/s .*, without "on 1 GPU"\.$/],
    [
      'mlperf b200 vs mi355x llama 2 70b',
      /Closest match for Instinct MI355X: .* 8x Instinct MI355X, .*, without "for mlperf"\.$/,
    ],
    ['arc b580 llm', /ask "what fits on arc-b580"\.$/],
    ['100 concurrent users gpt-oss-120b on b200', / At the next higher loads: [\d,]+ tok\/s .*, 128 concurrent\.$/],
    ['kimi k2', /ask "how much vram for kimi-k2"\.$/],
    ['mistral small 24b speed', /ask "how much vram for mistral-small-3\.1-24b"\.$/],
  ])('%s', async (q, expected) => {
    expect((await ask(q)).says).toMatch(expected);
  });

  it('names only results of the question if there are any', async () => {
    expect((await ask('h100 vs h200 for glm 4.6')).says).not.toContain('Closest');
  });
});

it('a figure of either system names the words for a comparison', async () => {
  const says = 'The question asks for either. To compare them, write "vs".';
  expect((await ask('h200 or mi325x cost deepseek r1')).says).toContain(says);
  expect((await ask('cost of deepseek r1 on h200')).says).not.toContain(says);
  expect((await ask('cost of llama 70b on h200')).says).not.toContain(says);
});

it('the cost of a GPU alone has its price per hour', async () => {
  expect((await ask('how much does an h100 cost')).says).toMatch(
    / The price list has it at \$1\.78 per GPU-hour \(retail, /,
  );
  expect((await ask('how much does deepseek r1 cost on h100')).says).not.toContain('price list');
});

describe('sides of different numbers of GPUs', () => {
  it('are compared by what all their GPUs do', async () => {
    const { says, rank_by } = await ask('2x h100 vs 1x h200 gpt-oss-120b');
    expect(rank_by).toBe('output_tok_s');
    expect(says).toMatch(/^Output throughput in ".*: 2x H100 [\d,]+ tok\/s, 1x H200 [\d,]+ tok\/s\. 2x H100 has /);
  });

  it('name the number that the question leaves open', async () => {
    expect((await ask('b200 vs 2x h200 gpt-oss-120b')).says).toMatch(
      /: B200 SXM 180GB [\d,]+ tok\/s \(\d GPUs?\), 2x H200 [\d,]+ tok\/s\./,
    );
  });
});

it('finds GPUs by their rated power', async () => {
  const { data } = await ask('best gpu under 300 w');
  expect(data.length).toBeGreaterThan(3);
});
