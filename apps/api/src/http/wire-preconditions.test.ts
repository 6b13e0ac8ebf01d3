import { describe, expect, it } from 'vitest';
import { adminKey, answerOf, useTestApp } from '../testing/index.ts';
import { useSubmissions } from '../testing/submissions.ts';

const app = useTestApp();
const { make, change, tagOf } = useSubmissions(app);
const get = (path: string, headers: Record<string, string> = {}) => app.request(path, { headers });

describe('If-Match', () => {
  const reason = { reason: 'a mistake' };
  const expectChanged = async (response: Response) => {
    expect(response.status).toBe(412);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(await response.json()).toMatchObject({ code: 'precondition_failed', status: 412 });
  };

  it('allows a change if the resource is unchanged, regardless of its encoding', async () => {
    for (const coding of ['identity', 'gzip', 'br']) {
      const own = await make();
      const tag = await tagOf(`/v1/submissions/${own}`, { 'accept-encoding': coding });
      expect((await change(own, 'retract', reason, { 'if-match': `"other", ${tag}` })).status).toBe(200);
    }
    const own = await make();
    expect((await change(own, 'retract', reason, { 'if-match': '*' })).status).toBe(200);
  });

  it('rejects a change otherwise, and changes nothing; weak tags never match', async () => {
    const own = await make();
    const tag = await tagOf(`/v1/submissions/${own}`);
    for (const sent of ['"other"', `W/${tag}`, 'junk', ''])
      await expectChanged(await change(own, 'retract', reason, { 'if-match': sent }));
    expect(await tagOf(`/v1/submissions/${own}`)).toBe(tag);
  });

  it('rejects a review if another admin decided in the meantime', async () => {
    const held = await make({ gpu: 'Frobnicator 1' });
    const tag = await tagOf(`/v1/submissions/${held}`);
    const keep = (note: string, headers = {}) => change(held, 'review', { decision: 'keep', note }, headers);
    expect((await keep('first', { 'if-match': tag })).status).toBe(200);
    await expectChanged(await keep('second', { 'if-match': tag }));
    expect((await keep('third')).status).toBe(200);
    const now = await tagOf(`/v1/submissions/${held}`);
    const both = await Promise.all(['fourth', 'fifth'].map((note) => keep(note, { 'if-match': now })));
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 412]);
  });

  it('returns the same error to clients without access and for missing resources', async () => {
    const own = await make();
    const stranger = await app.createAccount(crypto.randomUUID());
    expect((await change(own, 'retract', reason, { 'if-match': '"x"' }, stranger)).status).toBe(403);
    expect((await change('sub_0', 'retract', reason, { 'if-match': '"x"' })).status).toBe(404);
  });

  it('protects the revocation of a key', async () => {
    const key = await app.createAccount('careful');
    const as = { authorization: `Bearer ${key}` };
    const made = await app.request('/v1/keys', {
      method: 'POST',
      headers: { ...as, 'content-type': 'application/json' },
      body: '{}',
    });
    const path = `/v1/keys/${(await answerOf(made)).id}`;
    const read = await get(path, as);
    expect(read.headers.get('cache-control')).toBe('private, no-cache');
    expect(read.headers.get('vary')).toMatch(/authorization/i);
    expect(await read.json()).toMatchObject({ id: path.slice(9), revoked_at: null });
    const tag = read.headers.get('etag') ?? '';
    const revoke = (headers: Record<string, string>) =>
      app.request(path, { method: 'DELETE', headers: { ...as, ...headers } });
    await expectChanged(await revoke({ 'if-match': '"other"' }));
    await expectChanged(await revoke({ 'if-match': `W/${tag}` }));
    expect((await revoke({ 'if-match': tag })).status).toBe(204);
    await expectChanged(await revoke({ 'if-match': tag }));
    expect((await revoke({})).status).toBe(404);
    const stranger = { authorization: `Bearer ${await app.createAccount('curious')}` };
    expect((await get(path, stranger)).status).toBe(404);
    expect((await get(path)).status).toBe(401);
    expect((await get(path, { authorization: `Bearer ${adminKey}` })).status).toBe(200);
  });
});
