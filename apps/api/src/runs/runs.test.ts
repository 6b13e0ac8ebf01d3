import { countingRequests } from '@inferboard/db/runs/endpoint-budget';
import { beforeAll, describe, expect, test } from 'vitest';
import { adminKey, useTestApp } from '../testing/index.ts';
import { createTestWorker, shortPlan } from '../testing/runs.ts';
import { openRunsMax } from './create-run.ts';

const app = useTestApp();
const worker = createTestWorker(app);
const baseUrl = 'https://llm.example.com/v1';

interface Run {
  id: string;
  code: string;
  detail: string;
  errors: { code: string; pointer?: string; parameter?: string; message: string; hint: string }[];
  state: string;
  endpoint: { id: string; name: string | null; model: string };
  plan: unknown;
  request: { seed: number; slo: string | null; until: string | null; limits: Record<string, number | null> };
  progress: Record<string, number | null>;
  omitted: { key: string; title: string | null; reason: string }[];
  cut_short: { points: number; last_error: string | null } | null;
  failure: { code: string; message: string } | null;
  cancel_requested_at: string | null;
  attempt: number;
  submissions: { id: string }[];
  points: { key: string; requests: number; load: { level: number }; measured_at: string | null; summary: unknown }[];
  started_at: string | null;
  ended_at: string | null;
  links: { self: string; page: string; events: string; endpoint: string };
  data: Run[];
  next_cursor: string | null;
}

let [owner, stranger] = ['', ''];
let endpointId = '';

