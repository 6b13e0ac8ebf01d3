import { beforeAll, describe, expect, it, test } from 'vitest';
import { loadPublicPack } from '../sample-data/sample.ts';
import { useTestApp } from '../testing/index.ts';

// The data of a fresh installation: the sample and the pack of published results.
const app = useTestApp({ sampleData: true });
beforeAll(() => loadPublicPack(app.deps));

interface Answer {
  says: string | null;
  rank_by: string;
  subject: string;
  data: object[];
  workload: { id: string; regime: string; chosen_because: string } | null;
}

const ask = (q: string) => app.get<Answer>(`/v1/best?${new URLSearchParams({ q })}`);

describe('a ranking by no stated metric', () => {
  it.each([
    'best gpu for llama 8b',
    'best quantization for llama 3.1 8b',
    'best engine for llama 3 8b',
    'best gpu',
    'best model',
    'best engine for deepseek r1 on b200',
  ])('is by throughput per GPU, which the sentence states: %s', async (q) => {
    const { says, rank_by } = await ask(q);
    expect(rank_by).toBe('output_tok_s_per_gpu');
    expect(says).toMatch(/^No metric is named, so the ranks are by output throughput per GPU in ".+"\./);
  });

  it('is by a latency if the results under the filters have nothing else', async () => {
    const { says } = await ask('best gpu for llama 8b at 5 req/s');
    expect(says).toMatch(/^No metric is named, so the ranks are by p50 TTFT in /i);
  });

  it('has no such sentence with a metric', async () => {
    expect((await ask('cheapest model on b200')).says).toBeNull();
    expect((await ask('fastest model on b200')).says).toMatch(
      /^"fastest" ranks by per-user speed, here in ".+"\. For the throughput, ask "best model .+ on b200-sxm"\.$/,
    );
    expect((await app.get<Answer>('/v1/best?subject=gpu&rank_by=output_tok_s')).says).not.toMatch(/No metric/);
  });
});

describe('"fastest"', () => {
  it.each([
    [
      'fastest',
      'system',
      /The entries have different models, so the ranks do not compare GPUs or engines\. Name a model/,
    ],
    [
      'fastest llm engine',
      'engine',
      /The entries have different models, so the ranks do not compare the engines alone/,
    ],
    ['fastest inference engine', 'engine', /so the ranks do not compare the engines alone/],
    ['fastest gpu', 'gpu', /so the ranks do not compare the GPUs alone/],
    ['fastest model', 'model', /The entries have different GPUs, so the ranks do not compare the models alone/],
  ])(
    'without a filter is of several entries under steady load, with what it does not compare: %s',
    async (q, subject, note) => {
      const { says, workload, data, ...answer } = await ask(q);
      expect(answer).toMatchObject({ rank_by: 'user_tok_s', subject });
      expect(workload?.regime).toBe('steady');
      expect(data.length).toBeGreaterThan(1);
      expect(says).toMatch(/^"fastest" ranks by per-user speed, here in ".+, steady"\./);
      expect(says).toMatch(note);
    },
  );

  it('offers the throughput as a question with an answer', async () => {
    const { says } = await ask('fastest gpu for deepseek r1');
    const [, offered = ''] = /For the throughput, ask "(.+)"/.exec(says ?? '') ?? [];
    expect(offered).toMatch(/^best gpu .+ deepseek-r1$/);
    const { rank_by, data } = await ask(offered);
    expect(rank_by).toBe('output_tok_s_per_gpu');
    expect(data.length).toBeGreaterThan(1);
  });

  it('has the workload with the most systems under filters', async () => {
    expect((await ask('fastest model on rtx 3090')).workload?.chosen_because).toBe('most_systems');
    expect((await ask('slowest')).says).not.toMatch(/throughput/);
  });
});

describe('a ranking with a single entry in the workload with the most systems', () => {
  it.each(['best engine for qwen3 235b a22b', 'fastest gpu for glm 4.6', 'best quantization for glm 4.5 air'])(
    'is of a workload with several: %s',
    async (q) => {
      const { workload, data, says } = await ask(q);
      expect(workload?.chosen_because).toBe('comparable');
      expect(data.length).toBeGreaterThan(1);
      expect(says).not.toMatch(/nothing is compared/);
    },
  );

  it('keeps its workload if the question names it, or no other has several', async () => {
    const named = await ask('best engine for qwen3 235b a22b with 2000 input and 100 output tokens');
    expect([named.data.length, named.workload?.chosen_because]).toEqual([1, 'most_systems']);
    expect((await ask('best engine for llama 2 7b')).says).toMatch(/Only one of the engines has a result here/);
  });
});

test('"tokens per second" without a result that has a speed states it', async () => {
  expect((await ask('tokens per second llama 3.1 8b rtx 3090')).says).toMatch(
    /^No stored result under these filters has a speed in tokens per second\. 82\.86 ms p50 TTFT by /,
  );
  expect((await ask('tokens per second deepseek r1 b200')).says).toMatch(/tok\/s/);
  expect((await ask('tokens per second deepseek r1 b200')).says).not.toMatch(/No stored result/);
});
