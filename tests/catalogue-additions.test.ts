import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../packages/db/src/testing/index.ts';
import { nativeReport } from './support/hostile.ts';
import { adminKey, startAt, type TestServer } from './support/server.ts';
import { wordsOf } from './support/site/browser.ts';

// An entry that an admin adds on one server reaches all processes on the same database: another server with earlier
// requests, the thread for large uploads, and a separate site.

const servers: TestServer[] = [];
let database: Awaited<ReturnType<typeof createTestDatabase>>;
const urlOf = (at: number) => servers[at]?.url ?? '';

beforeAll(async () => {
  database = await createTestDatabase();
  const place = { env: { DATABASE_URL: database.url }, remove: async () => {} };
  const settings = { SAMPLE_DATA: 'false', ROLES: 'api,site' };
  servers.push(await startAt(place, settings));
  servers.push(await startAt(place, settings));
  servers.push(await startAt({ env: {}, remove: async () => {} }, { ROLES: 'site', API_URL: urlOf(1) }));
});
afterAll(async () => {
  for (const server of servers.toReversed()) await server.dispose();
  await database?.drop();
});

const headers = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' };
const post = async (at: number, path: string, body: string) => {
  const response = await fetch(urlOf(at) + path, { method: 'POST', headers, body });
  return { status: response.status, body: (await response.json()) as { status: string } };
};
const htmlOf = async (at: number, path: string) => (await fetch(urlOf(at) + path)).text();
const statusOf = async (at: number, path: string) => (await fetch(urlOf(at) + path)).status;

const gpu = 'Frobnicator 9000';
const upload = () => nativeReport({ system: { gpu, gpu_count: 1, model: 'llama-3.1-8b' } });
const padding = ' '.repeat(200 * 1024);

test('every process knows an addition after one of them receives it', async () => {
  for (const at of [0, 1]) {
    expect((await post(at, `/v1/submissions?notes=before${at}`, upload())).body.status).toBe('quarantined');
    // Handled by the thread for large uploads, which has a separate catalogue.
    const large = await post(at, '/v1/submissions?dry_run=true', upload() + padding);
    expect(large.body.status).toBe('quarantined');
  }
  expect(await Promise.all([0, 1, 2].map((at) => statusOf(at, '/gpus/frobnicator-9000')))).toEqual([404, 404, 404]);
  expect(await htmlOf(2, '/gpus')).not.toContain('frobnicator-9000');

  const facts = {
    ...{ name: 'Acme Frobnicator 9000', vendor: 'amd', architecture: 'Frob', form_factor: 'PCIe' },
    ...{ memory_gb: 96, memory_type: 'HBM3', memory_bandwidth_gbs: 4321, tflops_dense: { fp8: 2000 } },
  };
  const addition = { kind: 'gpu', id: 'frobnicator-9000', facts, aliases: [gpu] };
  const added = await post(0, '/v1/admin/catalogue', JSON.stringify(addition));
  expect(added, JSON.stringify(added.body)).toMatchObject({ status: 201, body: { held: { submissions: 2 } } });

  for (const at of [1, 0]) {
    expect((await post(at, `/v1/submissions?notes=after${at}`, upload())).body.status).toBe('accepted');
    const large = await post(at, '/v1/submissions?dry_run=true', upload() + padding);
    expect(large.body.status).toBe('accepted');
  }
  for (const at of [0, 1, 2]) {
    expect(await htmlOf(at, '/gpus')).toContain('href="/gpus/frobnicator-9000"');
    expect(wordsOf(await htmlOf(at, '/gpus/frobnicator-9000'))).toMatch(/Memory bandwidth 4,?321 GB\/s/);
  }
  const board = await fetch(`${urlOf(1)}/v1/leaderboard?gpu=${encodeURIComponent(gpu)}&rank_by=output_tok_s&full=true`);
  expect(await board.json()).toMatchObject({ data: [{ system: { gpu: { id: 'frobnicator-9000' } } }] });
});
