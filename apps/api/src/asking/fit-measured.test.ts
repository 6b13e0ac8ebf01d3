import { beforeAll, describe, expect, it, test } from 'vitest';
import { loadPublicPack } from '../sample-data/sample.ts';
import { useTestApp } from '../testing/index.ts';

// The data of a fresh installation: the sample and the pack of published results.
const app = useTestApp({ sampleData: true });
beforeAll(() => loadPublicPack(app.deps));

interface Answer {
  says: string;
  rank_by: string;
  rank_by_choice: { id: string; chosen_because: string };
  interpretation: { phrases: { became: string }[] };
  data: { system: { gpu_count: number }; load: { mode: string; level: number } }[];
}

const ask = (q: string) => app.get<Answer>(`/v1/best?${new URLSearchParams({ q })}`);

describe('the number of GPUs for a load', () => {
  it('is that of the measured system with the fewest GPUs', async () => {
    const { says, data } = await ask('how many GPUs for 100 users at 40 tok/s/user on gpt-oss-120b');
    expect(says).toMatch(
      /^1 GPU for 100 requests at once with per user speed at least 40 tok\/s: gpt-oss-120b, .* measured at 128 concurrent/,
    );
    expect(says).toContain('The following memory is for 100 requests at once. Computed from the catalogue');
    expect(data.length).toBeGreaterThan(0);
    expect(data.every(({ load }) => load.mode === 'concurrency')).toBe(true);
  });

  it('includes the copies that a greater load needs, and states that they are computed', async () => {
    const { says } = await ask('how many b200 for 1000 concurrent users at 50 tok/s/user on deepseek r1');
    const found =
      /^(\d+) GPUs for 1000 .*: (\d+) copies of .*, (\d+)x B200 SXM 180GB, .* measured at (\d+) concurrent/.exec(says);
    const [gpus, copies, count, level] = (found ?? []).slice(1).map(Number);
    expect(copies).toBe(Math.ceil(1000 / (level ?? 0)));
    expect(gpus).toBe((copies ?? 0) * (count ?? 0));
    expect(says).toContain('The number of copies is computed, not measured.');
  });

  it('without a limit asks for one', async () => {
    const { says } = await ask('how many gpus for 64 users on deepseek r1');
    expect(says).toContain('Add a limit such as "at 30 tok/s/user" to include the speed.');
  });

  it('without a result is not replaced by a memory size', async () => {
    const { says } = await ask('how many H100s do I need to serve 200 concurrent users with llama 3.3 70b at 30 tps');
    expect(says).toMatch(/^No stored result shows the number of GPUs for 200 requests at once with per user/);
  });
});

describe('a speed in a question about memory', () => {
  test.each([
    ['best model i can run on 16gb vram at 30 tok/s', /On this memory, .*, meets "with per user speed at least 30 tok/],
    [
      'what fits in 24 gb at 500 tok/s/user',
      /On this memory, no stored result meets "with per user speed at least 500/,
    ],
  ])('is answered with measured results: %s', async (q, expected) => {
    const { says } = await ask(q);
    expect(says).toMatch(/^The sizes do not include speed\./);
    expect(says).toMatch(expected);
  });
});

it('names the metric that the service chose for the measurements, not one that the question names', async () => {
  const { interpretation, rank_by, rank_by_choice } = await ask('best model that fits in 24 GB');
  expect(rank_by_choice).toMatchObject({ id: rank_by, chosen_because: 'most_systems' });
  expect(interpretation.phrases[0]?.became).toBe(`rank_by=${rank_by}, order=desc`);
});

it('names the system that serves the most users', async () => {
  const { says } = await ask('how many users can 8xh200 serve with deepseek r1 at 20 tok/s/user');
  expect(says).toMatch(/^A stored result meets this with at most \d+ requests at once, [\d.]+ for each GPU: .*8x H200/);
});

describe('a question for a speed', () => {
  it('is not answered with a latency', async () => {
    const { says } = await ask('what tokens per second can I expect from llama 3.1 8b on an rtx 4070');
    expect(says).toMatch(/Closest match: [\d.,]+ tok\/s /);
  });
});

describe('a missing result', () => {
  it('of training is not said to be missing altogether', async () => {
    const { says } = await ask('highest training batch size on h100');
    expect(says).toContain('There is no ranked training result on H100.');
  });
});

it('names the models of sides that have different ones', async () => {
  const { says } = await ask('vllm vs trt-llm on h200 llama 70b');
  expect(says).toMatch(
    /vLLM [\d.,]+ tok\/s output throughput per GPU with Llama 3\.1 70B \(burst of \d+\); .* with Llama 2 70B \(burst of \d+\)\.$/,
  );
});

describe('figures in a sentence', () => {
  test.each([
    ['tokens per watt rtx pro 6000', /^[\d.]+ tokens per joule by /],
    ['gpt-oss-120b cost with h100 at 1.99 usd per hour', /^[\d.]+ USD per million output tokens by /],
    ['RPS h100 llama-3.1-8b', /^[\d.]+ req\/s request throughput by /],
    [
      'cost per 1M tokens: mi300x vs h200 deepseek r1',
      /times the value of H200 \(lower is better\); each at the same load/,
    ],
  ])('%s', async (q, expected) => {
    expect((await ask(q)).says).toMatch(expected);
  });

  test.each(['workload=1k-1k-steady', 'workload=1K-1K-steady', 'workload=1k-1k', 'scenario=1k-1k'])(
    'compare in the workload that the query names beside the question: %s',
    async (query) => {
      const { says } = await app.get<Answer>(
        `/v1/best?${new URLSearchParams({ q: 'deepseek r1 b200 vs h200' })}&${query}`,
      );
      expect(says).toMatch(/^Output throughput per GPU in "1K→1K, steady" .*times the value of/);
    },
  );

  it('name the load of a better value that is not compared', async () => {
    const { says } = await ask('cost per 1M tokens: mi300x vs h200 deepseek r1');
    expect(says).toMatch(/ The best stored value of H200 is [\d.]+ USD\/Mtok \(256 concurrent\)\.$/);
    expect((await ask('cost: mi300x vs h200 deepseek r1 at concurrency 64')).says).not.toMatch(/loads|best stored/);
  });

  it.each(['best gpu for deepseek r1 1k/1k', 'deepseek r1 b200 vs h200 1k/1k'])(
    'are of one workload, so that a second one in the query is rejected: %s',
    async (q) => {
      const response = await app.request(`/v1/best?${new URLSearchParams({ q, workload: '8k-1k-steady' })}`);
      expect(response.status).toBe(422);
      expect(await response.text()).toContain('scenario is given by both the question and the query.');
    },
  );

  it('compare in the workload that the question names, in any 4-bit float format for "fp4"', async () => {
    const { says } = await ask('mi355x fp4 vs b200 fp4 deepseek r1 1k/1k');
    expect(says).toMatch(/^Output throughput per GPU in "1K→1K, steady" .*\(MXFP4, .*\(NVFP4, /);
  });
});

test('sides that cannot be compared have the same metric, a speed', async () => {
  const { says, interpretation } = await ask('llama 3.1 8b vs qwen3 8b tokens/s');
  expect(says).toMatch(/Llama 3\.1 8B ([\d.,]+ tok\/s .+); Qwen3 8B [\d.,]+ tok\/s /);
  expect(interpretation.phrases.map(({ became }) => became).join()).not.toContain('ttft');
});
