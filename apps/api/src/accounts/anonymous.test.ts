import { gunzipSync } from 'node:zlib';
import { isReservedName } from '@inferboard/core/names/account-name';
import { beforeEach, describe, expect, it } from 'vitest';
import { adminKey, baseUrl, useTestApp } from '../testing/index.ts';

// With open registration, clients without a key may submit. The results do not rank until an account claims them.

const app = useTestApp({ registration: 'open' });

interface Sent {
  id: string;
  status: string;
  code: string;
  account: { id: string; name: string };
  claim?: { token: string; url: string; expires_at: string };
  results: { status: string; system: { id: string } }[];
}

let speed = 500;
const report = (value: number, version = '1') =>
  JSON.stringify({
    schema: 'inferboard/v1',
    system: {
      model: 'llama-3.1-8b',
      quantization: 'bf16',
      gpu: 'h100-sxm',
      gpu_count: 1,
      engine: { name: 'vllm', version },
    },
    scenario: 'chatbot',
    results: [{ load: { mode: 'concurrency', level: 8 }, metrics: { output_tok_s: value } }],
  });

const post = (path: string, body: string, key?: string, from?: string) =>
  app.request(
    path,
    { method: 'POST', body, headers: key === undefined ? {} : { authorization: `Bearer ${key}` } },
    from,
  );

/** A unique artifact. */
function another(): string {
  speed += 13.7;
  return report(speed, String(speed));
}

async function send(body = another(), from?: string): Promise<Sent> {
  const response = await post('/v1/submissions', body, undefined, from);
  expect(response.status).toBe(201);
  return (await response.json()) as Sent;
}

const claim = (id: string, token: string, key: string) =>
  app.request(`/v1/submissions/${id}/claim`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });

async function register(name: string): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const response = await app.request('/v1/accounts', { method: 'POST', headers, body: JSON.stringify({ name }) });
  return ((await response.json()) as { key: { key: string } }).key.key;
}

beforeEach(async () => {
  await app.deps.database.sql`delete from rate_limits`;
});

