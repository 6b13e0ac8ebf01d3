import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { responseLimits_ms } from '@inferboard/loadgen/cli/network/response-limits';
import { afterEach, expect, test, vi } from 'vitest';
import { createService } from './service.ts';

const servers: Server[] = [];
async function listen(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
afterEach(() => {
  vi.restoreAllMocks();
  for (const server of servers.splice(0)) server.close();
});

/** Times that pass at a hundredth of their length, and are listed. */
function shortenTimes(): number[] {
  const real = AbortSignal.timeout;
  const limits: number[] = [];
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    limits.push(ms);
    return real.call(AbortSignal, ms / 100);
  });
  return limits;
}

const artifact = new TextEncoder().encode('a');
const { quick, long } = responseLimits_ms;

// A user waited two minutes for the first message.
test.each([
  ['a list', (url: string) => createService({ url, key: null }).get('/v1/submissions')],
  ['an answer', (url: string) => createService({ url, key: null }).get('/v1/best')],
  ['an upload', (url: string) => createService({ url, key: null }).submit({}, artifact)],
])('%s of a server that never responds fails after the quick limit', async (_, ask) => {
  const url = await listen(createServer((socket) => socket.on('error', () => {})));
  const limits = shortenTimes();
  await expect(ask(url)).rejects.toThrow(
    `${url} cannot be reached: it accepts connections, but did not respond in time.`,
  );
  expect(limits).toEqual([quick]);
});

test('an upload to a server that responds may take long', async () => {
  const url = await listen(createHttpServer((_, response) => response.end('stored')));
  const limits = shortenTimes();
  expect(await createService({ url, key: null }).submit({}, artifact)).toBe('stored');
  expect(limits).toEqual([quick, long]);
});

/** The error of an upload to a server that is not an Inferboard. */
async function errorOf(listener: RequestListener): Promise<string> {
  const url = await listen(createHttpServer(listener));
  const sent = createService({ url, key: null }).submit({ format: 'text' }, artifact);
  const message = await sent.then(String, (error: Error) => error.message);
  return message.replace(url, 'URL');
}

const page = { 'content-type': 'text/html; charset=utf-8' };

test.each([
  [200, page, 'URL returned a page. It is not an Inferboard service. Check the URL.'],
  [404, page, 'URL returned 404. It is not an Inferboard service. Check the URL.'],
  [502, page, 'URL returned 502. The server, or a proxy in front of it, is not available. Try again later.'],
  [429, { ...page, 'retry-after': '9' }, 'URL returned 429. It limits the rate of requests. Try again in 9 s.'],
  [301, { location: 'https://a.example/v1' }, 'URL returned 301. It redirects to https://a.example. Use that URL.'],
])('names the fault and the fix of a response with status %i and %j', async (status, headers, message) => {
  expect(await errorOf((_, response) => response.writeHead(status, headers).end('<html></html>'))).toBe(message);
});
