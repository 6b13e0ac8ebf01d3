import { gzipSync, zstdCompressSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, adminKey, useTestApp } from '../testing/index.ts';

const app = useTestApp();
let key = '';
beforeAll(async () => {
  key = await app.createAccount('packer');
});

const facts = { model: 'llama-3.1-8b', gpu: 'h100-sxm', quantization: 'bf16' };
const record = (seed: number) => ({
  run_name: `packed_${seed}`,
  batch_size: 1,
  input_len: 256,
  output_len: 512,
  latency: 3.8,
  output_throughput: 150,
  overall_throughput: 768 / 3.8,
});
const text = (seed: number) => Buffer.from(`${JSON.stringify(record(seed))}\n`);

async function answerOf(response: Response): Promise<Answer> {
  return (await response.json()) as Answer;
}

const packings = [
  ['gzip', gzipSync, 'application/gzip'],
  ['zstd', zstdCompressSync, 'application/zstd'],
] as const;

describe.each(packings)('an artifact compressed with %s', (name, pack, mediaType) => {
  const seed = name.length;

  it('is read as the text inside, and stored as sent', async () => {
    const bytes = pack(text(seed));
    const response = await app.submit(bytes, facts, key);
    const body = await answerOf(response);
    expect([response.status, body.errors]).toEqual([201, undefined]);
    expect(body.artifact).toMatchObject({ bytes: bytes.length, media_type: mediaType });
    const plain = await answerOf(await app.submit(text(seed), { ...facts, dry_run: 'true' }, key));
    expect(body.results.map(({ metrics }) => metrics)).toEqual(plain.results.map(({ metrics }) => metrics));
    const download = await app.request(new URL(body.links.artifact).pathname);
    expect(Buffer.from(await download.arrayBuffer()).equals(bytes)).toBe(true);
    expect(download.headers.get('content-disposition')).toContain('attachment');
    expect((await app.submit(bytes, facts, key)).status).toBe(200);
  });

  it('can be reviewed, which reads it again', async () => {
    const held = await answerOf(await app.submit(pack(text(seed + 10)), { ...facts, gpu: `Packed ${name}` }, key));
    expect(held.status).toBe('quarantined');
    const response = await app.request(`/v1/submissions/${held.id}/review`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ decision: 'map', gpu: 'h100-sxm', note: 'It is one.' }),
    });
    expect([response.status, (await answerOf(response)).status]).toEqual([200, 'accepted']);
  });

  it('is rejected if it is truncated, too large or empty', async () => {
    const whole = pack(text(seed));
    const cut = await app.submit(whole.subarray(0, whole.length - 9), facts, key);
    expect([cut.status, (await answerOf(cut)).code]).toEqual([422, 'artifact_unreadable']);
    const damaged = await app.submit(Buffer.concat([whole.subarray(0, 12), Buffer.alloc(40, 7)]), facts, key);
    expect([damaged.status, (await answerOf(damaged)).code]).toEqual([422, 'artifact_unreadable']);
    const bomb = await app.submit(pack(Buffer.alloc(300 * 1024 * 1024)), facts, key);
    expect([bomb.status, (await answerOf(bomb)).code]).toEqual([413, 'body_too_large']);
    const empty = await app.submit(pack(Buffer.alloc(0)), facts, key);
    expect(empty.status).toBe(422);
  });
});
