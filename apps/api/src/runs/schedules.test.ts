import { schedulesMax } from '@inferboard/db/runs/schedule';
import { beforeAll, describe, expect, test } from 'vitest';
import { adminKey, useTestApp } from '../testing/index.ts';
import { readTimes } from './read-times.ts';

/** The next due time is after this, even if an hour ends during the test. */
const startedAt = Date.now();

const app = useTestApp();

interface Schedule {
  id: string;
  code: string;
  errors: { code: string; pointer: string; hint?: string }[];
  endpoint_id: string;
  request: { seed: number | null };
  next_at: string;
  data: Schedule[];
  links: { self: string; endpoint: string; last_run: string | null };
}

let [owner, stranger, endpointId] = ['', '', ''];

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
const read = async (response: Response) => (await response.json()) as Schedule;

const register = async (key: string, name: string) =>
  (
    await read(
      await call('POST', '/v1/endpoints', key, { name, base_url: 'https://llm.example.com/v1', model: 'tiny' }),
    )
  ).id;

const bodyOf = (more: object = {}) => ({
  endpoint_id: endpointId,
  plan: 'inference-report',
  cron: '30 3 * * *',
  ...more,
});

async function make(more: object = {}): Promise<Schedule> {
  const response = await call('POST', '/v1/schedules', owner, bodyOf(more));
  expect(response.status, await response.clone().text()).toBe(201);
  const made = await read(response);
  expect(response.headers.get('location')).toBe(made.links.self);
  return made;
}

beforeAll(async () => {
  owner = await app.createAccount('owner of schedules');
  stranger = await app.createAccount('stranger to schedules');
  endpointId = await register(owner, 'a node');
});

