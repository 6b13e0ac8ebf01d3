import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { useTestApp } from '../testing/index.ts';

// Inputs that were once parsed wrongly, through the whole submission: first a dry run, then for real.

const fixture = (name: string) =>
  readFileSync(new URL(`../../../../packages/core/fixtures/${name}`, import.meta.url), 'utf8');

interface Result {
  metrics: Record<string, number | null>;
  certified: Record<string, { status: string }>;
  findings: { code: string; message: string }[];
  system: { model: { name: string }; features: Record<string, unknown> };
}
interface Submission {
  status: string;
  ignored: string[];
  results: Result[];
  errors: { code: string; parameter?: string; message: string }[];
}

const app = useTestApp();
let key = '';
beforeAll(async () => {
  key = await app.createAccount('reader of odd files');
});

const facts = { model: 'unspecified', gpu: 'unspecified', quantization: 'unspecified' };

/** The responses to a dry run and to the submission. */
async function sendBoth(text: string, parameters: Record<string, string> = facts): Promise<[Submission, Submission]> {
  const answers: Submission[] = [];
  for (const dry_run of ['true', 'false']) {
    const response = await app.submit(text, { ...parameters, full: 'true', dry_run }, key);
    answers.push((await response.json()) as Submission);
  }
  return answers as [Submission, Submission];
}

const metricsOf = ({ results }: Submission) => results.map(({ metrics }) => metrics);

const block = fixture('vllm-bench-serve/0.5-old-labels.txt');
const kernels = fixture('attention-gym/2025-09-three-cases.txt');
const csv = fixture('genai-perf/2024-05-no-units.csv');
const headless = block.slice(block.indexOf('Successful requests:'));

describe('gives the same figures, in a dry run and stored', () => {
  it.each([
    ['a remark after a value', block, block.replace(/^(P99 TTFT \(ms\):.*\S)\s*$/m, '$1  <<<<<<< New line')],
    ['a block without its banner', block, headless],
    [
      'title boxes in a log',
      kernels,
      `╔══════════════════════╗\n║  RTX PRO 6000, 600 W ║\n╚══════════════════════╝\n${kernels}`,
    ],
    ['a CSV indented by four spaces', csv, `It wrote:\n\n${csv.replaceAll(/^(?=.)/gm, '    ')}\n`],
  ])('%s', async (_, plain, odd) => {
    const [wanted] = await sendBoth(plain);
    const measured = (submission: Submission) =>
      // A log line before the block states that no request failed.
      metricsOf(submission).map((metrics) => ({ ...metrics, requests_failed: null }));
    for (const answer of await sendBoth(odd)) expect(measured(answer)).toEqual(measured(wanted));
    expect(wanted.results.length).toBeGreaterThan(0);
  });
});

it('requires the model if the command has a script variable instead', async () => {
  const { model: _, ...others } = facts;
  for (const { errors } of await sendBoth(`vllm bench serve --model %MODEL_PATH%\n${headless}`, others))
    expect(errors).toContainEqual(expect.objectContaining({ code: 'model_missing' }));
});

it("lists evalscope's time per output token as ignored if it has no formula", async () => {
  const text = fixture('evalscope-perf/1.2-seconds.txt').replace(/^\| Average inter-token latency.*\n\+.*\n/m, '');
  for (const { ignored } of await sendBoth(text)) expect(ignored).toContain('Average time per output token (s)');
});

it('does not report a fact from a column as inferred from a name', async () => {
  const { gpu: _, ...others } = facts;
  for (const { results } of await sendBoth(fixture('vllm-ci-table/0.9-array.json'), others)) {
    const finding = results.flatMap(({ findings }) => findings).find(({ code }) => code === 'gpu_inferred');
    expect(finding?.message).toMatch(/^The gpu was inferred from the artifact: "/);
  }
});

it('rounds a rate that was not reached to four digits', async () => {
  const text = fixture('vllm-bench-serve-json/0.15-speculative-rate-not-reached.json');
  for (const { results } of await sendBoth(text)) {
    const finding = results.flatMap(({ findings }) => findings).find(({ code }) => code === 'rate_not_reached');
    expect(finding?.message).toMatch(/^[\d.]{1,6} requests per second were requested and [\d.]{1,6} reached/);
  }
});

const report = (result: Record<string, unknown>, system: Record<string, unknown> = {}) =>
  JSON.stringify({
    schema: 'inferboard/v1',
    system: { ...facts, gpu_count: 16, ...system },
    scenario: 'chatbot',
    results: [{ load: { mode: 'concurrency', level: 4 }, metrics: { output_tok_s: 400 }, ...result }],
  });

it('nodes in the native format are a feature of the system', async () => {
  for (const { results } of await sendBoth(report({}, { nodes: 2 }), {}))
    expect(results[0]?.system.features).toMatchObject({ nodes: 2 });
});

it.each([
  ['in the artifact', report({ measured_at: '2099-01-01T00:00:00Z' }), {}],
  ['in the query', report({}), { measured_at: '2099-01-01T00:00:00Z' }],
])('rejects a measurement time in the future, %s', async (_, text, parameters) => {
  for (const { errors } of await sendBoth(text, parameters))
    expect(errors).toEqual([
      expect.objectContaining({ parameter: 'measured_at', message: expect.stringContaining('in the future') }),
    ]);
});

it('keeps the stated p99 as uncertified if there are few records', async () => {
  for (const { results } of await sendBoth(fixture('vllm-bench-serve-json/0.14-detailed.json'))) {
    const [result] = results;
    const stated = JSON.parse(fixture('vllm-bench-serve-json/0.14-detailed.json')).p99_ttft_ms as number;
    expect(result?.metrics.ttft_ms_p99).toBe(stated);
    expect(result?.certified.ttft_ms_p99?.status).toBe('uncertified');
  }
});
