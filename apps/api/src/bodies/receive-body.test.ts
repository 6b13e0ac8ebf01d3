import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Hono } from 'hono';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AppContext } from '../deps.ts';
import { answerErrors } from '../http/answer-errors.ts';
import { limitBody } from '../middleware/limit-body.ts';
import { type Listener, listen } from '../startup/listen.ts';
import { type BodyReceiver, createBodyReceiver } from './receive-body.ts';
import { removeLeftovers } from './temp-folder.ts';

const mebibyte = 1024 ** 2;
const publicUrl = 'http://localhost';

let folder: string;
let receiver: BodyReceiver;
let listener: Listener;
/** Handlers wait for this before they respond. */
let mayAnswer: PromiseWithResolvers<void>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inferboard-receive-'));
});
afterAll(() => rm(folder, { recursive: true }));

beforeEach(async () => {
  mayAnswer = Promise.withResolvers();
  mayAnswer.resolve();
  receiver = createBodyReceiver({ perSender: 8 * mebibyte, perProcess: 12 * mebibyte }, folder);
  const app = new Hono<AppContext>();
  app.use((c, next) => {
    c.set('requestId', 'test');
    const key = c.req.header('x-key');
    if (key !== undefined) c.set('principal', { keyId: key, accountId: key, accountName: key, scopes: [] });
    return next();
  });
  app.use('/bodies', limitBody(6 * mebibyte, undefined, receiver));
  app.post('/bodies', async (c) => {
    const bytes = Buffer.from(await c.req.arrayBuffer());
    await mayAnswer.promise;
    return c.json({ bytes: bytes.length, sum: bytes.reduce((sum, byte) => (sum + byte) % 65_521, 0) });
  });
  app.onError(answerErrors({ publicUrl, log: () => {} }));
  listener = await listen(app.fetch, { host: '127.0.0.1', port: 0, publicUrl, isDraining: () => false });
});
afterEach(async () => {
  mayAnswer.resolve();
  await listener.close();
  await receiver.close();
});

const url = () => `http://127.0.0.1:${listener.port}/bodies`;
const bytesOf = (size: number) => Uint8Array.from({ length: size }, (_, index) => (index * 7) % 251);
const sumOf = (bytes: Uint8Array) => bytes.reduce((sum, byte) => (sum + byte) % 65_521, 0);
const post = (body: Uint8Array<ArrayBuffer> | ReadableStream, key = 'one') =>
  fetch(url(), { method: 'POST', body, headers: { 'x-key': key }, duplex: 'half' } as RequestInit);

/** Sends a part of a body and keeps the connection open. */
function begin(part: Uint8Array, key: string): { request: ClientRequest; answer: Promise<IncomingMessage> } {
  const request = httpRequest(url(), { method: 'POST', headers: { 'x-key': key, 'transfer-encoding': 'chunked' } });
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve);
    request.once('error', reject);
  });
  // Aborting on purpose rejects this promise.
  answer.catch(() => {});
  request.write(part);
  return { request, answer };
}

const filesNow = async () =>
  (await readdir(folder, { recursive: true, withFileTypes: true })).filter((f) => f.isFile());
const inFlight = (bytes: number) => expect.poll(() => receiver.inFlight()).toBe(bytes);

test.each([1, 65_536, 65_537, mebibyte, mebibyte + 1, 6 * mebibyte])('passes on a body of %i bytes', async (size) => {
  const body = bytesOf(size);
  const expected = { bytes: size, sum: sumOf(body) };
  expect(await (await post(body)).json()).toEqual(expected);
  expect(await (await post(new Blob([body]).stream())).json()).toEqual(expected);
  expect(receiver.inFlight()).toBe(0);
  expect(await filesNow()).toEqual([]);
});

test('rejects a body that is too long, with or without Content-Length', async () => {
  const body = bytesOf(6 * mebibyte + 1);
  expect((await post(body)).status).toBe(413);
  expect((await post(new Blob([body]).stream())).status).toBe(413);
  await inFlight(0);
  expect(await filesNow()).toEqual([]);
});