describe('a schedule', () => {
  test('returns its plan and its next time', async () => {
    const made = await make({
      repetitions: 1,
      limits: { requests: 30 },
      cron: ' 30  3 * * * ',
      time_zone: 'Asia/Kolkata',
    });
    expect(made).toMatchObject({
      endpoint_id: endpointId,
      plan: 'inference-report',
      request: {
        ...{ repetitions: 1, warmup: null, seed: null },
        limits: { duration_s: null, requests: 30, tokens: null, concurrency: null },
      },
      ...{ cron: '30 3 * * *', time_zone: 'Asia/Kolkata', last_run_id: null, skipped_at: null },
      links: { endpoint: `http://inferboard.test/v1/endpoints/${endpointId}`, last_run: null },
    });
    // Kolkata is UTC+5:30 all year.
    expect(made.next_at).toMatch(/T22:00:00\.000Z$/);
    expect(Date.parse(made.next_at)).toBeGreaterThan(startedAt);
    expect(await read(await call('GET', `/v1/schedules/${made.id}`, owner))).toEqual(made);
  });

  test('is rejected with all errors at once', async () => {
    const response = await call('POST', '/v1/schedules', owner, {
      ...{ endpoint_id: 'ep_0', plan: 'nothing', seed: -1 },
      ...{ cron: '* * * * * *', timezone: 'UTC', time_zone: 'Mars/Olympus' },
    });
    expect(response.status).toBe(422);
    const { errors } = await read(response);
    expect(errors.map(({ pointer, code }) => [pointer, code])).toEqual([
      ['/endpoint_id', 'endpoint_unknown'],
      ['/seed', 'value_invalid'],
      ['/timezone', 'field_unknown'],
      ['/plan', 'value_invalid'],
      ['/cron', 'cron_invalid'],
      ['/time_zone', 'time_zone_unknown'],
    ]);
    expect(errors[2]?.hint).toBe('Did you mean "time_zone"?');
  });

  test('is visible only to its account and to admins', async () => {
    const { id } = await make();
    for (const method of ['GET', 'DELETE'])
      expect((await call(method, `/v1/schedules/${id}`, stranger)).status).toBe(404);
    expect((await call('GET', `/v1/schedules/${id}`, null)).status).toBe(401);
    expect((await call('GET', `/v1/schedules/${id}`, adminKey)).status).toBe(200);
    expect((await read(await call('GET', '/v1/schedules', stranger))).data).toEqual([]);
    expect((await read(await call('GET', '/v1/schedules', owner))).data[0]?.id).toBe(id);
    const ofOthers = await call('POST', '/v1/schedules', stranger, bodyOf());
    expect([ofOthers.status, (await read(ofOthers)).errors[0]?.code]).toEqual([422, 'endpoint_unknown']);
  });

  test('can be deleted with If-Match', async () => {
    const { id } = await make();
    const seen = await call('GET', `/v1/schedules/${id}`, owner);
    expect(seen.headers.get('cache-control')).toBe('private, no-cache');
    const tag = seen.headers.get('etag') ?? '';
    expect((await call('DELETE', `/v1/schedules/${id}`, owner, undefined, { 'if-match': '"x"' })).status).toBe(412);
    expect((await call('DELETE', `/v1/schedules/${id}`, owner, undefined, { 'if-match': tag })).status).toBe(204);
    expect((await call('GET', `/v1/schedules/${id}`, owner)).status).toBe(404);
    expect((await call('DELETE', `/v1/schedules/${id}`, owner)).status).toBe(404);
  });

  test('is limited to a maximum number for each account', async () => {
    const key = await app.createAccount('planner');
    const id = await register(key, 'its node');
    const statuses: number[] = [];
    for (let i = 0; i <= schedulesMax; i += 1)
      statuses.push((await call('POST', '/v1/schedules', key, { ...bodyOf(), endpoint_id: id })).status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(schedulesMax);
    expect(statuses.at(-1)).toBe(409);
  });
});

describe('times of a schedule', () => {
  const now = new Date('2026-01-15T09:30:00Z');
  const times = (cron: unknown, time_zone?: unknown) => {
    const found = readTimes({ cron, time_zone }, now);
    return Array.isArray(found) ? found.map(({ code }) => code).join() : found.nextAt.toISOString();
  };

  test.each([
    ['0 12 * * *', undefined, '2026-01-15T12:00:00.000Z'],
    ['0 * * * *', undefined, '2026-01-15T10:00:00.000Z'],
    ['30 9 * * *', undefined, '2026-01-16T09:30:00.000Z'],
    ['0 12 * * *', 'America/New_York', '2026-01-15T17:00:00.000Z'],
    ['0 3 * * MON', 'Europe/Berlin', '2026-01-19T02:00:00.000Z'],
    ['0 0 29 2 *', 'UTC', '2028-02-29T00:00:00.000Z'],
    ['0 0 L * *', 'UTC', '2026-01-31T00:00:00.000Z'],
    // On 29 March clocks in Berlin move from 2:00 to 3:00; times in the gap start at its end.
    ['30 2 29 3 *', 'Europe/Berlin', '2026-03-29T01:00:00.000Z'],
  ])('of %j in %j begin at %s', (cron, zone, next) => {
    expect(times(cron, zone)).toBe(next);
  });

  test.each<[unknown, unknown, string]>([
    [undefined, undefined, 'value_invalid'],
    [5, undefined, 'value_invalid'],
    ['', undefined, 'cron_invalid'],
    ['nonsense', undefined, 'cron_invalid'],
    ['@hourly', undefined, 'cron_invalid'],
    ['0 0 3 * * *', undefined, 'cron_invalid'],
    ['60 3 * * *', undefined, 'cron_invalid'],
    ['2030-01-01T00:00:00', undefined, 'cron_invalid'],
    ['0 0 30 2 *', undefined, 'cron_never'],
    ['* * * * *', undefined, 'cron_too_frequent'],
    ['*/30 * * * *', undefined, 'cron_too_frequent'],
    ['0,59 3 * * *', undefined, 'cron_too_frequent'],
    ['0,30 3 1 * *', undefined, 'cron_too_frequent'],
    ['0 3 * * *', 7, 'value_invalid'],
    ['0 3 * * *', '', 'time_zone_unknown'],
    ['0 3 * * *', '+02:00', 'time_zone_unknown'],
    ['0 3 * * *', '../../etc', 'time_zone_unknown'],
    ['x', 'x', 'cron_invalid,time_zone_unknown'],
  ])('of %j in %j are rejected: %s', (cron, zone, code) => {
    expect(times(cron, zone)).toBe(code);
  });
});
