import { existsSync, readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { useTestApp } from '../testing/index.ts';

// For every tool's artifacts: a dry run predicts the submission, and the response equals the stored data.

const fixtures = new URL('../../../../packages/core/fixtures/', import.meta.url);
/** Published files, next to the checkout if they were collected. They have other owners and are not committed. */
const published = new URL('../../../../../shared/real-results/', import.meta.url);

interface Published {
  file: string;
  results: { facts?: Record<string, unknown> }[];
}
const index = new URL('index.json', published);
const known: Published[] = existsSync(index) ? JSON.parse(readFileSync(index, 'utf8')).files : [];

interface Artifact {
  name: string;
  url: URL;
  /** Known facts of the system, by parameter name. */
  facts: Record<string, string>;
}

/** Names in the collection, by parameter name. */
const factNames = { model: ['model'], gpu: ['gpu', 'hw'], quantization: ['quantization', 'precision'] };

function factsOf({ results }: Published): Record<string, string> {
  const values = results[0]?.facts ?? {};
  const named = Object.entries(factNames).map(([parameter, names]) => [parameter, names.map((name) => values[name])]);
  return Object.fromEntries(
    named.map(([parameter, values]) => [parameter, [values].flat(2).find((value) => typeof value === 'string')]),
  );
}

const artifacts: Artifact[] = [
  ...readdirSync(fixtures, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.expected.json'))
    .map(({ parentPath, name }) => new URL(name, `file://${parentPath}/`))
    .map((url) => ({ name: url.pathname.slice(fixtures.pathname.length), url, facts: {} })),
  ...known.map((entry) => ({
    name: `published ${entry.file}`,
    url: new URL(entry.file, published),
    facts: factsOf(entry),
  })),
];
const bytesOf = ({ url }: Artifact) => new Uint8Array(readFileSync(url));

const app = useTestApp();
let key = '';
beforeAll(async () => {
  key = await app.createAccount('sender of everything');
});

interface Problem {
  errors?: { code: string }[];
}
interface Submission {
  id: string | null;
  results: { id: string | null; submission_id: string | null; created_at: string | null }[];
}

const post = (bytes: Uint8Array, parameters: Record<string, string>, dryRun: boolean) =>
  app.submit(bytes, { ...parameters, full: 'true', ...(dryRun && { dry_run: 'true' }) }, key);

/** Parameters for the facts that a dry run reports as missing, from the known facts of the file. */
async function complete(bytes: Uint8Array, facts: Record<string, string>): Promise<Record<string, string>> {
  const parameters: Record<string, string> = {};
  for (let asked = 0; asked < 4; asked += 1) {
    const response = await post(bytes, parameters, true);
    if (response.status !== 422) break;
    const { errors = [] } = (await response.json()) as Problem;
    const codes = new Set(errors.map(({ code }) => code));
    for (const name of Object.keys(factNames))
      if (codes.has(`${name}_missing`)) parameters[name] = facts[name] ?? 'unspecified';
    if (codes.has('unit_missing')) parameters.unit = 'TFLOPS';
  }
  return parameters;
}

/** A response without ids, times and links, which only a stored submission has. An error without its request id. */
function withoutPlace(answer: Record<string, unknown>): unknown {
  const { request_id: _, ...more } = answer;
  if (!Array.isArray(answer.results)) return more;
  const results = (answer as unknown as Submission).results.map((result) => ({
    ...result,
    ...{ id: null, submission_id: null, created_at: null },
  }));
  return { ...more, results, id: null, created_at: null, links: null, dry_run: null, duplicate: null };
}

/** Submits an artifact as a dry run and for real; returns the real response if it was stored. */
async function sendBoth(bytes: Uint8Array, parameters: Record<string, string>): Promise<Submission | null> {
  const [dry, real] = [await post(bytes, parameters, true), await post(bytes, parameters, false)];
  const [previewed, done] = [await dry.json(), await real.json()] as [Record<string, unknown>, Record<string, unknown>];
  expect(real.status, JSON.stringify(done).slice(0, 500)).toBeLessThan(500);
  expect(dry.status === 200 ? [200, 201] : [dry.status]).toContain(real.status);
  expect(withoutPlace(previewed)).toEqual(withoutPlace(done));
  return real.status === 201 ? (done as unknown as Submission) : null;
}

/** Stated facts, right or wrong, that may contradict the artifact. */
const stated = fc.record(
  {
    model: fc.constantFrom('Llama-3.1-8B-Instruct', 'gpt-oss-120b', 'a model of our own', 'unspecified'),
    gpu: fc.constantFrom('H100 SXM', 'rtx-pro-6000', 'Frobnicator 1', 'unspecified'),
    gpu_count: fc.constantFrom('1', '2', '8', '0'),
    quantization: fc.constantFrom('fp8', 'bf16', 'q4_k_m', 'no such thing', 'unspecified'),
    engine: fc.constantFrom('vllm', 'sglang'),
    input_tokens: fc.constantFrom('128', '1024'),
    notes: fc.string({ maxLength: 30 }),
  },
  { requiredKeys: [] },
);

test('has more than 150 artifacts', () => expect(artifacts.length).toBeGreaterThan(150));

describe('every artifact', () => {
  test.each(artifacts)('$name reads back equal to its first response', async (artifact) => {
    const bytes = bytesOf(artifact);
    const stored = await sendBoth(bytes, await complete(bytes, artifact.facts));
    if (stored === null) return;
    expect(await app.get(`/v1/submissions/${stored.id}?full=true`)).toEqual(stored);
    const kept = await app.request(`/v1/submissions/${stored.id}/artifact`);
    expect(Buffer.from(await kept.arrayBuffer()).equals(bytes)).toBe(true);
  });
});

test('a dry run and a submission have the same response, with any parameters', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...artifacts), stated, async (artifact, facts) => {
      await sendBoth(bytesOf(artifact), facts);
    }),
  );
});
