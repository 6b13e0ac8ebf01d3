import { once } from 'node:events';
import { request as plainRequest } from 'node:http';
import { createServer, type RequestOptions, request, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCertificate } from './outbound/certificate.ts';
import { observe, type Scanned, stranger } from './support/infra/observatory.ts';
import { startTestServer, type TestServer } from './support/server.ts';

let server: TestServer;
let proxy: Server;
const { key, cert } = createCertificate(['127.0.0.1']);

beforeAll(async () => {
  server = await startTestServer({ TRUSTED_PROXIES: '127.0.0.0/8' });
  // The settings of an operator behind a proxy that terminates TLS.
  proxy = createServer({ key, cert }, (incoming, outgoing) => {
    const headers = { ...incoming.headers, 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.9' };
    const asked = plainRequest(server.url + incoming.url, { method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(asked);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
});
afterAll(async () => {
  proxy?.close();
  await server?.dispose();
});

interface Seen {
  status: number;
  headers: Headers;
  text: string;
}

function askByTls(path: string, options: RequestOptions = {}): Promise<Seen> {
  const { port } = proxy.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, ca: cert, ...options }, async (answer) => {
      const text = (await answer.setEncoding('utf8').toArray()).join('');
      const headers = new Headers(Object.entries(answer.headers).map(([name, value]) => [name, String(value)]));
      resolve({ status: answer.statusCode ?? 0, headers, text });
    });
    asked.on('error', reject).end();
  });
}

async function scan(path: string): Promise<Seen & Scanned> {
  const seen = await askByTls(path);
  const { headers: preflight } = await askByTls(path, {
    method: 'OPTIONS',
    headers: { origin: stranger, 'access-control-request-method': 'GET' },
  });
  return { ...seen, html: /html/.test(seen.headers.get('content-type') ?? '') ? seen.text : '', preflight };
}

async function firstOf(path: string, pattern: RegExp): Promise<string> {
  const found = pattern.exec((await askByTls(path)).text)?.[1];
  if (found === undefined) throw new Error(`${path} has nothing like ${pattern}`);
  return found;
}

/** One URL for each kind of response that a browser can open. */
async function addresses(): Promise<Record<'pages' | 'data' | 'images', string[]>> {
  const system = await firstOf(
    '/?subject=quantization&rank_by=decode_tok_s&scenario=base',
    /href="\/systems\/(sys_[0-9a-f]+)/,
  );
  const other = await firstOf('/?scenario=tg128', /href="\/systems\/(sys_[0-9a-f]+)/);
  const submission = await firstOf(
    '/?subject=quantization&rank_by=decode_tok_s&scenario=base',
    /href="\/submissions\/(sub_[0-9a-f]+)/,
  );
  const script = await firstOf('/submit', /<script[^>]*\ssrc="([^"]+)"/);
  return {
    pages: [
      '/',
      '/?q=best%20model%20under%2020ms%20ITL%20on%20H100',
      '/?gpu=%3Cscript%3E',
      `/systems/${system}`,
      `/submissions/${submission}`,
      `/compare?system=${system}&system=${other}`,
      '/matrix',
      '/submit',
      '/glossary',
      '/methodology',
      '/models',
      '/nowhere',
      '/docs',
      '/docs/errors',
      script,
    ],
    data: [
      '/v1/leaderboard',
      '/v1/results.csv',
      '/v1/results.jsonl',
      `/v1/systems/${system}/report`,
      `/v1/submissions/${submission}/artifact`,
      '/v1/nowhere',
      '/openapi.json',
      '/llms.txt',
    ],
    images: [
      `/badges/systems/${system}.svg`,
      `/badges/submissions/${submission}.svg`,
      `/og/systems/${system}.png`,
      '/og/board.png',
    ],
  };
}

describe('behind a proxy with TLS', () => {
  test('every page gets an A+ from the Observatory, without any finding', async () => {
    for (const path of (await addresses()).pages) {
      const scanned = await scan(path);
      const { score, grade, given } = observe(scanned);
      expect(Math.min(...Object.values(given)), `${path} ${JSON.stringify(given)}`).toBe(0);
      expect([grade, score >= 100], path).toEqual(['A+', true]);
      expect(scanned.headers.get('content-security-policy'), path).not.toMatch(/unsafe|\*/);
      expect(scanned.headers.get('cross-origin-resource-policy'), path).toBe('same-origin');
    }
  });

  test('data gets an A+ too, and pages of other sites can read it', async () => {
    for (const path of (await addresses()).data) {
      const scanned = await scan(path);
      expect(observe(scanned), path).toMatchObject({ grade: 'A+' });
      expect(scanned.headers.get('cross-origin-resource-policy'), path).toBe('cross-origin');
      expect(scanned.headers.get('x-content-type-options'), path).toBe('nosniff');
      expect(scanned.headers.get('access-control-allow-credentials'), path).toBeNull();
    }
  });

  // Badges are embedded in other sites: allowed as images, and inert if opened directly.
  test('images can be shown on other sites, and run no code', async () => {
    for (const path of (await addresses()).images) {
      const { status, headers } = await askByTls(path);
      expect(status, path).toBe(200);
      expect(headers.get('cross-origin-resource-policy'), path).toBe('cross-origin');
      expect(headers.get('x-content-type-options'), path).toBe('nosniff');
      expect(headers.get('content-security-policy'), path).toMatch(/^default-src 'none'/);
      if (path.endsWith('.svg')) expect(headers.get('content-security-policy'), path).toMatch(/sandbox/);
    }
  });

  test('sends HSTS, and only over TLS', async () => {
    const hstsOf = async (headers: Record<string, string>) =>
      (await fetch(`${server.url}/`, { headers })).headers.get('strict-transport-security');
    expect((await askByTls('/')).headers.get('strict-transport-security')).toBe('max-age=31536000');
    expect(await hstsOf({})).toBeNull();
    expect(await hstsOf({ 'x-forwarded-proto': 'http' })).toBeNull();
  });
});

// Scores from version 1.4.8 of the tool for a server with these headers over TLS; `null` removes a header.
const good = {
  'content-security-policy': "default-src 'none'; script-src 'self'; style-src 'self'; frame-ancestors 'none'",
  'referrer-policy': 'strict-origin-when-cross-origin',
  'strict-transport-security': 'max-age=31536000',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
};
const graded: [changes: Record<string, string | null>, html: string, score: number, grade: string][] = [
  [{}, '', 130, 'A+'],
  [{ 'content-security-policy': null }, '', 55, 'C'],
  [
    {
      'content-security-policy': null,
      'strict-transport-security': null,
      'x-content-type-options': null,
      'referrer-policy': null,
      'cross-origin-resource-policy': null,
    },
    '',
    30,
    'D',
  ],
  [{ 'content-security-policy': "default-src 'self'; frame-ancestors 'none'" }, '', 125, 'A+'],
  [
    { 'content-security-policy': "default-src 'none'; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'" },
    '',
    120,
    'A+',
  ],
  [
    { 'content-security-policy': "default-src 'none'; script-src 'self' 'unsafe-inline'; frame-ancestors 'none'" },
    '',
    80,
    'B+',
  ],
  [
    { 'content-security-policy': "default-src 'none'; script-src 'self' 'unsafe-eval'; frame-ancestors 'none'" },
    '',
    110,
    'A+',
  ],
  [{ 'content-security-policy': "default-src 'none'; script-src https:" }, '', 60, 'C+'],
  [{ 'content-security-policy': "script-src 'self'" }, '', 60, 'C+'],
  [
    { 'content-security-policy': "default-src 'none'; connect-src http://a.example; frame-ancestors 'none'" },
    '',
    80,
    'B+',
  ],
  [
    { 'content-security-policy': "default-src 'none'; img-src http://a.example; frame-ancestors 'none'" },
    '',
    110,
    'A+',
  ],
  [{ 'content-security-policy': "default-src 'none'; default-src 'self'" }, '', 55, 'C'],
  [{ 'content-security-policy': "default-src 'none'" }, '', 80, 'B+'],
  [{ 'content-security-policy': "default-src 'none'", 'x-frame-options': 'DENY' }, '', 125, 'A+'],
  [{ 'strict-transport-security': 'max-age=600' }, '', 120, 'A+'],
  [{ 'strict-transport-security': null }, '', 80, 'B+'],
  [{ 'referrer-policy': 'unsafe-url' }, '', 120, 'A+'],
  [{ 'referrer-policy': null }, '', 125, 'A+'],
  [{ 'cross-origin-resource-policy': 'cross-origin' }, '', 120, 'A+'],
  [{ 'cross-origin-resource-policy': 'anything' }, '', 115, 'A+'],
  [{ 'x-content-type-options': null }, '', 125, 'A+'],
  [{}, '<script src="/a.js"></script>', 130, 'A+'],
  [{}, '<script src="https://cdn.example.com/a.js"></script>', 125, 'A+'],
  [{}, '<script src="http://cdn.example.com/a.js"></script>', 50, 'C'],
];

describe('the scoring rules', () => {
  test.each(graded)('give %j %s %d, as the Observatory program does', (changes, html, score, grade) => {
    const given = Object.entries({ ...good, ...changes }).filter(
      (entry): entry is [string, string] => entry[1] !== null,
    );
    expect(observe({ headers: new Headers(given), html, preflight: new Headers() })).toMatchObject({ score, grade });
  });
});
