import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { exchangeObserver, statementObserver } from './observers.ts';
import { startTracing } from './start-tracing.ts';
import { type Collector, startCollector } from './testing/collector.ts';
import type { Tracing } from './tracing.ts';

let collector: Collector;
let tracing: Tracing;
const parent = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', isSampled: true };

beforeAll(async () => {
  collector = await startCollector();
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url);
  vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '100');
  vi.stubEnv('OTEL_RESOURCE_ATTRIBUTES', 'deployment.environment.name=test');
  tracing = await startTracing({ isOn: true, protocol: 'http/json' }, 'a service');
});
afterAll(async () => {
  await tracing.stop();
  await collector.close();
});

const spanOf = (name: string) => {
  const found = collector.spans.find((span) => span.name === name);
  if (found === undefined) throw new Error(`no span ${name}`);
  return found;
};

test('exports spans as one tree below the caller, with their attributes', async () => {
  const observe = statementObserver(tracing);
  await tracing.span('GET', { kind: 'server', parent }, async (span) => {
    const end = observe();
    await sleep(5);
    end({ statement: '  select $1 as secret', failed: false });
    exchangeObserver(tracing)({ method: 'POST', host: 'model.example:8000' })({ status: 200, words: null });
    span.rename('GET /v1/leaderboard');
    span.set({ 'http.route': '/v1/leaderboard' });
  });
  await collector.until((spans) => spans.length >= 3);
  const request = spanOf('GET /v1/leaderboard');
  expect(request).toMatchObject({ traceId: parent.traceId, parentSpanId: parent.spanId, kind: 2, status: 0 });
  expect(request).toMatchObject({ service: 'a service', attributes: { 'http.route': '/v1/leaderboard' } });
  expect(spanOf('SELECT')).toMatchObject({
    ...{ traceId: parent.traceId, parentSpanId: request.spanId, kind: 3 },
    attributes: { 'db.system.name': 'postgresql', 'db.query.text': '  select $1 as secret' },
  });
  expect(spanOf('POST')).toMatchObject({
    parentSpanId: request.spanId,
    attributes: { 'server.address': 'model.example:8000', 'http.response.status_code': 200 },
  });
  expect([...collector.contentTypes]).toEqual(['application/json']);
  expect(collector.received()).toContain('deployment.environment.name');
});

test('reports a failure without the text of its message', async () => {
  const failing = tracing.span('doomed', { parent: null }, async () => {
    throw new TypeError('the password is 1234');
  });
  await expect(failing).rejects.toThrow('the password');
  await collector.until((spans) => spans.some(({ name }) => name === 'doomed'));
  expect(spanOf('doomed')).toMatchObject({ status: 2, parentSpanId: '' });
  expect(collector.received()).not.toContain('1234');
});

test('exports no unsampled traces, and no spans without a parent request', async () => {
  await tracing.span('unsampled', { parent: { ...parent, isSampled: false } }, async () => {});
  statementObserver(tracing)()({ statement: 'listen nobody', failed: false });
  await tracing.span('after', { parent: null }, async () => {});
  await collector.until((spans) => spans.some(({ name }) => name === 'after'));
  expect(collector.spans.map(({ name }) => name)).not.toEqual(expect.arrayContaining(['unsampled']));
  expect(collector.spans.map(({ name }) => name)).not.toEqual(expect.arrayContaining(['LISTEN']));
});
