import { afterAll, beforeAll, expect, test } from 'vitest';
import { useTestDatabase } from '../packages/db/src/testing/index.ts';
import { type FakeServer, startFakeServer } from '../packages/loadgen/src/fake-server/fake-server.ts';
import { type CollectedSpan, type Collector, startCollector } from '../packages/telemetry/src/testing/collector.ts';
import { adminKey, startAt, type TestServer } from './support/server.ts';

// JSON logs and traces of a deployment with a collector.

const database = useTestDatabase();
const credential = 'sk-known-to-nobody-4f9a2c';
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parent = '00f067aa0ba902b7';
let collector: Collector;
let fake: FakeServer;
let server: TestServer;

beforeAll(async () => {
  collector = await startCollector();
  fake = await startFakeServer({
    ...{ ttftMs: 5, itlMs: 1, slowdown: 0, slots: 8, model: 'meta-llama/Llama-3.1-8B-Instruct', apiKey: credential },
  });
  server = await startAt(
    { env: { DATABASE_URL: database.url }, remove: async () => {} },
    {
      SAMPLE_DATA: 'false',
      ENDPOINT_ALLOW_CIDRS: '127.0.0.0/8',
      SECRET_KEY: 'a-secret-key-of-this-test-0123',
      LOG_FORMAT: 'json',
      LOG_LEVEL: 'debug',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_SCHEDULE_DELAY: '200',
    },
  );
});
afterAll(async () => {
  await server?.stop();
  await fake?.close();
  await collector?.close();
});

