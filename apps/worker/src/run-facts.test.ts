import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readArtifact } from '@inferboard/core/adapters/index';
import { createDatabase, type Database } from '@inferboard/db/connection/client';
import { unpack } from '@inferboard/db/copy/packing';
import type { EndpointFacts } from '@inferboard/db/runs/endpoint';
import { useTestDatabase } from '@inferboard/db/testing/index';
import { type FakeServer, startFakeServer } from '@inferboard/loadgen/fake-server/fake-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  addAccount,
  addEndpoint,
  addRun,
  type GivenEndpoint,
  startWorkerProcess,
  type WorkerProcess,
  waitForRun,
} from './testing/world.ts';

// Servers that report what they are, in front of a fake server that generates the responses.

const credential = 'sk-of-this-endpoint-0123456789';
const revision = 'a1b2c3d4e5f60718293a4b5c6d7e8f9001122334';
const testDatabase = useTestDatabase();
let database: Database;
let accountId: string;
let worker: WorkerProcess;
let fake: FakeServer;
const fronts: Server[] = [];

beforeAll(async () => {
  database = createDatabase(testDatabase.url, { poolSize: 4 });
  accountId = await addAccount(database, 'operator');
  worker = startWorkerProcess(testDatabase.url);
  fake = await startFakeServer({ ttftMs: 5, itlMs: 5 }, { isSilent: true, keepsRequests: true });
});
afterAll(async () => {
  await worker.stop();
  await database.close();
  for (const front of fronts) {
    front.closeAllConnections();
    front.close();
  }
  await fake.close();
});

/** Responses by path. Null never responds. */
type Documents = Record<string, unknown>;
const modelsOf = (owned_by: string, more: object = {}) => ({ data: [{ id: 'fake-model', owned_by, ...more }] });
const vllm: Documents = {
  '/v1/models': modelsOf('vllm', { root: `/cache/models--q/snapshots/${revision}` }),
  '/version': { version: '0.10.2' },
};

function answer(documents: Documents, seen: string[], req: IncomingMessage, res: ServerResponse): void {
  const path = req.url ?? '';
  seen.push(`${req.method} ${path}`);
  const document = documents[path];
  if (document === null) return;
  if (document !== undefined) {
    res.setHeader('content-type', 'application/json');
    res.end(JSON.stringify(document));
    return;
  }
  const passed = request({ port: fake.port, path, method: req.method, headers: req.headers }, (from) => {
    res.writeHead(from.statusCode ?? 500, from.headers);
    from.pipe(res);
  });
  req.pipe(passed);
}

let names = 0;
/** Measures one point of a server with these documents. */
async function measure(documents: Documents, facts: EndpointFacts = {}, more: Partial<GivenEndpoint> = {}) {
  const seen: string[] = [];
  const front = createServer((req, res) => answer(documents, seen, req, res));
  fronts.push(front);
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  const { port } = front.address() as AddressInfo;
  names += 1;
  const given = { accountId, name: `endpoint ${names}`, port, facts, credential, ...more };
  const endpointId = await addEndpoint(database, given);
  const plan = [
    {
      scenario: { input_tokens: 64, output_tokens: 16 },
      ...{ load: { mode: 'concurrency', level: 1 }, warmup: 0, requests: 2 },
    },
  ];
  const id = await addRun(database, { accountId: given.accountId, endpointId }, { plan });
  expect(await waitForRun(database, id)).toMatchObject({ state: 'processed', pointsDone: 1 });
  const [point] = await database.sql<{ doubts: string[] }[]>`
    select summary -> 'doubts' as doubts from run_points where run_id = ${id}`;
  const [row] = await database.sql<{ bytes: Uint8Array; packing: 'zstd' | null }[]>`
    select a.bytes, a.packing from artifacts a join submissions s on s.artifact_sha256 = a.sha256
    where s.run_id = ${id}`;
  if (point === undefined || row === undefined) throw new Error(`${id} has no result`);
  const artifact = Buffer.from(await unpack(row)).toString();
  const body: Record<string, unknown> = JSON.parse(fake.answers.at(-1)?.request?.body ?? '');
  return { endpointId, seen, doubts: point.doubts, artifact, body };
}

const systemIn = (artifact: string) => (JSON.parse(artifact) as { system: Record<string, unknown> }).system;

test('records the model revision, and notes that the server contradicts the endpoint', async () => {
  const { doubts, artifact, seen, endpointId } = await measure(vllm);
  expect(doubts).toContainEqual('the server is version 0.10.2, and the endpoint states 0.11.0');
  expect(systemIn(artifact)).toMatchObject({ engine: { name: 'vllm', version: '0.11.0' } });
  const [result] = readArtifact(Buffer.from(artifact)).results;
  expect(result?.extra).toMatchObject({ detected_model_revision: revision });
  // One request detects the API, and two read the facts. All are counted.
  expect(seen.slice(0, 3)).toEqual(['POST /v1/chat/completions', 'GET /v1/models', 'GET /version']);
  const [usage] = await database.sql<{ requests: number }[]>`
    select requests::int from endpoint_usage where endpoint_id = ${endpointId}`;
  expect(usage?.requests).toBe(seen.length);
});

