import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApp } from '../app.ts';
import { adminKey, useTestApp } from '../testing/index.ts';
import { serve } from '../testing/serve.ts';
import { serveCached } from './serve-cached.ts';

const app = useTestApp();
let served: Awaited<ReturnType<typeof serve>>;
let bare: ReturnType<typeof createApp>;
let keys: string[] = [];
beforeAll(async () => {
  served = await serve(createApp(app.deps), serveCached(app.deps));
  bare = createApp({ ...app.deps, responseCache: null });
  keys = await Promise.all(['one', 'two'].map((name) => app.createAccount(name)));
});
afterAll(() => served.close());

const json = { 'content-type': 'application/json' };
const post = (path: string, key: string, body: string) =>
  fetch(`${served.url}${path}`, { method: 'POST', headers: { ...json, authorization: `Bearer ${key}` }, body });

let reports = 0;
const report = (version: number, speed: number) =>
  JSON.stringify({
    schema: 'inferboard/v1',
    system: {
      model: 'llama-3.1-8b',
      quantization: 'bf16',
      gpu: 'h100-sxm',
      gpu_count: 1,
      engine: { name: 'vllm', version: `f${version}` },
    },
    scenario: 'chatbot',
    notes: `report ${reports++}`,
    results: [{ load: { mode: 'concurrency', level: 8 }, metrics: { output_tok_s: speed } }],
  });

/** Acknowledged writes: submissions and their statuses. */
const acknowledged = new Map<string, string>();

interface Acts {
  upload(by: number, version: number, speed: number): Promise<void>;
  retract(which: number): Promise<void>;
  complain(which: number): Promise<void>;
}

/** Submissions with the status `accepted`, in order of arrival. */
const standing = () => [...acknowledged].filter(([, status]) => status === 'accepted').map(([id]) => id);

const acts: Acts = {
  async upload(by, version, speed) {
    const response = await post('/v1/submissions', keys[by] ?? '', report(version, speed));
    const body = (await response.json()) as { id: string; status: string };
    expect(response.status, JSON.stringify(body)).toBe(201);
    acknowledged.set(body.id, body.status);
  },
  async retract(which) {
    const ids = standing();
    const id = ids[which % Math.max(1, ids.length)];
    if (id === undefined) return;
    // Of two concurrent retractions, one fails.
    acknowledged.delete(id);
    const response = await post(`/v1/submissions/${id}/retract`, adminKey, '{"reason": "It was measured wrongly."}');
    expect(response.status).toBe(200);
    acknowledged.set(id, 'retracted');
  },
  async complain(which) {
    const ids = standing();
    const id = ids[which % Math.max(1, ids.length)];
    if (id === undefined) return;
    const text = `The power limit is another one than stated, by ${which} W.`;
    await post(`/v1/submissions/${id}/concerns`, adminKey, JSON.stringify({ reason: 'wrong_facts', text }));
  },
};

const paths = [
  '/v1/submissions?limit=200',
  '/v1/leaderboard?rank_by=output_tok_s&limit=200',
  '/v1/best',
  '/v1/results?limit=200',
  '/v1/systems?limit=200',
  '/v1/catalogue/gpus',
  '/v1/matrix?rows=gpu&columns=quantization&metric=output_tok_s',
  '/feed/submissions.xml',
];

const listPath = '/v1/submissions?limit=200';

/** Reads the list of submissions. It must contain all that were acknowledged before the request, in that state or a later one. */
async function readList(): Promise<void> {
  const before = new Map(acknowledged);
  const response = await fetch(`${served.url}${listPath}`);
  const { data } = (await response.json()) as { data: { id: string; status: string }[] };
  const shown = new Map(data.map(({ id, status }) => [id, status]));
  for (const [id, status] of before) {
    if (status === 'retracted') expect(shown.get(id)).toBe('retracted');
    else expect(shown.has(id), id).toBe(true);
  }
}

const act = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('read' as const), path: fc.nat(paths.length - 1) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('upload' as const),
      by: fc.nat(1),
      version: fc.nat(3),
      speed: fc.integer({ min: 500, max: 900 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('retract' as const), which: fc.nat(50) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('complain' as const), which: fc.nat(50) }) },
);

it('a response read after an acknowledged change includes it', { timeout: 600_000 }, async () => {
  const run = async (one: typeof act extends fc.Arbitrary<infer A> ? A : never) => {
    if (one.kind === 'upload') await acts.upload(one.by, one.version, one.speed);
    else if (one.kind === 'retract') await acts.retract(one.which);
    else if (one.kind === 'complain') await acts.complain(one.which);
    else await (await fetch(`${served.url}${paths[one.path]}`)).arrayBuffer();
    await readList();
  };
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(act, { minLength: 1, maxLength: 8 }), { minLength: 3, maxLength: 3 }),
      async (clients) => {
        let isOver = false;
        // Other clients read continuously, so that a read is always in progress that later requests must not share.
        const others = Array.from({ length: 4 }, async () => {
          while (!isOver) await (await fetch(`${served.url}${listPath}`)).arrayBuffer();
        });
        await Promise.all(
          clients.map(async (ones) => {
            for (const one of ones) await run(one);
          }),
        ).finally(async () => {
          isOver = true;
          await Promise.all(others);
        });
        // All writes are done: cached responses must equal newly built ones.
        for (const path of [
          ...paths,
          ...standing()
            .slice(-2)
            .flatMap((id) => [`/v1/submissions/${id}`, `/v1/submissions/${id}/concerns`]),
        ]) {
          for (const _ of [1, 2]) {
            const [reused, built] = await Promise.all([fetch(`${served.url}${path}`), bare.request(path)]);
            expect(await reused.text(), path).toBe(await built.text());
          }
        }
      },
    ),
    { numRuns: Number(process.env.TEST_RUNS ?? 12) },
  );
  expect(app.deps.responseCache?.state.hits).toBeGreaterThan(100);
  expect(acknowledged.size).toBeGreaterThan(20);
});
