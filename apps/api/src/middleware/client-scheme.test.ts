import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { originOf } from './client-address.ts';
import { createSchemeReader } from './client-scheme.ts';

const proxies = ['10.0.0.0/8'];

async function isEncrypted(remoteAddress: string | undefined, headers: Record<string, string>, publicUrl = 'http://a') {
  const read = createSchemeReader({ trustedProxies: proxies, publicUrl });
  const app = new Hono().get('/', (c) => c.json(read(originOf(c))));
  return (await app.request('/', { headers }, { incoming: { socket: { remoteAddress } } })).json();
}
const x = (value: string) => ({ 'x-forwarded-proto': value });

it.each([
  ['https', x('https'), true],
  ['upper case', x('HTTPS'), true],
  ['http', x('http'), false],
  ['two proxies, the inner one over HTTP', x('https, http'), true],
  ['the Forwarded header', { forwarded: 'for=203.0.113.9;proto=https;by=10.0.0.1' }, true],
  ['a Forwarded header with several hops', { forwarded: 'for=1.1.1.1;Proto="https", for=10.2.2.2;proto=http' }, true],
  ['a Forwarded header with a first hop over HTTP', { forwarded: 'proto=http, proto=https' }, false],
  ['invalid text', x('certainly'), false],
  ['an empty header', x(''), false],
  ['no header', {}, false],
])('reads the scheme of a trusted proxy from %s', async (_, headers, expected) => {
  expect(await isEncrypted('10.0.0.1', headers)).toBe(expected);
});

it('ignores the headers of other clients', async () => {
  expect(await isEncrypted('198.51.100.7', x('https'))).toBe(false);
  expect(await isEncrypted(undefined, x('https'))).toBe(false);
});

it('uses https for a service with an https PUBLIC_URL', async () => {
  expect(await isEncrypted('198.51.100.7', {}, 'https://board.example')).toBe(true);
});