describe('a submission without a key', () => {
  it('is provisional, has its own account and returns a claim link', async () => {
    const sent = await send();
    expect(sent).toMatchObject({
      status: 'provisional',
      account: { name: expect.stringMatching(/^anonymous-[0-9a-f]{10}$/) },
    });
    expect(sent.results.map(({ status }) => status)).toEqual(['provisional']);
    expect(sent.claim?.url).toBe(`${baseUrl}/submissions/${sent.id}/claim?token=${sent.claim?.token}`);
    expect((Date.parse(sent.claim?.expires_at ?? '') - Date.now()) / 86_400_000).toBeCloseTo(30, 1);
    expect((await send()).account.id).not.toBe(sent.account.id);
    // Other clients do not get the link.
    expect(JSON.stringify(await app.get(`/v1/submissions/${sent.id}`))).not.toContain('claim?token');
    expect(JSON.stringify(await app.deps.database.sql`select * from submission_claims`)).not.toContain(
      sent.claim?.token,
    );
  });

  it('is on no board and changes no figures of other accounts', async () => {
    const known = report(700.5, 'known');
    expect((await post('/v1/submissions', known, adminKey)).status).toBe(201);
    const board = '/v1/leaderboard?workload=chatbot&full=true';
    const ranks = async () => {
      const { data } = await app.get<{ data: { rank: number; account?: unknown }[] }>(board);
      return data;
    };
    const before = await ranks();
    expect(before.length).toBeGreaterThan(0);
    await send(report(750.25, 'known'));
    await send(report(760.25, 'faster'));
    expect(await ranks()).toEqual(before);
  });

  it('explains in the text format how to claim it', async () => {
    const response = await post('/v1/submissions?format=text', report(612.25, 'words'));
    expect(await response.text()).toMatch(
      /\nClaim it: {3}http:\/\/inferboard\.test\/submissions\/sub_\w+\/claim\?token=ibc_\w+\n$/,
    );
  });

  it('stores nothing if it is rejected', async () => {
    const count = async () => (await app.deps.database.sql`select id from accounts`).length;
    const before = await count();
    expect((await post('/v1/submissions', 'hello')).status).toBe(422);
    const dry = await post('/v1/submissions?dry_run=true', report(1));
    expect(dry.status).toBe(200);
    // The status that the submission would get.
    expect(((await dry.json()) as { results: { status: string }[] }).results[0]?.status).toBe('provisional');
    expect(await count()).toBe(before);
  });

  it('is stored together with its claim link or not at all', async () => {
    const { sql } = app.deps.database;
    await sql`create function refuse_claim() returns trigger language plpgsql as 'begin raise exception ''refused''; end'`;
    await sql`create trigger refuse_claim before insert on submission_claims for each row execute function refuse_claim()`;
    const count = async () => (await sql`select id from submissions union all select id from accounts`).length;
    const before = await count();
    expect((await post('/v1/submissions', another())).status).toBe(500);
    await sql`drop function refuse_claim cascade`;
    expect(await count()).toBe(before);
  });

  it('does not block an account that later sends the same artifact', async () => {
    const body = another();
    const first = await send(body);
    const response = await post('/v1/submissions', body, adminKey);
    expect(await response.json()).toMatchObject({ status: 'accepted', results: [{ status: 'accepted' }] });
    const { points } = await app.get<{ points: { statistics: object; claims: { account: { name: string } }[] }[] }>(
      `/v1/systems/${first.results[0]?.system.id}`,
    );
    expect(points.flatMap(({ claims }) => claims[0]?.account.name)).toEqual(['admin']);
    const { data } = await app.get<{ data: { system: { id: string } }[] }>(
      '/v1/leaderboard?workload=chatbot&limit=200',
    );
    expect(data.map(({ system }) => system.id)).toContain(first.results[0]?.system.id);
  });

  it('is limited to 20 a day for each address', async () => {
    for (let i = 0; i < 20; i += 1)
      expect((await post('/v1/submissions', 'hello', undefined, '192.0.2.7')).status).toBe(422);
    const refused = await post('/v1/submissions', report(1), undefined, '192.0.2.7');
    expect([refused.status, refused.headers.get('ratelimit-policy')]).toEqual([
      429,
      expect.stringContaining('"anonymous";q=20;w=86400'),
    ]);
    await send(undefined, '192.0.2.8');
  });

  it('uses names that no account can register', () => {
    for (const name of ['anonymous-0123456789', 'Anonymous_1', 'аnonymous-x']) expect(isReservedName(name)).toBe(true);
  });
});

