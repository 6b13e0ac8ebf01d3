import { describe, expect, it } from 'vitest';
import { adminKey, baseUrl, useTestApp } from '../testing/index.ts';
import { useSubmissions } from '../testing/submissions.ts';

// The text for users who paste a copied command: always five lines, never JSON.

const app = useTestApp();
const submissions = useSubmissions(app);

const named = { gpu: 'h100-sxm', quantization: 'bf16', model: 'meta-llama/Llama-3.1-8B-Instruct' };
const llama = { model: 'meta-llama/Llama-2-7b-hf' };
const table = (speed: string) => `| model | size | params | backend | ngl | test | t/s |
| --- | ---: | ---: | --- | --: | --: | ---: |
| llama 7B Q4_0 | 3.56 GiB | 6.74 B | CUDA | 99 | tg128 | ${speed} ± 0.31 |
`;

const linesOf = async (response: Response) => {
  expect(response.headers.get('content-type')).toBe('text/plain; charset=UTF-8');
  const text = await response.text();
  expect(text.endsWith('\n')).toBe(true);
  return text.trimEnd().split('\n');
};

describe('format=text', () => {
  it('describes a stored submission in five lines, with its rank', async () => {
    await app.submit(table('250.52'), { ...llama, gpu: 'rtx-4090' }, adminKey);
    const response = await app.submit(table('240.52'), { ...llama, gpu: 'rtx-3090', format: 'text' }, adminKey);
    expect(response.status).toBe(201);
    const id = response.headers.get('location')?.split('/').at(-1);
    const lines = await linesOf(response);
    expect(lines).toEqual([
      expect.stringMatching(
        /^Recognised: llama-bench, 1 result: Llama 2 7B · Q4_0 · RTX 3090 · llama\.cpp, tg128-offline, batch 1$/,
      ),
      'Figures:    decode_tok_s 240.5 tok/s, user_tok_s 240.5 tok/s',
      expect.stringMatching(
        /^Findings: {3}info: No number of GPUs was given\. One is assumed\. .* info: 240\.5 tok\/s /,
      ),
      'Rank:       2nd of 2 by decode_tok_s (tg128-offline). Accepted. 1 result ranks on the boards.',
      `Link:       ${baseUrl}/submissions/${id}`,
    ]);
    expect(await linesOf(await app.request(`/v1/submissions/${id}?format=text`))).toEqual(lines);
    const again = await app.submit(table('240.52'), { ...llama, gpu: 'rtx-3090', format: 'text' }, adminKey);
    expect(again.status).toBe(200);
    expect((await linesOf(again))[4]).toBe(`${lines[4]} (already submitted)`);
  });

  it('has the rank that a dry run would get, and stores nothing', async () => {
    const asked = { ...llama, gpu: 'rtx-5090', format: 'text', dry_run: 'true' };
    const lines = await linesOf(await app.submit(table('340.5'), asked, adminKey));
    expect(lines[3]).toMatch(/^Rank: {7}1st of 3 by decode_tok_s \(tg128-offline\)\./);
    expect(lines[4]).toBe('Link:       none. This was a dry run, and nothing was stored.');
    expect(lines).toHaveLength(5);
  });

  it('names a fact that the artifact states first if unspecified was sent for it', async () => {
    const asked = { ...llama, gpu: 'rtx-5090', quantization: 'unspecified', format: 'text', dry_run: 'true' };
    const lines = await linesOf(await app.submit(table('340.5'), asked, adminKey));
    expect(lines[0]).toContain('· Q4_0 ·');
    expect(lines[2]).toMatch(
      /^Findings: {3}info: The quantization is the one that the artifact states: quantization=unspecified does not replace it\. /,
    );
  });

  it('states that a workload is unknown', async () => {
    const log = [
      'Start benchmarking with 1000 requests using model Qwen/Qwen3-30B-A3B...',
      'Num requests: #1000, Num tokens: #359491',
      'TTFT: 126.89 ms (p50: 109.70 ms, p90: 158.57 ms, p99: 659.98 ms, max:   1035 ms)',
      'TPOT:  37.06 ms (p50:  28.90 ms, p90:  65.07 ms, p99: 157.24 ms, max: 807.71 ms)',
      'E2E:   13.37  s (p50:  11.21  s, p90:  26.39  s, p99:  53.11  s, max:  99.36  s)',
      'Duration: 153.08 s',
      'Throughput:   2348 token/s, 6.5324 req/s',
    ].map((line) => `[2026-01-05|16:23:22] INFO     ${line}\n`);
    const asked = { gpu: 'h100-sxm', quantization: 'bf16', dry_run: 'true', format: 'text' };
    const lines = await linesOf(await app.submit(log.join(''), asked, adminKey));
    expect(lines[0]).toMatch(/H100 SXM5 80GB, workload not stated, load not stated$/);
  });

  it('lists findings with their severity', async () => {
    const lines = await linesOf(await submissions.post({ format: 'text', gpu: 'Frobnicator 9000' }));
    expect(lines).toHaveLength(5);
    expect(lines[2]).toMatch(/^Findings: {3}(warning|violation): .*Frobnicator 9000/);
    expect(lines[3]).toMatch(/^Rank: {7}Quarantined\. 1 result is kept off the boards/);
  });

  it('describes many results in five lines', async () => {
    const results = Array.from({ length: 250 }, (_, index) => ({
      scenario: { input_tokens: 100 + index * 20, output_tokens: 100 },
      load: { mode: 'concurrency', level: 1 },
      metrics: { output_tok_s: 10 + index / 10 },
    }));
    const report = { schema: 'inferboard/v1', system: { ...named, engine: { name: 'vllm' }, gpu_count: 1 }, results };
    const response = await app.submit(JSON.stringify(report), { format: 'text' }, adminKey);
    const lines = await linesOf(response);
    expect(lines).toHaveLength(5);
    expect(lines[0]).toMatch(/^Recognised: native, 250 results of 1 system$/);
    expect(lines[3]).toBe('Rank:       250 accepted');
  });

  it('describes a rejection as text, with a line for each error', async () => {
    const response = await app.submit(table('200.1'), { ...llama, format: 'text' }, adminKey);
    expect(response.status).toBe(422);
    const lines = await linesOf(response);
    expect(lines[0]).toMatch(/^Error: Required facts are missing\. /);
    expect(lines.slice(1)).toEqual([expect.stringMatching(/^ {2}- .*gpu/)]);
    const unknown = await app.request('/v1/submissions?format=text', { method: 'POST', body: 'x' });
    expect(unknown.status).toBe(401);
    expect((await linesOf(unknown))[0]).toMatch(/^Error: Key required\./);
  });

  it('returns a problem document if the client accepts one', async () => {
    const headers = { authorization: `Bearer ${adminKey}`, accept: 'text/plain, application/problem+json' };
    const init = { method: 'POST', headers, body: table('200.1') };
    const response = await app.request('/v1/submissions?format=text', init);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(await response.json()).toMatchObject({ code: 'facts_missing' });
  });

  it('rejects other formats', async () => {
    const response = await app.submit(table('1'), { format: 'xml' }, adminKey);
    expect(await response.json()).toMatchObject({ errors: [{ parameter: 'format' }] });
  });
});
