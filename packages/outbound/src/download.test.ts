import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { downloadBytes } from './download.ts';
import { createPolicy } from './policy.ts';
import { endless, httpAnswer, startRawServer } from './testing/raw-server.ts';

const policy = createPolicy({ contact: 'https://bench.example/contact', allowCidrs: ['127.0.0.1/32'] });
const dataset = Buffer.alloc(3_000_000, 'prompt\n');
const sha256 = createHash('sha256').update(dataset).digest('hex');

test('loads a data set into memory with its hash', async () => {
  await using server = await startRawServer(httpAnswer(dataset));
  const { status, content } = await downloadBytes(`http://127.0.0.1:${server.port}/data.jsonl`, {}, policy);
  expect({ status, ...content, bytes: null }).toEqual({ status: 200, sizeBytes: 3_000_000, sha256, bytes: null });
  expect(dataset.equals(content?.bytes ?? Buffer.of())).toBe(true);
});

const chunked = `300000\r\n${'a'.repeat(0x300000)}\r\n0\r\n\r\n`;

test.each([
  ['by its length', `content-length: ${0x300000}\r\n\r\n${'a'.repeat(0x300000)}`],
  ['by chunks', `transfer-encoding: chunked\r\n\r\n${chunked}`],
])('loads a complete data set delimited %s', async (_, rest) => {
  await using server = await startRawServer((socket) => socket.end(`HTTP/1.1 200 OK\r\n${rest}`));
  const { content } = await downloadBytes(`http://127.0.0.1:${server.port}/`, {}, policy);
  expect(content?.sizeBytes).toBe(0x300000);
});

test('rejects a data set above the limit', async () => {
  await using server = await startRawServer(endless('HTTP/1.1 200 OK\r\n\r\n', 'prompt\n'.repeat(1000)));
  const work = downloadBytes(`http://127.0.0.1:${server.port}/`, { limits: { bodyBytesMax: 100_000 } }, policy);
  await expect(work).rejects.toMatchObject({ words: 'too large' });
});

test.each(['302 Found\r\nlocation: http://127.0.0.1/', '404 Not Found', '206 Partial Content'])(
  'returns no content for a response %j',
  async (status) => {
    await using server = await startRawServer(httpAnswer('page', `HTTP/1.1 ${status}`));
    const download = await downloadBytes(`http://127.0.0.1:${server.port}/`, {}, policy);
    expect(download).toMatchObject({ status: Number(status.slice(0, 3)), content: null });
  },
);

test('does not read an endless error page', async () => {
  await using server = await startRawServer(endless('HTTP/1.1 404 Not Found\r\n\r\n', 'page'.repeat(1000)));
  const { status, content } = await downloadBytes(`http://127.0.0.1:${server.port}/`, {}, policy);
  expect({ status, content }).toEqual({ status: 404, content: null });
});
