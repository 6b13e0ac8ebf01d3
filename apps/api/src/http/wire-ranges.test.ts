import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { readRange } from '../middleware/ranges.ts';
import { useTestApp } from '../testing/index.ts';
import { useSubmissions } from '../testing/submissions.ts';

const app = useTestApp();
const { make, tagOf } = useSubmissions(app);
const get = (path: string, headers: Record<string, string> = {}) => app.request(path, { headers });

let id = '';
beforeAll(async () => {
  id = await make();
});

describe('an artifact', () => {
  const path = () => `/v1/submissions/${id}/artifact`;
  const digest = (bytes: Uint8Array) => `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`;
  const whole = async () => Buffer.from(await (await get(path())).arrayBuffer());

  it('is immutable and has digests', async () => {
    const response = await get(path(), { 'accept-encoding': 'gzip, br' });
    const bytes = Buffer.from(await response.arrayBuffer());
    const { headers } = response;
    expect(headers.get('etag')).toBe(`"${createHash('sha256').update(bytes).digest('hex')}"`);
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable, no-transform');
    expect(headers.get('content-encoding')).toBeNull();
    expect(headers.get('accept-ranges')).toBe('bytes');
    expect(headers.get('content-length')).toBe(String(bytes.length));
    for (const name of ['repr-digest', 'content-digest']) expect(headers.get(name)).toBe(digest(bytes));
    const tag = headers.get('etag') ?? '';
    // Proxies that compress a response make its tag weak.
    for (const sent of [tag, `W/${tag}`, `"a,b", ${tag}`, '*'])
      expect((await get(path(), { 'if-none-match': sent, range: 'bytes=0-1' })).status, sent).toBe(304);
    expect((await get(path(), { 'if-none-match': '"other"', range: 'bytes=0-1' })).status).toBe(206);
  });

  it('is served in ranges', async () => {
    const bytes = await whole();
    const size = bytes.length;
    const parts: [string, number, number][] = [
      ['bytes=0-9', 0, 9],
      ['bytes=5-', 5, size - 1],
      ['bytes=-5', size - 5, size - 1],
      ['bytes=0-99999999', 0, size - 1],
      ['bytes=-99999999', 0, size - 1],
    ];
    for (const [range, first, last] of parts) {
      const response = await get(path(), { range });
      expect(response.status, range).toBe(206);
      const part = Buffer.from(await response.arrayBuffer());
      expect(part).toEqual(bytes.subarray(first, last + 1));
      expect(response.headers.get('content-range')).toBe(`bytes ${first}-${last}/${size}`);
      expect(response.headers.get('content-length')).toBe(String(part.length));
      expect(response.headers.get('content-digest')).toBe(digest(part));
      expect(response.headers.get('repr-digest')).toBe(digest(bytes));
    }
  });

  it('is served completely if the range is invalid or does not apply', async () => {
    const bytes = await whole();
    const tag = await tagOf(path());
    const asked: Record<string, string>[] = [
      { range: 'bytes=0-1,3-4' },
      { range: 'lines=0-1' },
      { range: 'bytes=9-5' },
      { range: 'bytes=-' },
      { range: 'bytes=0-1', 'if-range': '"other"' },
      { range: 'bytes=0-1', 'if-range': `W/${tag}` },
    ];
    for (const headers of asked) {
      const response = await get(path(), headers);
      expect(response.status).toBe(200);
      expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes);
    }
    expect((await get(path(), { range: 'bytes=0-1', 'if-range': tag })).status).toBe(206);
    const head = await app.request(path(), { method: 'HEAD', headers: { range: 'bytes=0-1' } });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes.length)]);
  });

  it('returns 416 for a range after its end', async () => {
    const { length } = await whole();
    for (const range of [`bytes=${length}-`, 'bytes=-0']) {
      const response = await get(path(), { range });
      expect(response.status).toBe(416);
      expect(response.headers.get('content-range')).toBe(`bytes */${length}`);
      for (const name of ['etag', 'content-disposition', 'repr-digest']) expect(response.headers.get(name)).toBeNull();
      for (const name of ['x-request-id', 'access-control-allow-origin'])
        expect(response.headers.get(name)).toBeTruthy();
      expect(await response.json()).toMatchObject({ code: 'range_not_satisfiable' });
    }
    expect(readRange('bytes=0-', 0)).toBe('none');
  });
});
