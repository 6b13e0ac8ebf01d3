import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { downloadBytes, downloadFile } from './download.ts';
import { createPolicy } from './policy.ts';
import { endless, httpAnswer, startRawServer } from './testing/raw-server.ts';

const policy = createPolicy({ contact: 'https://bench.example/contact', allowCidrs: ['127.0.0.1/32'] });
const dataset = Buffer.alloc(3_000_000, 'prompt\n');
const sha256 = createHash('sha256').update(dataset).digest('hex');
let dir: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'inferboard-download-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

test('a dataset is loaded into memory with its hash', async () => {
  await using server = await startRawServer(httpAnswer(dataset));
  const { status, content } = await downloadBytes(`http://127.0.0.1:${server.port}/data.jsonl`, {}, policy);
  expect({ status, ...content, bytes: null }).toEqual({ status: 200, sizeBytes: 3_000_000, sha256, bytes: null });
  expect(dataset.equals(content?.bytes ?? Buffer.of())).toBe(true);
});

const chunked = `300000\r\n${'a'.repeat(0x300000)}\r\n0\r\n\r\n`;

// A client that lets bytes wait would find the connection closed, and call the dataset cut short.
test.each([
  ['by its length', `content-length: ${0x300000}\r\n\r\n${'a'.repeat(0x300000)}`],
  ['by chunks', `transfer-encoding: chunked\r\n\r\n${chunked}`],
])('a dataset that is written more slowly than it comes is whole, bounded %s', async (_, rest) => {
  await using server = await startRawServer((socket) => socket.end(`HTTP/1.1 200 OK\r\n${rest}`));
  for (let time = 0; time < 6; time += 1) {
    const path = join(dir, `slow-${time}.jsonl`);
    const { content } = await downloadFile(`http://127.0.0.1:${server.port}/`, path, {}, policy);
    expect(content?.sizeBytes).toBe(0x300000);
  }
});

test('a dataset is loaded into a file, in place of an older one', async () => {
  await using server = await startRawServer(httpAnswer(dataset));
  const path = join(dir, 'data.jsonl');
  await writeFile(path, 'older');
  const { content } = await downloadFile(`http://127.0.0.1:${server.port}/data.jsonl`, path, {}, policy);
  expect(content).toEqual({ sizeBytes: 3_000_000, sha256 });
  expect(dataset.equals(await readFile(path))).toBe(true);
});

test('a download that fails leaves the older file and nothing else', async () => {
  await using server = await startRawServer(endless('HTTP/1.1 200 OK\r\n\r\n', 'prompt\n'.repeat(1000)));
  const path = join(dir, 'kept.jsonl');
  await writeFile(path, 'older');
  const work = downloadFile(`http://127.0.0.1:${server.port}/`, path, { limits: { bodyBytesMax: 100_000 } }, policy);
  await expect(work).rejects.toMatchObject({ words: 'too large' });
  expect(await readFile(path, 'utf8')).toBe('older');
  expect((await readdir(dir)).filter((name) => name.endsWith('.part'))).toEqual([]);
});

test.each(['302 Found\r\nlocation: http://127.0.0.1/', '404 Not Found', '206 Partial Content'])(
  'an answer %j is no dataset',
  async (status) => {
    await using server = await startRawServer(httpAnswer('page', `HTTP/1.1 ${status}`));
    const path = join(dir, 'absent.jsonl');
    const download = await downloadFile(`http://127.0.0.1:${server.port}/`, path, {}, policy);
    expect(download).toMatchObject({ status: Number(status.slice(0, 3)), content: null });
    expect(await readdir(dir)).not.toContain('absent.jsonl');
  },
);

test('an endless page that is no dataset is not read', async () => {
  await using server = await startRawServer(endless('HTTP/1.1 404 Not Found\r\n\r\n', 'page'.repeat(1000)));
  const { status, content } = await downloadBytes(`http://127.0.0.1:${server.port}/`, {}, policy);
  expect({ status, content }).toEqual({ status: 404, content: null });
});
