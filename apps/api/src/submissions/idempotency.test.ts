import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, useTestApp } from '../testing/index.ts';
import { storeAnswerFor } from './actions/answer-once.ts';

const app = useTestApp();
let [key, otherKey] = ['', ''];
beforeAll(async () => {
  [key, otherKey] = await Promise.all([app.createAccount('patient'), app.createAccount('other')]);
});

const facts = '?model=unspecified&gpu=unspecified&quantization=unspecified';
const line = (run: string) =>
  JSON.stringify({
    run_name: run,
    batch_size: 1,
    input_len: 128,
    output_len: 64,
    latency: 0.51,
    output_throughput: 138.03,
    overall_throughput: 377.82,
  });

async function post(name: string, body: string, by = key, query = facts) {
  const response = await app.request(`/v1/submissions${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${by}`, 'idempotency-key': name },
    body,
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) as Answer };
}

const countOf = async () => {
  const [row] = await app.deps.database.sql`select count(*)::int as n from submissions`;
  return row?.n as number;
};

describe('a request with an Idempotency-Key', () => {
  it('returns the first response if repeated, byte for byte', async () => {
    const first = await post('again', line('again'));
    expect(first.status).toBe(201);
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    const second = await post('again', line('again'));
    expect([second.status, second.text]).toEqual([201, first.text]);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(second.headers.get('location')).toBe(first.headers.get('location'));
    expect(second.headers.get('content-type')).toBe(first.headers.get('content-type'));
  });

  it('keeps its response after the submission changes', async () => {
    const first = await post('since', line('since'));
    await app.request(`/v1/submissions/${first.body.id}/retract`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: '{"reason": "by mistake"}',
    });
    expect((await post('since', line('since'))).text).toBe(first.text);
  });

  it('is rejected with another body or other parameters', async () => {
    await post('reused', line('reused'));
    for (const other of [
      await post('reused', line('another')),
      await post('reused', line('reused'), key, `${facts}&notes=more`),
    ])
      expect(other).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
  });

  it('is independent of other accounts', async () => {
    const first = await post('shared', line('shared'));
    const other = await post('shared', line('not shared'), otherKey);
    expect([first.status, other.status]).toEqual([201, 201]);
    expect(other.body.id).not.toBe(first.body.id);
  });

  it('can be corrected under the same key after a rejection', async () => {
    expect((await post('right', 'nothing that any tool wrote')).status).toBe(422);
    expect((await post('right', line('right'))).status).toBe(201);
  });

  it('for an existing submission is a duplicate, and stays one', async () => {
    const first = await post('one', line('same'));
    const second = await post('two', line('same'));
    expect(second).toMatchObject({ status: 200, body: { id: first.body.id, duplicate: true } });
    const third = await post('two', line('same'));
    expect([third.status, third.text]).toEqual([200, second.text]);
  });

  it('runs again after a wait if its process died, and not before', async () => {
    const first = await post('died', line('died'));
    const pretend = (ago: string) => app.deps.database.sql`
      update idempotency_keys set status = null, body = null, started_at = now() - ${ago}::interval where name = 'died'`;
    await pretend('8 seconds');
    expect(await post('died', line('died'))).toMatchObject({ status: 409, body: { code: 'request_running' } });
    await pretend('11 seconds');
    expect(await post('died', line('died'))).toMatchObject({ status: 200, body: { id: first.body.id } });
  });

  // Two processes hold a key if the first was wrongly considered dead.
  it('is stored only by the first of two processes', async () => {
    await post('twice', line('twice'));
    const { sql, db } = app.deps.database;
    const [row] = await sql`select key_id, route from idempotency_keys where name = 'twice'`;
    const request = { keyId: row?.key_id, route: row?.route, name: 'twice' };
    const late = storeAnswerFor(request)(db, { status: 201, location: null, body: 'another' });
    await expect(late).rejects.toMatchObject({ code: 'request_running' });
  });

  it.each(['', ' ', 'ä', 'x'.repeat(256)])('rejects the key %j', async (name) => {
    const response = await app
      .request(`/v1/submissions${facts}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'idempotency-key': name },
        body: line('unnamed'),
      })
      .catch((error: unknown) => error);
    // Some requests never leave the client.
    if (response instanceof Response) expect(response.status).toBe(422);
    else expect(response).toBeInstanceOf(TypeError);
  });

  it('is deleted after two days', async () => {
    await post('old', line('old'));
    await app.deps.database
      .sql`update idempotency_keys set started_at = now() - interval '49 hours' where name = 'old'`;
    await post('newer', line('newer'));
    expect(await app.deps.database.sql`select 1 from idempotency_keys where name = 'old'`).toHaveLength(0);
  });
});

describe('200 keys with 20 concurrent posts each', () => {
  it('create one result each', async () => {
    const before = await countOf();
    const names = Array.from({ length: 200 }, (_, of) => `many-${of}`);
    for (let at = 0; at < names.length; at += 4) {
      const answers = await Promise.all(
        names.slice(at, at + 4).flatMap((name) => Array.from({ length: 20 }, () => post(name, line(name)))),
      );
      for (const { status, body } of answers) {
        expect([201, 409]).toContain(status);
        if (status === 409) expect(body.code).toBe('request_running');
      }
    }
    expect((await countOf()) - before).toBe(200);
    const ids = await Promise.all(names.map(async (name) => (await post(name, line(name))).body.id));
    expect(new Set(ids).size).toBe(200);
  });
});