describe('a submission with the claim token of an earlier one', () => {
  const part = (server: 'a' | 'b', session: string, tpots: readonly number[]) =>
    tpots
      .map((tpot, at) => {
        const native = JSON.parse(report(8000 / tpot, server)) as { results: object[] };
        const generator = { session: { id: session, server } };
        const results = [{ ...native.results[0], repetition: at + 1, generator }];
        return `${JSON.stringify({ ...native, results })}\n`;
      })
      .join('');
  const follow = (body: string, token: string, headers: Record<string, string> = {}) =>
    app.request('/v1/submissions', { method: 'POST', body, headers: { 'claim-token': token, ...headers } });

  it('belongs to the same account, so that both are parts of one session', async () => {
    const a = await send(part('a', 'in two parts', [10, 10.4, 9.8, 10.1]));
    const response = await follow(part('b', 'in two parts', [11, 11.5, 10.7, 11.2]), a.claim?.token ?? '');
    expect(response.status).toBe(201);
    const b = (await response.json()) as Sent;
    expect(b.account).toEqual(a.account);
    expect(b.claim?.token).not.toBe(a.claim?.token);
    expect(await app.get(`/v1/submissions/${a.id}/session`)).toMatchObject({
      submissions: [{ id: a.id }, { id: b.id }],
      loads: [{ ratios: [{ blocks: 4 }] }],
    });
    // A part that is sent again is the same submission, with the link of its first response.
    const again = await follow(part('b', 'in two parts', [11, 11.5, 10.7, 11.2]), a.claim?.token ?? '');
    const repeated = (await again.json()) as Sent & { duplicate: boolean };
    expect([again.status, repeated.id, repeated.duplicate, repeated.claim]).toEqual([200, b.id, true, undefined]);
    const key = await register('owns both parts');
    for (const { id, claim: link } of [a, b]) expect((await claim(id, link?.token ?? '', key)).status).toBe(200);
    expect(await app.get(`/v1/submissions/${b.id}/session`)).toMatchObject({
      submissions: [{ id: a.id }, { id: b.id }],
    });
    expect(await app.deps.database.sql`select from accounts where id = ${a.account.id}`).toHaveLength(0);
  });

  it('is rejected with a wrong or used token, and with a key', async () => {
    const sent = await send();
    const token = sent.claim?.token ?? '';
    const refuse = async (response: Response) => {
      expect(response.status).toBe(422);
      return (await response.json()) as { code: string; errors: { parameter: string; message: string }[] };
    };
    const wrong = await refuse(await follow(another(), 'ibc_0123456789abcdefghijklmnopqrstuvwxyz'));
    expect(wrong).toMatchObject({ code: 'request_invalid', errors: [{ parameter: 'Claim-Token' }] });
    const both = await refuse(await follow(another(), token, { authorization: `Bearer ${adminKey}` }));
    expect(both.errors[0]?.message).toBe('Claim-Token is only for requests without a key.');
    expect((await claim(sent.id, token, adminKey)).status).toBe(200);
    await refuse(await follow(another(), token));
  });

  it('is rejected if the earlier one is claimed and its account removed while it is stored', async () => {
    const { id, account, claim: link } = await send();
    const { sql } = app.deps.database;
    const response = await sql.begin(async (tx) => {
      await tx`select from accounts where id = ${account.id} for update`;
      const running = follow(another(), link?.token ?? '');
      await expect.poll(() => sql`select from pg_locks where not granted`).not.toHaveLength(0);
      await tx`delete from submission_claims where submission_id = ${id}`;
      for (const table of ['submissions', 'results', 'result_anchors', 'point_statistics'])
        await tx`update ${tx(table)} set account_id = (select id from accounts where name = 'admin') where account_id = ${account.id}`;
      await tx`delete from accounts where id = ${account.id}`;
      return { running };
    });
    expect((await response.running).status).toBe(422);
  });
});

describe('a submission with an Idempotency-Key and without an API key', () => {
  async function named(name: string, body: string, { from = '192.0.2.20', query = '' } = {}) {
    const init = { method: 'POST', body, headers: { 'idempotency-key': name } };
    const response = await app.request(`/v1/submissions${query}`, init, from);
    const text = await response.text();
    return { status: response.status, text, isReplayed: response.headers.get('idempotency-replayed') === 'true' };
  }
  const count = async () => (await app.deps.database.sql`select id from submissions`).length;

  it('returns the first response, with the claim link, if the same address repeats it', async () => {
    const body = another();
    const first = await named('again', body);
    expect([first.status, first.isReplayed]).toEqual([201, false]);
    const before = await count();
    expect(await named('again', body)).toEqual({ ...first, isReplayed: true });
    const { id, claim: link } = JSON.parse(first.text) as Sent;
    const words = await named('again', body, { query: '?format=text' });
    expect([words.status, words.isReplayed]).toEqual([201, true]);
    expect(words.text).toContain(`Claim it:   ${link?.url}`);
    expect(await count()).toBe(before);
    expect((await claim(id, link?.token ?? '', adminKey)).status).toBe(200);
  });

  it('is separate for each address, and stores neither address nor link in plain text', async () => {
    const body = another();
    const first = await named('whose', body);
    const other = await named('whose', body, { from: '192.0.2.21' });
    expect([other.status, other.isReplayed]).toEqual([201, false]);
    const rows = await app.deps.database.sql<{ key_id: string; body: Uint8Array }[]>`
      select key_id, body from idempotency_keys where name = 'whose'`;
    expect(rows).toHaveLength(2);
    for (const { key_id, body: stored } of rows) {
      expect(key_id).toMatch(/^address [0-9a-f]{64}$/);
      const { box } = JSON.parse(gunzipSync(stored).toString('utf8')) as { box: string };
      expect(Buffer.from(box, 'base64').toString('latin1')).not.toContain(
        (JSON.parse(first.text) as Sent).claim?.token,
      );
    }
  });

  it('is rejected with another body, and can be corrected after a rejection', async () => {
    await named('reused', another());
    const other = await named('reused', another());
    expect([other.status, (JSON.parse(other.text) as Sent).code]).toEqual([422, 'idempotency_key_reused']);
    expect((await named('corrected', 'hello')).status).toBe(422);
    expect((await named('corrected', another())).status).toBe(201);
  });

  it('is stored once if several arrive at a time', async () => {
    const body = another();
    const before = await count();
    const answers = await Promise.all(Array.from({ length: 4 }, () => named('at once', body)));
    for (const { status } of answers) expect([201, 409]).toContain(status);
    expect(await count()).toBe(before + 1);
  });

  it('repeats a dry run each time', async () => {
    const first = await named('dry', another(), { query: '?dry_run=true' });
    expect([first.status, first.isReplayed]).toEqual([200, false]);
  });
});

