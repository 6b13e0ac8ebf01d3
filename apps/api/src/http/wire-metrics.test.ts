import { expect, it } from 'vitest';
import { createMetrics } from '../metrics/metrics.ts';
import { adminKey, useTestApp } from '../testing/index.ts';

const app = useTestApp({ sampleData: true });

/** Every metric sample: name with labels, and value. */
async function scrape(): Promise<Map<string, number>> {
  const response = await app.request('/metrics');
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=/);
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line): [string, number] => {
      const at = line.lastIndexOf(' ');
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

const requests = (method: string, route: string, status: string) =>
  `inferboard_http_requests_total{method="${method}",route="${route}",status="${status}"}`;

it('counts and times requests by pattern, method and status class', async () => {
  const secret = 'ib_abcdefghijklmnopqrstuvwxyz0123456789';
  for (const path of ['/v1/systems/sys_1', '/v1/systems/sys_2', `/v1/systems/${secret}`]) await app.request(path);
  await app.request('/v1/leaderboard', { method: 'HEAD' });
  await app.request('/v1/leaderboard?nope=1');
  for (const path of ['/v1/a', '/v1/b/c', '/a', '/b/c', `/${secret}`]) await app.request(path);
  await app.request('/v1/leaderboard', { method: 'BREW' });
  await app.request('/docs/errors');
  const seen = await scrape();
  const expected: [string, number][] = [
    [requests('GET', '/v1/systems/{id}', '4xx'), 3],
    [requests('GET', '/v1/leaderboard', '2xx'), 1],
    [requests('GET', '/v1/leaderboard', '4xx'), 1],
    [requests('GET', 'unknown', '4xx'), 2],
    [requests('GET', 'site', '4xx'), 3],
    [requests('other', 'unknown', '4xx'), 1],
    [requests('GET', '/docs/errors', '2xx'), 1],
    ['inferboard_http_request_duration_seconds_count{method="GET",route="/v1/systems/{id}"}', 3],
    // The scrape itself.
    ['inferboard_http_requests_in_flight', 1],
  ];
  for (const [name, value] of expected) expect(seen.get(name), name).toBe(value);
  expect([...seen.keys()].join('\n')).not.toMatch(/ib_|sys_1|nope/);
});

it('counts an MCP message as one request', async () => {
  const body = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'list_catalogue', arguments: { kind: 'gpus' } },
  };
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  await app.request('/mcp', { method: 'POST', headers, body: JSON.stringify(body) });
  const seen = await scrape();
  expect(seen.get(requests('POST', '/mcp', '2xx'))).toBe(1);
  expect(seen.has(requests('GET', '/v1/catalogue/{kind}', '2xx'))).toBe(false);
});

it('reports the process, the database and the active work', async () => {
  const seen = await scrape();
  expect(seen.get('inferboard_database_up')).toBe(1);
  expect(seen.get('inferboard_database_connections_max')).toBe(5 + 5 + 4 + 1);
  const states = [...seen].filter(([name]) => name.startsWith('inferboard_database_connections{'));
  expect(states.reduce((sum, [, count]) => sum + count, 0)).toBeGreaterThan(0);
  expect(seen.get(`inferboard_build_info{version="0.1.0",node="${process.version}"}`)).toBe(1);
  expect([...seen.keys()]).toEqual(
    expect.arrayContaining(['nodejs_eventloop_lag_p99_seconds', 'process_start_time_seconds']),
  );
});

it('counts stored submissions by account standing and tool', async () => {
  const report = {
    schema: 'inferboard/v1',
    tool: { name: 'a tool nobody knows', version: '1' },
    system: { model: 'Llama-3.1-8B-Instruct', gpu: 'h100-sxm', quantization: 'bf16' },
    scenario: 'chatbot',
    results: [{ load: { mode: 'concurrency', level: 8 }, metrics: { output_tok_s: 800 } }],
  };
  expect((await app.submit(JSON.stringify(report), {}, adminKey)).status).toBe(201);
  const text = await createMetrics(app.deps.database).registry.metrics();
  const [{ submissions, results }] = (await app.deps.database.sql`
    select (select count(*)::int from submissions) as submissions, (select count(*)::int from results) as results`) as [
    { submissions: number; results: number },
  ];
  const sum = (pattern: RegExp) => [...text.matchAll(pattern)].reduce((all, [, count]) => all + Number(count), 0);
  expect(sum(/^inferboard_submissions\{status="\w+",tool="[\w-]+"\} (\d+)$/gm)).toBe(submissions);
  expect(sum(/^inferboard_results\{status="\w+"\} (\d+)$/gm)).toBe(results);
  expect(text).toMatch(/^inferboard_submissions\{status="accepted",tool="llama-bench"\} [1-9]/m);
  expect(text).toMatch(/^inferboard_submissions\{status="accepted",tool="vllm-bench-serve"\} [1-9]/m);
  expect(text).toMatch(/^inferboard_submissions\{status="accepted",tool="other"\} [1-9]/m);
  expect(text).not.toContain('nobody knows');
});

