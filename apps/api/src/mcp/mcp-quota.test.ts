import { expect, it } from 'vitest';
import { useTestApp } from '../testing/index.ts';

const app = useTestApp({ reads: 100 });

const call = (id: number) => ({
  ...{ jsonrpc: '2.0', id, method: 'tools/call' },
  params: { name: 'search', arguments: { q: `h${id}` } },
});
const post = (messages: unknown, from: string) =>
  app.request(
    '/mcp',
    {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify(messages),
    },
    from,
  );

it('each message of a batch costs as much as a single message', async () => {
  const one = await post(call(1), '192.0.2.1');
  expect([one.status, one.headers.get('ratelimit')]).toEqual([200, '"default";r=95;t=3']);
  const three = await post([call(1), call(2), call(3)], '192.0.2.1');
  expect([three.status, three.headers.get('ratelimit')]).toEqual([200, '"default";r=80;t=12']);
  expect(await three.json()).toHaveLength(3);
  const many = Array.from({ length: 21 }, (_, id) => call(id));
  expect((await post(many, '192.0.2.2')).status).toBe(429);
});
