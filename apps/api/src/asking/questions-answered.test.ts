import { exampleQuestions } from '@inferboard/core/questions/examples';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { loadPublicPack } from '../sample-data/sample.ts';
import { useTestApp } from '../testing/index.ts';

// The data of a fresh installation: the sample and the pack of published results.
const app = useTestApp({ sampleData: true });
beforeAll(() => loadPublicPack(app.deps));

interface Answer {
  data: { value: number }[];
  unanswered?: {
    missing: { message: string }[];
    nearest: { without: string[]; q: string | null; url: string; best: { value: number } }[];
  };
}

const ask = (q: string) => app.get<Answer>(`/v1/best?${new URLSearchParams({ q })}`);

const answered = [
  ...exampleQuestions,
  'best model with itl below 20 ms on an h100 sxm',
  'fastest quantization of qwen3 30b a3b on rtx pro 6000',
  'top 5 gpus for gpt-oss-120b by tokens per joule',
  'highest throughput fp8 model on b200 with p99 ttft under 1s',
  'models over 50 tok/s per user on a 4090',
  'best vllm system under 30ms tpot p90 on mi300x',
  'fastest model on m4 max with ttft < 500ms',
  'what is the best int4 model on rtx 5090 with at least 100 tokens per second per user?',
  'top 3 models by output throughput on one h200 since 2026-06-01',
  'cheapest gpu for deepseek r1 over 30 tok/s per user',
  'fastest gpu for llama 2 70b offline',
  'best quantization of deepseek r1 on b200',
  'tokens per joule on mi355x',
];

/** Questions without published results: the missing filter, the filters that the closest question drops, and its result. */
const unanswered: [q: string, missing: string, without: string[], finds: string][] = [
  [
    'lowest p99 ttft for llama 3.3 70b on 2x h200 at 64 concurrent users',
    'There is no ranked result for Llama 3.3 70B Instruct at concurrency 64.',
    ['load_mode', 'load_level', 'gpu', 'gpu_count'],
    'best system with the lowest p99 ttft for llama-3.3-70b',
  ],
  [
    'best engine for deepseek r1 on 8x h200 in the agentic scenario',
    'There is no ranked result for agentic.',
    ['scenario'],
    'best engine for deepseek-r1 on 8x h200',
  ],
  [
    'best model for chatbot on a100 80gb at 100 req/s',
    'There is no ranked result for chatbot at arrival rate 100 req/s.',
    ['scenario'],
    'best model on a100-pcie-80gb or a100-sxm4-80gb at arrival rate 100 req/s',
  ],
  [
    'lowest tpot on l40s, managed runs only',
    'There is no ranked result with managed runs.',
    ['trust'],
    'best system with the lowest mean tpot on l40s',
  ],
  [
    'best vllm system under 12ms tpot p90 on mi300x',
    'There is no ranked result on Instinct MI300X with vLLM with p90 tpot at most 12 ms.',
    ['max_tpot_ms_p90'],
    'best system with the lowest p90 tpot on mi300x with vllm',
  ],
  [
    'llama 3.1 8b on h100 with sglang at concurrency 32',
    'There is no ranked result for Llama 3.1 8B with SGLang.',
    ['load_mode', 'load_level', 'engine'],
    'best system for llama-3.1-8b on h100',
  ],
  [
    'best gpu for mistral small 24b under 2 s e2e at queue depth 128',
    'There is no ranked result for Mistral Small 3.1 24B (2503).',
    ['load_mode', 'load_level', 'model'],
    'best gpu with mean e2e latency at most 2000 ms',
  ],
];

describe('a fresh installation', () => {
  test.each(answered)('%s', async (q) => {
    const { data, unanswered: none } = await ask(q);
    expect(data.length).toBeGreaterThan(0);
    expect(none).toBeUndefined();
  });

  test.each(unanswered)('%s: states what is missing and the closest results', async (q, missing, without, finds) => {
    const { data, unanswered: why } = await ask(q);
    expect(data).toEqual([]);
    expect(why?.missing.map(({ message }) => message)).toContain(missing);
    const [nearest] = why?.nearest ?? [];
    expect(nearest).toMatchObject({ without, q: finds });
    // The URL and the words of the closest question give the same result.
    const { pathname, search } = new URL(nearest?.url ?? '');
    const [best] = (await app.get<Answer>(`${pathname}${search}`)).data;
    expect(best).toEqual(nearest?.best);
  });

  // The conditions have more subsets than are searched.
  it('has the closest results of the same model for a question with many conditions', async () => {
    const q = 'mixtral 8x7b awq on 4x l40s with sglang at concurrency 32 under 100ms ttft sharegpt';
    const { unanswered: why } = await ask(q);
    expect(why?.nearest.map((nearest) => nearest.q)).toEqual([
      'best system with the lowest mean ttft for mixtral-8x7b',
    ]);
  });

  it('meets a bound on p90 with a lower p99, and shows the p99', async () => {
    const { data } = await app.get<{
      data: { metrics: Record<string, number | null>; system: { model: { id: string } } }[];
    }>(`/v1/best?${new URLSearchParams({ q: 'best vllm system under 30ms tpot p90 on mi300x' })}`);
    expect(data[0]?.system.model.id).toBe('ministral-3-14b');
    expect(data[0]?.metrics).toMatchObject({ tpot_ms_p99: 12.83 });
    expect(data[0]?.metrics.tpot_ms_p90 ?? null).toBeNull();
  });

  it('offers another metric without the formula of the missing one', async () => {
    const query = 'rank_by=e2e_ms_mean&definition=batch&model=minimax-m2';
    const { data, unanswered: why } = await app.get<Answer>(`/v1/best?${query}`);
    expect(data).toEqual([]);
    expect(why?.nearest[0]?.without).toContain('rank_by');
  });

  it('shows the best value for a bound and the workload where it is closest', async () => {
    const { unanswered: why } = await ask('best vllm system under 12ms tpot p90 on mi300x');
    expect(why?.nearest[0]).toMatchObject({
      rank_by: 'tpot_ms_p90',
      workload: 'mlperf-llama2-70b-99.9-interactive-steady',
      best: { value: 34.407327 },
    });
  });
});
