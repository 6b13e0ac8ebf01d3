import { randomUUID } from 'node:crypto';
import { metricFamilies, metrics } from '@inferboard/core/metrics/index';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { adminKey, useTestApp } from '../testing/index.ts';

const app = useTestApp({ sampleData: true });
let [key, otherKey] = ['', ''];
beforeAll(async () => {
  [key, otherKey] = await Promise.all([app.createAccount('round'), app.createAccount('trip')]);
});

const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });
const figure = fc.double({ min: 0.001, max: 1e6, noNaN: true });
const count = fc.integer({ min: 1, max: 100_000 });
const name = fc.oneof(
  fc.constantFrom('=1+1', "'=1", '+x', '-5', '@me', "'", 'a,b', 'say "hi"', 'é ∑', 'unspecified'),
  fc.stringMatching(/^[A-Za-z0-9][ -~]{0,20}[A-Za-z0-9]$/),
);

const counts = new Set(['requests_ok', 'requests_failed', 'input_tokens', 'output_tokens', 'batch_size']);
const stated = metrics.filter(({ family }) => family.kind === 'serving' && !family.derived);
const metricsArbitrary = fc
  .subarray(stated, { minLength: 1, maxLength: 8 })
  .chain((chosen) =>
    fc.record(Object.fromEntries(chosen.map((one) => [one.name, counts.has(one.family.base) ? count : figure]))),
  );

const resultArbitrary = metricsArbitrary.chain((values) => {
  const own = metricFamilies.filter(
    ({ base, definitions }) => definitions.length > 0 && Object.keys(values).some((key) => key.startsWith(`${base}_`)),
  );
  const definitions = own.map(({ base, definitions: known }) => [
    base,
    orNull(fc.constantFrom(...known.map(({ id }) => id))),
  ]);
  const [first] = Object.keys(values);
  return fc.record({
    load: fc.oneof(
      fc.record({ mode: fc.constantFrom('concurrency', 'burst', 'batch'), level: count }),
      fc.record({
        mode: fc.constant('rate'),
        level: figure,
        burstiness: orNull(figure),
        max_concurrency: orNull(count),
      }),
      fc.constant({ mode: 'unspecified' }),
    ),
    metrics: fc.constant(values),
    definitions: fc.record(Object.fromEntries(definitions)),
    repetition: orNull(count),
    repeats: orNull(fc.record({ n: orNull(count), sd: fc.record({ [first ?? '']: figure }) })),
    slo: orNull(fc.record({ ttft_ms: figure, tpot_ms: orNull(figure) })),
    measured_at: orNull(fc.constantFrom('2026-03-01T10:00:00Z', '2025-12-24T18:30:00.250+01:00')),
  });
});

const documentArbitrary = fc.record({
  schema: fc.constant('inferboard/v1'),
  tool: orNull(fc.record({ name, version: orNull(name) })),
  system: fc.record({
    model: fc.oneof(fc.constantFrom('llama-3.1-8b', 'meta-llama/Llama-3.3-70B-Instruct', 'Qwen/Qwen3-32B'), name),
    quantization: fc.oneof(fc.constantFrom('bf16', 'Q4_K_M', 'fp8'), name),
    gpu: fc.oneof(fc.constantFrom('H100 SXM', 'rtx-pro-6000', 'MI300X'), name),
    gpu_count: orNull(fc.integer({ min: 1, max: 64 })),
    gpu_power_limit_w: orNull(fc.integer({ min: 100, max: 700 })),
    engine: orNull(fc.record({ name: fc.oneof(fc.constantFrom('vllm', 'SGLang'), name), version: orNull(name) })),
    parallelism: orNull(fc.record({ tensor: orNull(fc.constantFrom(1, 2, 8)), expert: orNull(count) })),
    features: fc.record({ prefix_caching: orNull(fc.boolean()), note: orNull(name) }),
  }),
  scenario: fc.oneof(
    fc.constantFrom('chatbot', 'rag'),
    fc.record({ input_tokens: count, output_tokens: count, dataset: orNull(name) }),
  ),
  results: fc.array(resultArbitrary, { minLength: 1, maxLength: 4 }),
});