describe('a claim', () => {
  it('moves the submission to the account, with its standing, at the same URL', async () => {
    const sent = await send();
    const response = await claim(sent.id, sent.claim?.token ?? '', adminKey);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ id: sent.id, status: 'accepted', account: { name: 'admin' } });
    const { points } = await app.get<{ points: { claims: { account: { name: string } }[] }[] }>(
      `/v1/systems/${sent.results[0]?.system.id}`,
    );
    expect(points.flatMap(({ claims }) => claims.map(({ account }) => account.name))).toEqual(['admin']);
    expect((await app.request(`/v1/accounts/${sent.account.id}`)).status).toBe(404);
  });

  it('by a new account leaves the submission provisional', async () => {
    const sent = await send();
    const key = await register('newcomer');
    const response = await claim(sent.id, sent.claim?.token ?? '', key);
    expect(await response.json()).toMatchObject({ status: 'provisional', account: { name: 'newcomer' } });
  });

  it('works once, also if several accounts claim at the same time', async () => {
    const sent = await send();
    const keys = [adminKey, await register('quick'), await register('slow')];
    const responses = await Promise.all(keys.map((key) => claim(sent.id, sent.claim?.token ?? '', key)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
  });

  it('requires the unexpired link of this submission and a key with the submit scope', async () => {
    const [sent, other] = [await send(), await send()];
    const token = sent.claim?.token ?? '';
    expect((await claim(sent.id, other.claim?.token ?? '', adminKey)).status).toBe(404);
    expect((await claim('sub_0', token, adminKey)).status).toBe(404);
    expect((await claim(sent.id, token, 'nothing')).status).toBe(401);
    await app.deps.database.sql`update submission_claims set expires_at = now() where submission_id = ${sent.id}`;
    expect((await claim(sent.id, token, adminKey)).status).toBe(404);
    expect(await app.get(`/v1/submissions/${sent.id}`)).toMatchObject({ status: 'provisional' });
  });

  it('is rejected for an account that submitted the same artifact; others can still claim', async () => {
    const body = report(555.5, 'twice');
    const key = await register('twice');
    expect((await post('/v1/submissions', body, key)).status).toBe(201);
    const sent = await send(body);
    expect((await claim(sent.id, sent.claim?.token ?? '', key)).status).toBe(409);
    expect((await claim(sent.id, sent.claim?.token ?? '', adminKey)).status).toBe(200);
  });

  it('gives an account only one of several equal submissions, also for concurrent claims', async () => {
    for (let round = 0; round < 5; round += 1) {
      const body = another();
      const key = await register(`eager ${round}`);
      const sent = [await send(body), await send(body), await send(body)];
      const responses = await Promise.all(sent.map((one) => claim(one.id, one.claim?.token ?? '', key)));
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    }
  });

  it('by a new account makes a submission provisional that ranked because of a vouch', async () => {
    const sent = await send();
    const vouched = await app.request(`/v1/accounts/${sent.account.id}/vouch`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}` },
    });
    expect(vouched.status).toBe(200);
    expect(await app.get(`/v1/submissions/${sent.id}`)).toMatchObject({ status: 'accepted' });
    const response = await claim(sent.id, sent.claim?.token ?? '', await register('a stranger to all'));
    expect(await response.json()).toMatchObject({ status: 'provisional', results: [{ status: 'provisional' }] });
  });
});
