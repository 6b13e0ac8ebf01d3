import { beforeAll, describe, expect, it } from 'vitest';
import { loadPublicPack } from '../sample-data/sample.ts';
import { useTestApp } from '../testing/index.ts';

// The data of a fresh installation: the sample and the pack of published results.
const app = useTestApp({ sampleData: true });
beforeAll(() => loadPublicPack(app.deps));

interface Answer {
  says: string | null;
  rank_by: string;
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
    expect((await ask('fastest model on b200')).says).toMatch(/^"fastest" ranks by per-user speed, here in ".+"\.$/);
    expect((await app.get<Answer>('/v1/best?subject=gpu&rank_by=output_tok_s')).says).not.toMatch(/No metric/);
  });
});