it('reports an unavailable database as a metric, without failing', async () => {
  const { sql } = app.deps.database;
  const silent = Object.assign(() => new Promise(() => {}), { options: sql.options });
  // Only the awaited query is sent to it.
  const metrics = createMetrics({ ...app.deps.database, sql: silent as unknown as typeof sql });
  const text = await metrics.registry.metrics();
  expect(text).toMatch(/^inferboard_database_up 0$/m);
  expect(text).not.toMatch(/^inferboard_database_connections\{/m);
});

it('has few values for each label, regardless of the requests', async () => {
  for (let i = 0; i < 50; i++)
    await app.request(`/v1/${crypto.randomUUID()}`, { headers: { authorization: `Bearer ${adminKey}` } });
  const before = (await scrape()).size;
  for (let i = 0; i < 50; i++)
    await app.request(`/${crypto.randomUUID()}/${i}?q=${i}`, { method: i % 2 ? 'GET' : 'POST' });
  for (let i = 0; i < 50; i++) await app.request(`/v1/${crypto.randomUUID()}`);
  expect((await scrape()).size - before).toBeLessThan(20);
});

it('every process reports waiting and abandoned work', async () => {
  const { database } = app.deps;
  // A new registry each time, because concurrent scrapes of one registry share a query.
  const look = async (name: string) => {
    const text = await createMetrics(database).registry.metrics();
    const line = text.split('\n').find((one) => one.startsWith(`${name} `));
    return line === undefined ? null : Number(line.slice(name.length + 1));
  };
  const ask = async (path: string, body?: unknown) => {
    const response = await app.request(path, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    expect(response.status, await response.clone().text()).toBeLessThan(300);
    return (await response.json()) as { id: string };
  };
  expect(await look('inferboard_runs_open{state="pending"}')).toBe(0);
  expect(await look('inferboard_runs_oldest_pending_seconds')).toBe(0);
  const { id } = await ask('/v1/endpoints', {
    ...{ name: 'queued', base_url: 'https://model.example/v1', model: 'Llama-3.1-8B-Instruct' },
    ...{ gpu: 'h100-sxm', gpu_count: 1, quantization: 'bf16' },
  });
  await ask(`/v1/endpoints/${id}/approve`);
  const plan = [{ scenario: 'chatbot', load: { mode: 'concurrency', level: 1 } }];
  const run = await ask('/v1/runs', { endpoint_id: id, plan });
  await database.sql`update runs set created_at = now() - interval '1 hour', not_before = now() - interval '1 hour'`;
  expect(await look('inferboard_runs_open{state="pending"}')).toBe(1);
  expect(await look('inferboard_runs_oldest_pending_seconds')).toBeGreaterThanOrEqual(3600);
  expect(await look('inferboard_runs_stalled')).toBe(0);
  await database.sql`
    update runs set state = 'running', lease_until = now() - interval '5 minutes' where id = ${run.id}`;
  expect(await look('inferboard_runs_open{state="pending"}')).toBe(0);
  expect(await look('inferboard_runs_stalled')).toBe(1);
  await database.sql`
    update runs set state = 'failed', failure_code = 'endpoint_failing', ended_at = now() where id = ${run.id}`;
  expect(await look('inferboard_runs_ended{state="failed",reason="endpoint_failing"}')).toBe(1);
  expect(await look('inferboard_retention_overdue_rows{table="rate_limits"}')).toBe(0);
  await database.sql`insert into rate_limits (key, busy_until) values ('long ago', now() - interval '3 hours')`;
  expect(await look('inferboard_retention_overdue_rows{table="rate_limits"}')).toBe(1);

  expect(await look('inferboard_concerns_open')).toBe(0);
  expect(await look('inferboard_concerns_oldest_open_seconds')).toBe(0);
  const { data } = await app.get<{ data: { submission_id: string }[] }>('/v1/results?limit=1');
  const concern = { reason: 'other', text: 'The log names another model.' };
  await ask(`/v1/submissions/${data[0]?.submission_id}/concerns`, concern);
  await database.sql`update concerns set created_at = now() - interval '3 days'`;
  expect(await look('inferboard_concerns_open')).toBe(1);
  expect(await look('inferboard_concerns_oldest_open_seconds')).toBeGreaterThanOrEqual(3 * 86_400);
});
