import { beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../app.ts';
import { admitSite, siteKeyHeader, visitorHeader } from '../site/site-key.ts';
import { type Concern, useConcerns } from '../testing/concerns.ts';
import { adminKey, useTestApp } from '../testing/index.ts';

// Anyone may report a problem with a submission. The text is not public before an admin has decided.

const app = useTestApp({ registration: 'open' });
const concerns = useConcerns(app);
let [owner, other] = ['', ''];
beforeAll(async () => {
  [owner, other] = await Promise.all([app.createAccount('owner'), app.createAccount('somebody else')]);
});

const { stranger } = concerns;
const submit = () => concerns.submit(owner);

describe('a concern', () => {
  it('is visible to owner, reporter and admins, after the decision to everyone; only admins see the reporter', async () => {
    const { id } = await submit();
    const { status, body, headers } = await concerns.report(id, { key: other });
    expect(status).toBe(201);
    expect(body).toMatchObject({ submission_id: id, state: 'open', answer: null, decision: null, reporter: null });
    const path = `/v1/concerns/${body.id}`;
    expect(headers.get('location')).toBe(`http://inferboard.test${path}`);
    const third = await app.createAccount('a third');
    const list = `/v1/submissions/${id}/concerns`;
    const seenBy = async (key?: string) => {
      const asker = key === undefined ? {} : { key };
      const one = await concerns.get(path, asker);
      expect((await concerns.list(list, asker)).map((concern) => concern.id)).toEqual(
        one.status === 200 ? [body.id] : [],
      );
      return one.status === 200 ? ((await one.json()) as Concern) : one.status;
    };
    expect(await seenBy()).toBe(404);
    expect(await seenBy(third)).toBe(404);
    for (const key of [owner, other]) expect(await seenBy(key)).toMatchObject({ state: 'open', reporter: null });
    expect(await seenBy(adminKey)).toMatchObject({ reporter: expect.stringMatching(/^acc_/) });
    expect((await concerns.answer(body.id, { key: owner })).status).toBe(200);
    const note = 'Both are named in the log.';
    expect((await concerns.decide(body.id, { decision: 'dismissed', note })).status).toBe(200);
    for (const key of [undefined, third, owner, other])
      expect(await seenBy(key)).toMatchObject({
        ...{ state: 'dismissed', reporter: null, answer: { text: expect.stringContaining('head node') } },
        decision: { note, action: 'none', by: 'admin' },
      });
  });

  it('is never stored in shared caches', async () => {
    const { id } = await submit();
    for (const asker of [{}, { key: owner }]) {
      const { headers } = await concerns.get(`/v1/submissions/${id}/concerns`, asker);
      expect(headers.get('cache-control')).toBe('private, no-cache');
      expect(headers.get('vary')).toContain('Authorization');
    }
  });

  it('is rejected with all errors at once, and not stored', async () => {
    const { id } = await submit();
    const { status, body } = await concerns.report(id, stranger(), { reason: 'dislike', text: ' ', reson: 'copied' });
    expect(status).toBe(422);
    expect(body.errors.map(({ pointer }) => pointer).sort()).toEqual(['/reason', '/reson', '/text']);
    expect(body.errors.find(({ pointer }) => pointer === '/reson')?.hint).toBe('Did you mean "reason"?');
    for (const text of [
      'a\u202eb',
      'a\u0000b',
      'a\u001b[31mb',
      '\ud800',
      'x'.repeat(1001),
      `ib_${'k'.repeat(40)}`,
      5,
      null,
    ])
      expect((await concerns.report(id, stranger(), { reason: 'spam', text })).status, String(text)).toBe(422);
    expect(await concerns.list(`/v1/submissions/${id}/concerns`, { key: adminKey })).toEqual([]);
  });

  it('is stored in composed form without surrounding whitespace', async () => {
    const { id } = await submit();
    const text = '  <script>alert(1)</script>\n\tcafe\u0301 ';
    const { body } = await concerns.report(id, stranger(), { reason: 'other', text });
    expect(body.text).toBe('<script>alert(1)</script>\n\tcaf\u00e9');
  });

  it('requires an existing submission', async () => {
    for (const id of ['sub_00000000000000000000000000000000', 'nothing', 'sys_0'])
      expect((await concerns.report(id, stranger())).body.code).toBe('not_found');
    expect((await concerns.get('/v1/submissions/sub_0/concerns')).status).toBe(404);
  });
});

describe('a reporter', () => {
  it('has one open concern for each submission, and can report again after the decision', async () => {
    const { id } = await submit();
    const asker = stranger();
    const first = await concerns.report(id, asker);
    const again = await concerns.report(id, asker);
    expect([again.status, again.body.id]).toEqual([200, first.body.id]);
    const more = await concerns.report(id, asker, { reason: 'copied', text: 'And copied it is, too.' });
    expect([more.status, more.body.code]).toEqual([409, 'concern_already_open']);
    expect((await concerns.report(id, stranger())).status).toBe(201);
    expect((await concerns.report(id, { ...asker, key: other })).status).toBe(201);
    await concerns.decide(first.body.id, { decision: 'dismissed', note: 'No.' });
    expect((await concerns.report(id, asker)).status).toBe(201);
  });

  it('has one concern, also if many arrive at the same time', async () => {
    const { id } = await submit();
    const asker = stranger();
    const seen = await Promise.all(Array.from({ length: 6 }, () => concerns.report(id, asker)));
    expect(seen.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 201]);
    expect(new Set(seen.map(({ body }) => body.id)).size).toBe(1);
  });

  it('can report ten a day; repetitions and rejections do not count', async () => {
    const asker = stranger();
    const submissions = [];
    for (let i = 0; i < 11; i += 1) submissions.push((await submit()).id);
    for (const [at, id] of submissions.slice(0, 10).entries()) {
      const { status, headers } = await concerns.report(id, asker);
      expect(status).toBe(201);
      expect(headers.get('ratelimit')).toMatch(new RegExp(`"concerns";r=${9 - at};t=\\d+`));
      expect((await concerns.report(id, asker)).status).toBe(200);
      expect((await concerns.report(id, asker, {})).status).toBe(422);
    }
    const [, last = ''] = submissions.slice(9);
    const refused = await concerns.report(last, asker);
    expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.headers.get('ratelimit-policy')).toContain('"concerns";q=10;w=86400');
    // Each key has a separate quota, and admins have none.
    expect((await concerns.report(last, { ...asker, key: other })).headers.get('ratelimit')).toContain('"concerns"');
    const byAdmin = await concerns.report(last, { ...asker, key: adminKey });
    expect([byAdmin.status, byAdmin.headers.get('ratelimit')]).toEqual([201, null]);
  });

  // Otherwise a reporter could register again after using up a quota.
  it('with a new account is also counted by address', async () => {
    const { from } = stranger();
    const register = async (name: string) => {
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ name }) };
      const { key } = (await (await app.request('/v1/accounts', init, from)).json()) as { key: { key: string } };
      return key.key;
    };
    const left = async (key: string) => {
      const { headers } = await concerns.report((await submit()).id, { key, from });
      return [...(headers.get('ratelimit') ?? '').matchAll(/"concerns";r=(\d+)/g)].map((match) => match[1]);
    };
    expect(await left(await register('one'))).toEqual(['9']);
    // The new account has 9 left, its address has 8.
    expect(await left(await register('two'))).toEqual(['8']);
  });

  it('gets the stored response again for the same Idempotency-Key', async () => {
    const { id } = await submit();
    const asker = { key: other, headers: { 'idempotency-key': 'concern-1' } };
    const first = await concerns.report(id, asker);
    await concerns.decide(first.body.id, { decision: 'dismissed', note: 'No.' });
    const replayed = await concerns.report(id, asker);
    expect([replayed.status, replayed.body]).toEqual([201, first.body]);
    expect(replayed.headers.get('idempotency-replayed')).toBe('true');
    const reused = await concerns.report(id, asker, { reason: 'spam', text: 'Other words.' });
    expect([reused.status, reused.body.code]).toEqual([422, 'idempotency_key_reused']);
  });

  it('without a key leaves no readable address, and no trace of it after the decision', async () => {
    const { id } = await submit();
    const { from } = stranger();
    const { body } = await concerns.report(id, { from });
    const { sql } = app.deps.database;
    const tables = await sql<{ name: string }[]>`select tablename as name from pg_tables where schemaname = 'public'`;
    for (const { name } of tables) {
      const [row] = await sql`select count(*)::int as n from ${sql(name)} t where t::text like ${`%${from}%`}`;
      expect([name, row?.n]).toEqual([name, 0]);
    }
    const hashOf = async () => (await sql`select reporter_hash from concerns where id = ${body.id}`)[0]?.reporter_hash;
    expect(await hashOf()).toMatch(/^[0-9a-f]{64}$/);
    await concerns.decide(body.id, { decision: 'dismissed', note: 'No.' });
    expect(await hashOf()).toBeNull();
  });

  it('on a page is the visitor, and only the site can send the address', async () => {
    const { id } = await submit();
    const { from } = stranger();
    const { body } = await concerns.report(id, { from });
    const same = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ reason: body.reason, text: body.text }),
    };
    const path = `http://inferboard.test/v1/submissions/${id}/concerns`;
    const respond = (_: Request, api: { fetch(request: Request): Response | Promise<Response> }) =>
      Promise.resolve(api.fetch(new Request(path, same)));
    const withSite = createApp(app.deps, { respond });
    const peer = (address: string) => ({ incoming: { socket: { remoteAddress: address } } });
    const byPage = await withSite.request('/submissions/x', {}, peer(from));
    expect([byPage.status, ((await byPage.json()) as Concern).id]).toEqual([200, body.id]);

    const siteKey = 'a-key-that-both-know-0123456789';
    const admitted = admitSite(createApp(app.deps), siteKey);
    const claim = (key: string) =>
      admitted.request(
        path,
        { ...same, headers: { ...same.headers, [siteKeyHeader]: key, [visitorHeader]: from } },
        peer('198.51.100.7'),
      );
    expect((await claim(siteKey)).status).toBe(200);
    expect((await claim('a-key-that-nobody-knows-12345')).status).toBe(201);
  });
});