test('uses a file only for a body of more than 1 MiB', async () => {
  const short = begin(bytesOf(mebibyte), 'one');
  await inFlight(mebibyte);
  expect(await filesNow()).toEqual([]);
  const long = begin(bytesOf(mebibyte + 1), 'one');
  await inFlight(2 * mebibyte + 1);
  expect(await filesNow()).toHaveLength(1);
  for (const { request } of [short, long]) request.end();
  expect([(await short.answer).statusCode, (await long.answer).statusCode]).toEqual([200, 200]);
});

test('deletes the file if the client disconnects', async () => {
  const { request } = begin(bytesOf(3 * mebibyte), 'one');
  await inFlight(3 * mebibyte);
  request.destroy();
  await inFlight(0);
  await expect.poll(filesNow).toEqual([]);
});

test('limits the bytes of one key, and sends Retry-After', async () => {
  const held = begin(bytesOf(5 * mebibyte), 'one');
  await inFlight(5 * mebibyte);
  for (const body of [bytesOf(4 * mebibyte), new Blob([bytesOf(4 * mebibyte)]).stream()]) {
    const refused = await post(body);
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(await refused.json()).toMatchObject({ code: 'bodies_too_many', detail: expect.stringContaining('8 MiB') });
  }
  expect((await post(bytesOf(3 * mebibyte))).status).toBe(200);
  expect((await post(bytesOf(6 * mebibyte), 'another')).status).toBe(200);
  held.request.end();
  expect((await held.answer).statusCode).toBe(200);
  expect((await post(bytesOf(4 * mebibyte))).status).toBe(200);
});

test('limits the bytes of all keys together, but accepts short bodies', async () => {
  const held = ['one', 'two'].map((key) => begin(bytesOf(5 * mebibyte), key));
  await inFlight(10 * mebibyte);
  expect((await post(bytesOf(3 * mebibyte), 'three')).status).toBe(503);
  expect((await post(bytesOf(2 * mebibyte), 'three')).status).toBe(200);
  expect((await post(bytesOf(64 * 1024), 'three')).status).toBe(200);
  for (const { request } of held) request.end();
  for (const { answer } of held) expect((await answer).statusCode).toBe(200);
  expect((await post(bytesOf(3 * mebibyte), 'three')).status).toBe(200);
});

test('counts a body until its response is sent', async () => {
  mayAnswer = Promise.withResolvers();
  const first = post(bytesOf(5 * mebibyte));
  await inFlight(5 * mebibyte);
  expect((await post(bytesOf(4 * mebibyte))).status).toBe(503);
  mayAnswer.resolve();
  expect((await first).status).toBe(200);
  expect((await post(bytesOf(4 * mebibyte))).status).toBe(200);
});

test('reports an error if no file can be written', async () => {
  await receiver.prepare();
  await rm(join(folder, (await readdir(folder))[0] ?? 'none'), { recursive: true });
  const refused = await post(bytesOf(2 * mebibyte));
  expect(refused.status).toBe(503);
  expect(await refused.json()).toMatchObject({ code: 'artifact_unavailable' });
  expect((await post(bytesOf(mebibyte))).status).toBe(200);
  expect(receiver.inFlight()).toBe(0);
});

test('deletes temporary files of killed processes at a start, but not of running ones', async () => {
  const parent = await mkdtemp(join(folder, 'leftovers-'));
  // Process ids are below 2^22.
  const [dead, living, own] = [2 ** 22 + 1, process.ppid, process.pid].map((pid) => `inferboard-bodies-${pid}-a`);
  for (const name of [dead, living, own, 'inferboard-other']) await mkdir(join(parent, name ?? ''));
  await removeLeftovers(parent);
  expect((await readdir(parent)).sort()).toEqual([living, own, 'inferboard-other'].sort());
  await rm(parent, { recursive: true });
});