async function ask(method: string, path: string, body?: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${adminKey}`, ...headers },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  return { status: response.status, requestId: response.headers.get('x-request-id'), text };
}
const json = (value: unknown) => JSON.stringify(value);
const asJson = { 'content-type': 'application/json' };

const find = (wanted: Partial<CollectedSpan>) =>
  collector.spans.find((span) =>
    Object.entries(wanted).every(([name, value]) => span[name as keyof CollectedSpan] === value),
  );
const isBelow = (span: CollectedSpan, above: CollectedSpan): boolean => {
  if (span.traceId !== above.traceId) return false;
  if (span.parentSpanId === above.spanId) return true;
  const next = collector.spans.find(({ spanId }) => spanId === span.parentSpanId);
  return next !== undefined && isBelow(next, above);
};

/** All lines so far. Throws if a line is not JSON. */
const lines = () => server.output.map((line) => JSON.parse(line) as Record<string, unknown>);

test("a request has one log line and one span in its client's trace, with its statements", async () => {
  const secret = `ib_${'s3cr3t'.repeat(6)}`;
  const { requestId } = await ask('GET', `/v1/submissions?token=${secret}&limit=1`, undefined, {
    traceparent: `00-${traceId}-${parent}-01`,
  });
  const { requestId: other } = await ask('GET', '/v1/submissions?limit=1', undefined, {
    traceparent: `00-${traceId}-${parent}-01`,
  });
  await collector.until(() => collector.spans.filter(({ name }) => name === 'GET /v1/submissions').length >= 2);
  const [refused, answered] = [requestId, other].map((id) => lines().filter((line) => line.request_id === id));
  expect(refused).toHaveLength(1);
  expect(refused?.[0]).toMatchObject({ message: 'request', trace_id: traceId, route: '/v1/submissions', status: 400 });
  expect(answered?.[0]).toMatchObject({ level: 'info', status: 200, method: 'GET', trace_id: traceId });
  expect(answered?.[0]?.account).toMatch(/^acc_/);
  const request = collector.spans.find((span) => span.attributes['inferboard.request.id'] === other);
  expect(request).toMatchObject({ name: 'GET /v1/submissions', parentSpanId: parent, kind: 2, service: 'inferboard' });
  const statements = collector.spans.filter((span) => request !== undefined && isBelow(span, request));
  expect(statements.map(({ name }) => name)).toContain('SELECT');
  for (const text of [server.output.join('\n'), collector.received()]) expect(text).not.toContain('s3cr3ts3cr3t');
});

test('the token of a claim link is never logged, traced or sent to another site', async () => {
  const secret = `ibc_${'cl41m'.repeat(6)}`;
  const page = await fetch(`${server.url}/submissions/sub_${'0'.repeat(32)}/claim?token=${secret}`);
  expect([page.headers.get('referrer-policy'), page.headers.get('cache-control')]).toEqual(['same-origin', 'no-store']);
  const requestId = page.headers.get('x-request-id');
  await collector.until((spans) => spans.some(({ attributes }) => attributes['inferboard.request.id'] === requestId));
  expect(lines().filter((line) => line.request_id === requestId)).toHaveLength(1);
  for (const text of [server.output.join('\n'), collector.received()]) expect(text).not.toContain('cl41mcl41m');
});

test('a large submission is traced into the thread that stores it, to the commit', async () => {
  const artifact = Array.from({ length: 1500 }, (_, place) =>
    json({
      run_name: `run${place}`,
      batch_size: 1 + (place % 64),
      input_len: 128,
      output_len: 64,
      latency: 0.51,
      output_throughput: 138 + place / 1e6,
      overall_throughput: 377.82,
    }),
  ).join('\n');
  const query = 'model=Llama-3.1-8B-Instruct&gpu=h100-sxm&quantization=bf16';
  const { status, text } = await ask('POST', `/v1/submissions?${query}`, artifact);
  expect(status, text.slice(0, 500)).toBe(201);
  await collector.until(
    () => find({ name: 'intake' }) !== undefined && find({ name: 'POST /v1/submissions' }) !== undefined,
  );
  const [intake, request] = [find({ name: 'intake' }), find({ name: 'POST /v1/submissions' })];
  if (intake === undefined || request === undefined) throw new Error('neither');
  expect(isBelow(intake, request)).toBe(true);
  await collector.until((spans) => spans.some((span) => span.name === 'COMMIT' && isBelow(span, intake)));
  expect(collector.spans.some((span) => span.name === 'INSERT' && isBelow(span, intake))).toBe(true);
});

test('a managed run is a separate trace, and exports only the host of the endpoint', async () => {
  const endpoint = await ask(
    'POST',
    '/v1/endpoints',
    json({
      ...{ name: 'fake', base_url: `http://127.0.0.1:${fake.port}/v1`, api_key: credential },
      ...{ model: 'meta-llama/Llama-3.1-8B-Instruct', gpu: 'h100-sxm', gpu_count: 1, quantization: 'fp8' },
    }),
    asJson,
  );
  expect(endpoint.status, endpoint.text).toBe(201);
  const { id } = JSON.parse(endpoint.text) as { id: string };
  await ask('POST', `/v1/endpoints/${id}/check`);
  await ask('POST', `/v1/endpoints/${id}/approve`);
  const plan = [
    {
      scenario: { input_tokens: 32, output_tokens: 8 },
      load: { mode: 'concurrency', level: 1 },
      requests: 4,
      warmup: 0,
    },
  ];
  const asked = await ask('POST', '/v1/runs', json({ endpoint_id: id, plan }), asJson);
  expect(asked.status, asked.text).toBe(201);
  const run = JSON.parse(asked.text) as { id: string };
  await collector.until((spans) => spans.some(({ name }) => name === 'run'));
  const [whole, point, check] = [
    find({ name: 'run' }),
    find({ name: 'measure point' }),
    find({ name: 'POST /v1/endpoints/{id}/check' }),
  ];
  expect(whole).toMatchObject({
    parentSpanId: '',
    service: 'inferboard-worker',
    attributes: { 'inferboard.run.id': run.id },
  });
  expect(point?.parentSpanId).toBe(whole?.spanId);
  const left = collector.spans.find(
    (span) => check !== undefined && span.kind === 3 && 'server.address' in span.attributes && isBelow(span, check),
  );
  expect(left?.attributes).toMatchObject({ 'http.request.method': 'GET', 'server.address': '127.0.0.1' });
  const said = lines().filter((line) => line.run_id === run.id && line.role === 'worker');
  expect(said.map(({ message }) => message)).toContain(`run ${run.id}: processed`);
  for (const text of [server.output.join('\n'), collector.received()]) expect(text).not.toContain(credential);
  expect([...collector.contentTypes]).toEqual(['application/x-protobuf']);
});
