import { describe, expect, it } from 'vitest';
import { expectRule, nativeReport, problemOf, sglangLine } from '../support/hostile.ts';
import { useHostileApp, viewOf } from './setup.ts';

// For any input: no 5xx, a problem document with the error for every rejection, and no silently ignored input.

const { app, submit, firstResult } = useHostileApp();

describe('facts of a measurement', () => {
  const known = { model: 'Llama-3.1-8B-Instruct', gpu: 'h100-sxm', quantization: 'fp8' };

  it.each([
    ['NVIDIA H100 80GB HBM3', '8xH100'],
    ['8x H100', 'h100-sxm'],
    ['8x H100 SXM', 'h100-sxm'],
  ])('keeps the count if the file states "%s" and the query "%s"', async (gpu, given) => {
    const { result } = await firstResult(nativeReport({ system: { ...known, gpu } }), `dry_run=true&gpu=${given}`);
    expect(result.system.gpu_count).toBe(8);
  });

  it('distinguishes two versions of an engine, regardless of their location', async () => {
    const systems = await Promise.all(
      ['vLLM 0.11.0', 'vLLM 0.6.0'].map(
        async (engine) => (await firstResult(nativeReport({ system: { ...known, engine } }))).result.system,
      ),
    );
    expect(systems[0]?.id).not.toBe(systems[1]?.id);
  });

  it.each([
    ['the version of the engine', { ...known, engine: { name: 'vllm', version: '0.11.0' } }, 'engine=vllm%200.6.0'],
    ['another model than the stated family', { ...known, model: 'Llama 3.1' }, 'model=Qwen3-30B-A3B'],
    ['another quantization than in the name', { ...known, model: 'Llama-3.1-8B-Instruct-Q4_K_M.gguf' }, ''],
  ])('reports every ambiguous fact: %s', async (_, system, query) => {
    const seen = await submit(nativeReport({ system }), `dry_run=true&${query}`);
    expectRule(seen);
    const isReported =
      seen.status === 422 || viewOf(seen.text).results[0]?.findings.some(({ code }) => /model|quant|engine/.test(code));
    expect(isReported, seen.text.slice(0, 300)).toBe(true);
  });

  it('rejects two measurement times', async () => {
    const body = nativeReport({ result: { measured_at: '2026-01-01T00:00:00Z' } });
    const seen = await submit(body, 'dry_run=true&measured_at=2020-01-01T00:00:00Z');
    expectRule(seen);
    expect(seen.status).toBe(422);
    expect(problemOf(seen).code).toBe('facts_contradict');
  });

  it.each([
    [{ name: 'chatbot', input_tokens: 4096, output_tokens: 256 }, ''],
    [{ input_tokens: 4096, output_tokens: 256 }, 'scenario=chatbot'],
  ])('reports a contradicting scenario: %j %s', async (scenario, query) => {
    const seen = await submit(nativeReport({ scenario }), `dry_run=true&${query}`);
    expectRule(seen);
    expect(problemOf(seen).code).toBe('facts_contradict');
  });

  it.each([
    [{ name: 'tool-calling' }, 'scenario=Tool%20Calling'],
    [{ input_tokens: 1, output_tokens: 1, dataset: 'ShareGPT_V3_unfiltered.json' }, 'dataset=sharegpt'],
  ])('accepts two spellings of one workload: %j %s', async (scenario, query) => {
    const seen = await submit(nativeReport({ scenario }), `dry_run=true&${query}`);
    expectRule(seen);
    expect(seen.status, seen.text.slice(0, 200)).toBe(200);
  });

  it.each([
    { name: 'my workload zzz' },
    { name: 'qqqqqqqq' },
    { name: 'chatbt', input_tokens: 4096, output_tokens: 256 },
  ])('reports a scenario name that it drops: %j', async (scenario) => {
    const seen = await submit(nativeReport({ scenario }), 'dry_run=true');
    expectRule(seen);
    const isReported =
      seen.status === 422 || viewOf(seen.text).results[0]?.findings.some(({ code }) => code.includes('scenario'));
    expect(isReported).toBe(true);
  });

  it('names the line of a missing or contradicting fact', async () => {
    const lines = [nativeReport(), nativeReport({ system: { model: null } }), nativeReport()].join('\n');
    const missing = await submit(lines, 'dry_run=true');
    expectRule(missing);
    expect(problemOf(missing).errors?.[0]).toMatchObject({ code: 'model_missing', line: 2 });
    const gpus = ['h100-sxm', 'a100-sxm-80gb', 'h100-sxm'].map((gpu) => nativeReport({ system: { gpu } })).join('\n');
    const contradicted = await submit(gpus, 'dry_run=true&gpu=h100-sxm');
    expectRule(contradicted);
    expect(problemOf(contradicted).errors?.[0]).toMatchObject({ code: 'facts_contradict', line: 2 });
  });

  it.each(['Unspecified', 'UNSPECIFIED', ' unspecified '])('accepts the word %s', async (word) => {
    const query = new URLSearchParams({ dry_run: 'true', model: word, gpu: word, quantization: word });
    const { view } = await firstResult(sglangLine(), query.toString());
    expect(view.status).toBe('accepted');
  });

  it('prefers a value to contradicting samples', async () => {
    const body = nativeReport({
      system: { ...known, engine: { name: 'vllm', version: 'samples' } },
      result: { metrics: { output_tok_s: 6 }, repeats: { samples: { output_tok_s: [1e6, 1e6] } } },
    });
    const seen = await submit(body);
    expectRule(seen);
    expect(seen.status === 422 || viewOf(seen.text).status === 'quarantined').toBe(true);
  });

  it('counts the GPUs of every kind of parallelism, or reports a guess', async () => {
    const { result } = await firstResult(
      nativeReport({ system: { ...known, parallelism: { tensor: 4, pipeline: 2 } } }),
    );
    const guessed = result.findings.some(({ code }) => code.startsWith('gpu_count'));
    expect(result.system.gpu_count === 8 || guessed).toBe(true);
  });

  it('averages one metric over all results with the same formula', async () => {
    const system = { ...known, gpu_count: 1, engine: { name: 'vllm', version: 'one-point' } };
    const metrics = [
      { output_tok_s: 100 },
      { output_tok_s: 110, ttft_ms_mean: 5 },
      { output_tok_s: 105, tpot_ms_mean: 4 },
    ];
    for (const measured of metrics) await firstResult(nativeReport({ system, result: { metrics: measured } }), '');
    const board = await app.get<{ data: { value: number; statistics: { n: number } }[] }>(
      '/v1/leaderboard?rank_by=output_tok_s&engine_version=one-point',
    );
    expect(board.data.map(({ value, statistics }) => [value, statistics.n])).toEqual([[105, 3]]);
  });

  it('does not show a folder of one submitter to others', async () => {
    const report = (model: string, value: number) =>
      nativeReport({
        system: { ...known, model, engine: { name: 'vllm', version: 'folders' } },
        result: { metrics: { output_tok_s: value } },
      });
    await firstResult(report('/home/alice/secret-client/Llama-3.1-8B-Instruct', 1), '');
    const { result } = await firstResult(report('meta-llama/Llama-3.1-8B-Instruct', 2), '');
    expect(JSON.stringify(result)).not.toContain('alice');
  });

  it('distinguishes two sparsities of a kernel', async () => {
    const report = (sparsity: number) =>
      nativeReport({
        system: { gpu: 'h100-sxm' },
        scenario: { kernel: { operation: 'flex', case: 'x', sparsity } },
        result: { kind: 'kernel', load: { mode: 'batch', level: 1 }, metrics: { forward_ms: 1 + sparsity } },
      });
    await firstResult(report(0.1), '');
    const { result } = await firstResult(report(0.9), '');
    expect(result.scenario.kernel).toMatchObject({ sparsity: 0.9 });
  });

  it('does not ignore a workload given beside a kernel', async () => {
    const body = nativeReport({
      scenario: { kernel: { operation: 'flex', case: 'x' } },
      result: { kind: 'kernel', load: { mode: 'batch', level: 1 }, metrics: { forward_ms: 1 } },
    });
    const seen = await submit(body, 'dry_run=true&scenario=chatbot&input_tokens=5');
    expectRule(seen);
    expect(seen.status).toBe(422);
  });
});