const call = (method: string, path: string, key: string | null, body?: unknown, headers: Record<string, string> = {}) =>
  app.request(path, {
    method,
    headers: {
      ...headers,
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
const read = async (response: Response) => (await response.json()) as Run;

let count = 0;
async function register(key = owner, more: Record<string, unknown> = {}): Promise<string> {
  count += 1;
  const body = { name: `node ${count}`, base_url: baseUrl, model: 'tiny', ...more };
  return (await read(await call('POST', '/v1/endpoints', key, body))).id;
}

async function start(more: Record<string, unknown> = {}, key = owner): Promise<Run> {
  const response = await call('POST', '/v1/runs', key, { endpoint_id: endpointId, plan: shortPlan, ...more });
  expect(response.status, await response.clone().text()).toBe(201);
  return read(response);
}

const cancelAll = async (key = owner) => {
  const { data } = await read(await call('GET', '/v1/runs?limit=200', key));
  for (const { id, ended_at } of data) if (ended_at === null) await call('POST', `/v1/runs/${id}/cancel`, key);
};

const spend = async (id: string, requests: number, tokens = 0) => {
  const { sql } = app.deps.database;
  await sql`insert into endpoint_usage (endpoint_id, day, requests, tokens)
    values (${id}, (now() at time zone 'UTC')::date, ${requests}, ${tokens})
    on conflict (endpoint_id, day) do update set requests = excluded.requests, tokens = excluded.tokens`;
};

/** Requests sent to the unproven server, by all accounts. */
const spendAtServer = async (requests: number) => {
  const { sql } = app.deps.database;
  await sql`insert into target_usage (target, day, requests)
    values (${new URL(baseUrl).origin}, (now() at time zone 'UTC')::date, ${requests})
    on conflict (target, day) do update set requests = excluded.requests`;
};

beforeAll(async () => {
  owner = await app.createAccount('owner of runs');
  stranger = await app.createAccount('stranger to runs');
  endpointId = await register();
});

describe('a new run', () => {
  test('is queued, and lists what it will measure', async () => {
    const response = await call('POST', '/v1/runs', owner, {
      endpoint_id: endpointId,
      plan: shortPlan,
      repetitions: null,
      limits: { duration_s: 600 },
    });
    expect(response.status).toBe(201);
    const run = await read(response);
    expect(response.headers.get('location')).toBe(run.links.self);
    expect(run).toMatchObject({
      state: 'pending',
      endpoint: { id: endpointId, name: 'node 1', model: 'tiny', facts: expect.objectContaining({ gpu: null }) },
      plan: shortPlan,
      request: {
        ...{ repetitions: null, slo: null },
        limits: { duration_s: 600, requests: null, tokens: null, concurrency: null, max_errors: null },
      },
      progress: { points_done: 0, points_total: 2, requests_done: 0, requests_total: 10, eta_s: null },
      omitted: [],
      failure: null,
      submissions: [],
      attempt: 0,
      started_at: null,
    });
    expect(run.points.map(({ key, requests, measured_at }) => [key, requests, measured_at])).toEqual([
      ['chatbot/concurrency:1/1', 4, null],
      ['chatbot/concurrency:2/1', 6, null],
    ]);
    expect(run.links).toEqual({
      self: `http://inferboard.test/v1/runs/${run.id}`,
      page: `http://inferboard.test/runs/${run.id}`,
      events: `http://inferboard.test/v1/runs/${run.id}/events`,
      endpoint: `http://inferboard.test/v1/endpoints/${endpointId}`,
    });
    expect(run.request.seed).toBeLessThan(2 ** 31);
    expect(Number.isInteger(run.request.seed)).toBe(true);
  });

  test('keeps its seed, and gets a new one if none is given', async () => {
    expect((await start({ seed: 7 })).request.seed).toBe(7);
    expect((await start()).request.seed).not.toBe((await start()).request.seed);
    await cancelAll();
  });

  test('states the maximum of consecutive errors', async () => {
    expect((await start({ limits: { max_errors: 40 } })).request.limits.max_errors).toBe(40);
    await cancelAll();
  });

  test('repeats points until they are stable, with a maximum', async () => {
    const run = await start({ until: 'ci=2%,max=3' });
    expect(run.points.map(({ key }) => key)).toEqual(['chatbot/concurrency:1/1', 'chatbot/concurrency:2/1']);
    expect(run).toMatchObject({
      request: { until: 'ci=2%,max=3', repetitions: null },
      progress: { points_total: 6, requests_total: 30 },
    });
    expect((await start()).request.until).toBeNull();
    await cancelAll();
    for (const more of [{ until: '2%' }, { until: 'ci=2%,max=101' }, { until: 3 }]) {
      const body = { endpoint_id: endpointId, plan: shortPlan, ...more };
      const response = await call('POST', '/v1/runs', owner, body);
      expect([response.status, (await read(response)).errors[0]?.pointer]).toEqual([422, '/until']);
    }
  });

  test('states the limits of one request', async () => {
    expect((await start()).request.slo).toBeNull();
    expect((await start({ slo: 'ttft<500,tpot<30' })).request.slo).toBe('ttft<500,tpot<30');
    await cancelAll();
    for (const slo of ['ttft_p99<500', 'speed<5', '', 5, 'ttft<5,'.repeat(100)]) {
      const response = await call('POST', '/v1/runs', owner, { endpoint_id: endpointId, plan: shortPlan, slo });
      expect([response.status, (await read(response)).errors[0]?.pointer], `${slo}`).toEqual([422, '/slo']);
    }
  });

  test('is rejected with all errors at once', async () => {
    const response = await call('POST', '/v1/runs', owner, {
      'endpoint-id': endpointId,
      plan: 'inference-rapport',
      repetitions: 0,
      limits: { token: 5 },
    });
    expect(response.status).toBe(422);
    const { errors } = await read(response);
    expect(errors.map(({ pointer, code }) => [pointer, code])).toEqual([
      ['/endpoint_id', 'value_invalid'],
      ['/repetitions', 'value_invalid'],
      ['/limits/token', 'field_unknown'],
      ['/endpoint-id', 'field_unknown'],
      ['/plan', 'value_invalid'],
    ]);
    expect(errors.find(({ pointer }) => pointer === '/endpoint-id')?.hint).toBe('Did you mean "endpoint_id"?');
    for (const body of [null, [], 'x', 3])
      expect((await call('POST', '/v1/runs', owner, body)).status, JSON.stringify(body)).toBe(422);
  });

  test('requires an endpoint of the account', async () => {
    const removed = await register();
    await call('DELETE', `/v1/endpoints/${removed}`, owner);
    const others = await register(stranger);
    for (const id of [removed, others, 'ep_0', 'nonsense', `ep_${'0'.repeat(32)}`]) {
      const response = await call('POST', '/v1/runs', owner, { endpoint_id: id, plan: 'batch-grid', warmup: -1 });
      expect(response.status, id).toBe(422);
      const { errors } = await read(response);
      expect(errors.map(({ pointer, code }) => [pointer, code])).toEqual([
        ['/endpoint_id', 'endpoint_unknown'],
        ['/warmup', 'value_invalid'],
      ]);
    }
  });

  test('requires a key with the run scope', async () => {
    const body = { endpoint_id: endpointId, plan: shortPlan };
    expect((await call('POST', '/v1/runs', null, body)).status).toBe(401);
    const made = await call('POST', '/v1/keys', owner, { scopes: ['submit'] });
    const { key } = (await made.json()) as { key: string };
    for (const [method, path] of [
      ['POST', '/v1/runs'],
      ['GET', '/v1/runs'],
    ] as const)
      expect((await call(method, path, key, method === 'POST' ? body : undefined)).status).toBe(403);
  });

  test('is created once for each Idempotency-Key', async () => {
    const name = { 'idempotency-key': 'the nightly one' };
    const body = { endpoint_id: endpointId, plan: shortPlan, seed: 5 };
    const first = await call('POST', '/v1/runs', owner, body, name);
    const again = await call('POST', '/v1/runs', owner, { seed: 5, plan: shortPlan, endpoint_id: endpointId }, name);
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.headers.get('location')).toBe(first.headers.get('location'));
    expect(await read(again)).toEqual(await read(first));
    const other = await call('POST', '/v1/runs', owner, { ...body, seed: 6 }, name);
    expect([other.status, (await read(other)).code]).toEqual([422, 'idempotency_key_reused']);
    await cancelAll();
  });

  test('is limited to twenty for each account, also for concurrent requests', async () => {
    const key = await app.createAccount('busy');
    const id = await register(key);
    const asked = Array.from({ length: openRunsMax + 5 }, () =>
      call('POST', '/v1/runs', key, { endpoint_id: id, plan: shortPlan }),
    );
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(openRunsMax);
    const refused = await call('POST', '/v1/runs', key, { endpoint_id: id, plan: shortPlan });
    expect([refused.status, (await read(refused)).code]).toEqual([409, 'runs_too_many']);
    await cancelAll(key);
    expect((await call('POST', '/v1/runs', key, { endpoint_id: id, plan: shortPlan })).status).toBe(201);
    await cancelAll(key);
  });
});

describe('limits of an endpoint', () => {
  // An unproven server gets no load without its owner's consent.
  test('allow an unverified one four requests at a time and fifty a day', async () => {
    const run = await start({ plan: 'inference-report', repetitions: 1 });
    expect(run.points.every(({ load }) => load.level <= 4)).toBe(true);
    const asked = run.points.reduce((sum, { requests }) => sum + requests, 0);
    expect(asked).toBeLessThanOrEqual(50 - countingRequests);
    expect(new Set(run.omitted.map(({ reason }) => reason))).toContain('above_concurrency');
    const omitted = { key: 'agentic/burst:256/1', title: 'agentic, burst of 256', reason: 'above_concurrency' };
    expect(run.omitted).toContainEqual(omitted);
    expect(run.points.length + run.omitted.length).toBe(60);
    await spendAtServer(45 - countingRequests);
    expect((await start({ plan: shortPlan })).progress.requests_total).toBeLessThanOrEqual(5);
    await spendAtServer(0);
    await cancelAll();
  });

  test('explain why nothing can be measured, and what to do', async () => {
    await spendAtServer(50 - countingRequests);
    const plan = [...shortPlan, { scenario: 'rag', load: { mode: 'burst', level: 8 } }];
    const response = await call('POST', '/v1/runs', owner, { endpoint_id: endpointId, plan });
    expect(response.status).toBe(409);
    const { code, detail, errors } = await read(response);
    expect(code).toBe('plan_empty');
    expect(errors.map((fault) => fault.code).sort()).toEqual(['above_concurrency', 'above_requests']);
    expect(detail).toContain('One point needs more than 4 requests at a time');
    expect(detail).toContain(`/v1/endpoints/${endpointId}/prove`);
    expect(detail).toContain('00:00 UTC');
    await spendAtServer(0);
    expect((await read(await call('GET', '/v1/runs', owner))).data.filter(({ state }) => state === 'pending')).toEqual(
      [],
    );
  });

  test('are set by the owner of a verified one', async () => {
    const id = await register(owner, { budget: { requests_per_day: 100, tokens_per_day: 20_000 } });
    await call('POST', `/v1/endpoints/${id}/approve`, adminKey);
    const burst = (level: number) => [{ scenario: 'chatbot', load: { mode: 'burst', level } }];
    const ask = (plan: unknown) => call('POST', '/v1/runs', owner, { endpoint_id: id, plan });
    expect((await ask(burst(10))).status).toBe(201);
    const tokens = await ask(burst(16));
    expect([tokens.status, (await read(tokens)).errors[0]?.code]).toEqual([409, 'above_tokens']);
    await spend(id, 95 - countingRequests);
    const requests = await ask(burst(10));
    expect([requests.status, (await read(requests)).errors[0]?.code]).toEqual([409, 'above_requests']);
    const free = await register();
    await call('POST', `/v1/endpoints/${free}/approve`, adminKey);
    expect((await start({ endpoint_id: free, plan: 'inference-report' })).omitted).toEqual([]);
    await cancelAll();
  });
});

describe('the progress of a run', () => {
  test('is included in the run', async () => {
    const { id } = await start({ seed: 1 });
    const see = async () => read(await call('GET', `/v1/runs/${id}`, null));
    const lease = await worker.claim(id);
    expect(await see()).toMatchObject({ state: 'claimed', attempt: 1, progress: { eta_s: null } });
    await worker.start(lease);
    await worker.measure(lease);
    const { sql } = app.deps.database;
    await sql`update runs set started_at = lease_until - interval '40 seconds' where id = ${id}`;
    const half = await see();
    // Four of ten requests took thirty seconds: the lease ends ten seconds after the last heartbeat.
    expect(half.progress).toEqual({ points_done: 1, points_total: 2, requests_done: 4, requests_total: 10, eta_s: 45 });
    expect(half.points[0]?.summary).toEqual({ output_tok_s: 80.5, ttft_ms_p50: 41.2 });
    expect(half.points[0]?.measured_at).toMatch(/Z$/);
    expect(half.points[1]).toMatchObject({ measured_at: null, summary: null });
    await worker.end(lease, { code: 'endpoint_refuses', message: 'The endpoint answered 401 five times in a row.' });
    const ended = await see();
    expect(ended).toMatchObject({ state: 'failed', failure: { code: 'endpoint_refuses' }, progress: { eta_s: null } });
    expect(ended.ended_at).toMatch(/Z$/);
  });

  test('changes the ETag of the run', async () => {
    const { id } = await start();
    const first = await call('GET', `/v1/runs/${id}`, null);
    const tag = first.headers.get('etag') ?? '';
    expect((await call('GET', `/v1/runs/${id}`, null, undefined, { 'if-none-match': tag })).status).toBe(304);
    await call('POST', `/v1/runs/${id}/cancel`, owner);
    expect((await call('GET', `/v1/runs/${id}`, null, undefined, { 'if-none-match': tag })).status).toBe(200);
  });

  test('can be canceled by the owner', async () => {
    const waiting = await start();
    const canceled = await call('POST', `/v1/runs/${waiting.id}/cancel`, owner);
    expect(canceled.status).toBe(202);
    expect(await read(canceled)).toMatchObject({ state: 'canceled', endpoint: { name: 'node 1' } });
    const again = await call('POST', `/v1/runs/${waiting.id}/cancel`, owner);
    expect([again.status, (await read(again)).state]).toEqual([200, 'canceled']);

    const running = await start();
    const lease = await worker.claim(running.id);
    await worker.start(lease);
    const asked = await call('POST', `/v1/runs/${running.id}/cancel`, adminKey);
    expect(asked.status).toBe(202);
    const { state, cancel_requested_at } = await read(asked);
    expect([state, cancel_requested_at]).toEqual(['running', expect.stringMatching(/Z$/)]);
    await worker.end(lease);
  });

  test('is published up to the points that the owner selects', async () => {
    const publishOf = async (id: string) => {
      const [row] = await app.deps.database.sql<{ cancel_publish: string | null }[]>`
        select cancel_publish from runs where id = ${id}`;
      return row?.cancel_publish;
    };
    const [first, second, third] = [await start(), await start(), await start()];
    const cancel = (id: string, body: unknown) => call('POST', `/v1/runs/${id}/cancel`, owner, body);
    const wrong = await cancel(first.id, { publish: 'none', publsh: 1 });
    expect([wrong.status, (await read(wrong)).errors.map(({ pointer }) => pointer)]).toEqual([
      422,
      ['/publish', '/publsh'],
    ]);
    expect(await publishOf(first.id)).toBe(null);
    expect((await cancel(first.id, { publish: 'finished' })).status).toBe(202);
    expect((await cancel(second.id, {})).status).toBe(202);
    expect((await cancel(third.id, undefined)).status).toBe(202);
    expect([await publishOf(first.id), await publishOf(second.id), await publishOf(third.id)]).toEqual([
      'finished',
      'measured',
      'measured',
    ]);
  });
});

describe('other accounts', () => {
  // Results are public; the server's URL and the endpoint's name are not.
  test('can read a run by its URL, without name and address of its endpoint', async () => {
    const { id } = await start();
    for (const key of [null, stranger, owner]) {
      const response = await call('GET', `/v1/runs/${id}`, key);
      expect(response.status).toBe(200);
      const text = await response.text();
      expect(text).not.toContain('llm.example.com');
      expect(text).not.toContain('node 1');
      expect(JSON.parse(text)).toMatchObject({ endpoint: { id: endpointId, name: null, model: 'tiny' } });
    }
    expect((await call('POST', `/v1/runs/${id}/cancel`, stranger)).status).toBe(404);
    expect((await read(await call('GET', '/v1/runs', stranger))).data).toEqual([]);
    for (const unknown of ['run_0', 'nonsense', endpointId])
      expect((await call('GET', `/v1/runs/${unknown}`, null)).status).toBe(404);
    await cancelAll();
  });
});

describe('the list of runs', () => {
  test('has the runs of the account, newest first, with pagination', async () => {
    const key = await app.createAccount('keeper of lists');
    const [one, two] = [await register(key), await register(key)];
    const ids: string[] = [];
    for (const id of [one, two, one])
      ids.unshift((await start({ endpoint_id: id, plan: 'inference-report', repetitions: 1 }, key)).id);
    await call('POST', `/v1/runs/${ids[0]}/cancel`, key);
    const list = async (query: string) => read(await call('GET', `/v1/runs${query}`, key));
    expect((await list('')).data.map(({ id }) => id)).toEqual(ids);
    const first = await list('?limit=2');
    expect(first.data[0]).toMatchObject({ plan: 'inference-report', endpoint: { id: one }, state: 'canceled' });
    expect(first.data[0]).not.toHaveProperty('points');
    const second = await list(`?limit=2&cursor=${first.next_cursor}`);
    expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(ids);
    expect(second.next_cursor).toBeNull();
    expect((await list('?state=canceled')).data.map(({ id }) => id)).toEqual([ids[0]]);
    expect((await list(`?endpoint_id=${two}`)).data.map(({ id }) => id)).toEqual([ids[1]]);
    const wrong = await call('GET', '/v1/runs?state=done&cursor=x&endpoint_id=node', key);
    expect(wrong.status).toBe(422);
    expect((await read(wrong)).errors.map(({ parameter }) => parameter).sort()).toEqual([
      'cursor',
      'endpoint_id',
      'state',
    ]);
    await cancelAll(key);
  });

  test('counts the points of each run that ended early, as the run does', async () => {
    const key = await app.createAccount('keeper of partial runs');
    const run = await start({ endpoint_id: await register(key) }, key);
    const listed = async () => (await read(await call('GET', '/v1/runs', key))).data[0]?.cut_short;
    expect(await listed()).toBeNull();
    const cut = (reason: string, lastError: string) => ({
      ...{ reason, requests_ended: 5, requests_planned: 6 },
      last_error: lastError,
    });
    const cuts = [cut('time_limit', 'status 500'), cut('failures', 'status 503: "overloaded"')];
    const { sql } = app.deps.database;
    for (const [ordinal, each] of cuts.entries())
      await sql`update run_points set summary = ${sql.json({ requests: { ok: 5 }, cut: each })}
        where run_id = ${run.id} and ordinal = ${ordinal}`;
    const expected = { points: 1, last_error: 'status 503: "overloaded"' };
    expect(await listed()).toEqual(expected);
    expect((await read(await call('GET', `/v1/runs/${run.id}`, null))).cut_short).toEqual(expected);
    await cancelAll(key);
  });
});

describe('a search for the maximum load', () => {
  const find = { limits: 'ttft_p99<2000,tpot_mean<50', scenario: 'chatbot', to: 64, points: 12 };

  test('has a budget from the start, and no points', async () => {
    const run = await read(
      await call('POST', '/v1/runs', owner, {
        ...{ endpoint_id: endpointId, plan: 'capacity', find },
        limits: { requests: 40, tokens: 1_000_000 },
      }),
    );
    expect(run).toMatchObject({
      ...{ plan: 'capacity', points: [], request: { find } },
      progress: { points_done: 0, points_total: 12 },
      // The endpoint is unproven: at most four at a time.
      capacity: {
        ...{ mode: 'concurrency', limits: ['ttft_p99<2000', 'tpot_mean<50'], from: 1, to: 4, found: null },
        budget: { points: 12, tokens: 1_000_000, duration_s: null },
      },
    });
    expect(run.progress.requests_total).toBeLessThanOrEqual(40);
    expect((await read(await call('GET', '/v1/runs', owner))).data[0]).toMatchObject({ plan: 'capacity' });
    await cancelAll();
  });

  test('is rejected if no load can be measured', async () => {
    const response = await call('POST', '/v1/runs', owner, {
      ...{ endpoint_id: endpointId, plan: 'capacity', find: { ...find, mode: 'rate' } },
    });
    expect([response.status, (await read(response)).code]).toEqual([409, 'plan_empty']);
    const wrong = await call('POST', '/v1/runs', owner, { endpoint_id: endpointId, plan: 'capacity' });
    expect([wrong.status, (await read(wrong)).errors.map(({ pointer }) => pointer)]).toEqual([422, ['/find']]);
  });
});

describe('several workers', () => {
  const startWith = (endpoint: string, more: Record<string, unknown>) =>
    call('POST', '/v1/runs', owner, { endpoint_id: endpoint, plan: shortPlan, ...more });

  test('are part of the request, and one by default', async () => {
    const id = await register();
    await call('POST', `/v1/endpoints/${id}/approve`, adminKey);
    for (const [asked, seen] of [
      [{ workers: 8 }, 8],
      [{ workers: 1 }, 1],
      [{}, 1],
    ] as const) {
      const response = await startWith(id, asked);
      expect(response.status).toBe(201);
      expect((await read(response)).request).toMatchObject({ workers: seen });
    }
    await cancelAll();
  });

  test('are rejected with all other errors if there are too many, for a search, and for an unproven endpoint', async () => {
    const pointersOf = async (more: Record<string, unknown>) => {
      const response = await startWith(endpointId, more);
      return [response.status, ...(await read(response)).errors.map(({ pointer }) => pointer)];
    };
    expect(await pointersOf({ workers: 9, repetitions: 0 })).toEqual([422, '/repetitions', '/workers']);
    expect(await pointersOf({ workers: 1.5 })).toEqual([422, '/workers']);
    const find = { limits: 'ttft_p99<2000', scenario: 'chatbot' };
    expect(await pointersOf({ plan: 'capacity', find, workers: 2 })).toEqual([422, '/workers']);
    const unproven = await startWith(endpointId, { workers: 2 });
    expect((await read(unproven)).errors).toEqual([
      expect.objectContaining({
        ...{ code: 'plan_inconsistent', pointer: '/workers' },
        hint: `Send POST /v1/endpoints/${endpointId}/prove first, or omit workers.`,
      }),
    ]);
  });
});