type Answered = Record<string, unknown> & { system: { id: string }; findings: { code: string }[] };

/** The content of a result, without ids and times, and without properties that depend on other results, such as copies. */
function saying(result: Answered): unknown {
  const { id: _, submission_id: __, created_at: ___, lines: ____, links: _____, trust: ______, ...said } = result;
  const findings = result.findings.filter(({ code }) => code !== 'copied_artifact');
  return JSON.parse(JSON.stringify({ ...said, findings, copy_of: null }));
}

async function submit(body: string, as: string) {
  const response = await app.submit(body, { full: 'true' }, as);
  return { status: response.status, body: (await response.json()) as { results: Answered[]; errors?: unknown } };
}

async function exported(system: string, format: 'jsonl' | 'csv'): Promise<string> {
  const response = await app.request(`/v1/results.${format}?system=${system}&include=quarantined&account=round`);
  expect(response.status).toBe(200);
  return response.text();
}

describe('a re-submitted export', () => {
  test('of the sample data has every figure', async () => {
    const lines = (await (await app.request('/v1/results.jsonl?include=quarantined')).text()).trim().split('\n');
    expect(lines.length).toBeGreaterThan(200);
    const { body } = await submit(lines.join('\n'), adminKey);
    expect(body.errors ?? []).toEqual([]);
    const figures = ({ kind, metrics: values, definitions, load, system }: Answered) => ({
      kind,
      values,
      definitions,
      load,
      system: system.id,
    });
    expect(body.results.map(figures)).toEqual(lines.map((line) => figures(JSON.parse(line))));
  });

  test('has the same results, for any values', async () => {
    let read = 0;
    await fc.assert(
      fc.asyncProperty(documentArbitrary, async (document) => {
        // A separate system for each attempt, including those during shrinking.
        const features = { ...document.system.features, run: randomUUID() };
        const own = { ...document, system: { ...document.system, features } };
        const first = await submit(JSON.stringify(own), key);
        // For example, a count in the GPU name that contradicts the count field.
        if (first.status === 422) return;
        expect(first.status).toBe(201);
        read++;
        const said = first.body.results.map(saying);
        const system = first.body.results[0]?.system.id ?? '';
        for (const format of ['jsonl', 'csv'] as const) {
          const again = await submit(await exported(system, format), otherKey);
          expect(again.body.errors ?? []).toEqual([]);
          // Exports list the newest first.
          expect(again.body.results.map(saying).reverse()).toEqual(said);
        }
      }),
      { numRuns: 60 },
    );
    expect(read).toBeGreaterThan(30);
  });
});

describe('an export', () => {
  test('has a file name, supports HEAD, and rejects the same queries as a page', async () => {
    const head = await app.request('/v1/results.csv?model=llama-2-7b', { method: 'HEAD' });
    expect(head.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(head.headers.get('content-disposition')).toBe('attachment; filename="results.csv"');
    expect((await app.request('/v1/results.jsonl?gpu=h1000')).status).toBe(422);
    expect((await app.request('/v1/results.jsonl?limit=5')).status).toBe(422);
  });

  test('without results has only a header row', async () => {
    const query = 'model=llama-2-7b&min_output_tok_s=1e12';
    expect(await (await app.request(`/v1/results.jsonl?${query}`)).text()).toBe('');
    expect((await (await app.request(`/v1/results.csv?${query}`)).text()).split('\n')).toHaveLength(2);
  });

  test('has every result once', async () => {
    const ids = (await (await app.request('/v1/results.jsonl')).text())
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { id: string }).id);
    const [{ n } = { n: 0 }] = (await app.deps.database.sql`
      select count(*)::int as n from results where status = 'accepted'`) as unknown as { n: number }[];
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toHaveLength(n);
  });
});