test('notes that the server does not list the model of the endpoint', async () => {
  const listing = { data: [{ id: 'another-model', owned_by: 'vllm' }] };
  const { doubts, artifact } = await measure({ ...vllm, '/v1/models': listing });
  const note =
    'the server does not list the model fake-model, and may respond with another one. It lists another-model';
  expect(doubts).toContain(note);
  expect(JSON.stringify(readArtifact(Buffer.from(artifact)).results[0]?.notes)).toContain(
    'does not list the model fake-model',
  );
  expect((await measure(vllm)).doubts.join()).not.toContain('does not list');
});

test('takes an engine that the endpoint does not state from the server, and sends its fields', async () => {
  const { doubts, artifact, body } = await measure(vllm, { engine: undefined, engine_version: undefined });
  expect(systemIn(artifact)).toMatchObject({ engine: { name: 'vllm', version: '0.10.2' } });
  expect(body).toMatchObject({ ignore_eos: true });
  expect(doubts.join()).not.toContain('the server is');
});

test('stores the results of an endpoint that states neither GPU nor quantization', async () => {
  const { endpointId } = await measure({}, { gpu: undefined, gpu_count: undefined, quantization: undefined });
  const [row] = await database.sql<{ parameters: unknown; gpu: string; quantization: string }[]>`
    select s.parameters, y.gpu_name as gpu, y.quantization_name as quantization
    from results r join submissions s on s.id = r.submission_id join points p on p.id = r.point_id
    join systems y on y.id = p.system_id join runs u on u.id = s.run_id where u.endpoint_id = ${endpointId}`;
  expect(row).toEqual({
    parameters: { gpu: 'unspecified', quantization: 'unspecified' },
    gpu: 'unspecified',
    quantization: 'unspecified',
  });
});

test('fails a run whose results are rejected, with the reason', async () => {
  const facts = { gpu: 'see http://203.0.113.9/card' };
  const endpointId = await addEndpoint(database, { accountId, name: 'refused name', port: fake.port, facts });
  const plan = [{ scenario: 'chatbot', load: { mode: 'concurrency', level: 1 }, warmup: 0, requests: 1 }];
  const id = await addRun(database, { accountId, endpointId }, { plan });
  expect(await waitForRun(database, id)).toMatchObject({
    ...{ state: 'failed', pointsDone: 1, failureCode: 'results_rejected' },
    failureMessage: expect.stringMatching(/^The results cannot be stored: A name is not allowed\. /),
  });
});

test.each<[string, Documents, EndpointFacts, string]>([
  [
    'another engine',
    { '/v1/models': modelsOf('sglang'), '/get_server_info': { version: '0.5.1' } },
    {},
    'the server is sglang 0.5.1, and the endpoint states vllm',
  ],
  [
    'an image of TGI',
    { '/info': { model_id: 'm', version: '3.3.4', model_sha: revision, docker_label: 'sha-5739b5b' } },
    { engine: 'tgi' },
    'the server is version 3.3.4, and the endpoint states 0.11.0',
  ],
])('notes %s', async (_, documents, facts, doubt) => {
  const { doubts, seen } = await measure(documents, facts);
  expect(doubts).toContainEqual(doubt);
  expect(seen.findIndex((line) => line.startsWith('POST'), 1)).toBeLessThanOrEqual(5);
});

test.each<[string, Documents]>([
  ['reports nothing', {}],
  ['reports documents of another form', { '/v1/models': { data: [null, 7, 'vllm'] }, '/info': [1] }],
  ['reports texts that no report can contain', { ...vllm, '/version': { version: 'http://203.0.113.9/\u202e' } }],
  ['repeats the credential', { ...vllm, '/version': { version: `0.11.0-${credential}` } }],
  ['does not respond', { ...vllm, '/version': null }],
])('measures a server that %s', async (_, documents) => {
  const { artifact, doubts } = await measure(documents);
  expect(systemIn(artifact)).toMatchObject({ engine: { name: 'vllm', version: '0.11.0' } });
  expect(artifact + doubts.join()).not.toMatch(new RegExp(`${credential}|203\\.0\\.113\\.9`));
});

test('sends at most five requests before prompts are counted, also to an unverified endpoint', async () => {
  const other = { accountId: await addAccount(database, 'another operator'), verified: false };
  const { seen, doubts } = await measure({ '/v1/models': modelsOf('sglang') }, { engine: 'sglang' }, other);
  const counted = seen.findIndex((line, place) => place > 0 && line.startsWith('POST'));
  expect(seen.slice(1, counted)).toEqual(['GET /v1/models', 'GET /get_server_info', 'GET /get_model_info']);
  expect(counted).toBeLessThanOrEqual(5);
  expect(doubts.join()).not.toContain('the server is');
});
