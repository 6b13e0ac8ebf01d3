import { describe, expect, it } from 'vitest';
import { adminKey, useTestApp } from '../testing/index.ts';
import { createSigner, registerSigner } from '../testing/signing.ts';
import { fingerprintOfKey } from './ed25519.ts';

const app = useTestApp();

interface Key {
  id: string;
  public_key: string;
  fingerprint: string;
  created_at: string;
  last_used_at: string | null;
  revoked_at: string | null;
}
interface Answer extends Key {
  data: Key[];
  signing_keys: Key[];
  code: string;
  detail: string;
  errors: { code: string; pointer: string; hint: string }[];
}

async function ask(key: string | null, path = '/v1/signing-keys', method = 'GET', body?: unknown) {
  const headers = { ...(key && { authorization: `Bearer ${key}` }), 'content-type': 'application/json' };
  const response = await app.request(path, { method, headers, body: JSON.stringify(body) ?? null });
  const text = await response.text();
  return { status: response.status, body: (text === '' ? null : JSON.parse(text)) as Answer };
}

const accountOf = async (key: string) =>
  ((await ask(key, '/v1/me')).body as unknown as { account: { id: string } }).account.id;
const add = (key: string, body: unknown) => ask(key, '/v1/signing-keys', 'POST', body);

describe('signing keys', () => {
  it('are registered, listed, shown on the public account, and revoked', async () => {
    const key = await app.createAccount('signer');
    const account = await accountOf(key);
    const signer = createSigner();
    const made = await add(key, signer.bodyFor(account));
    expect(made).toMatchObject({
      status: 201,
      body: {
        id: expect.stringMatching(/^sgk_[0-9a-f]{32}$/),
        public_key: signer.publicKey,
        fingerprint: fingerprintOfKey(signer.publicKey),
        last_used_at: null,
        revoked_at: null,
      },
    });
    expect((await ask(key)).body.data).toEqual([made.body]);
    expect((await ask(null, `/v1/accounts/${account}`)).body.signing_keys).toEqual([made.body]);
    expect((await ask(key, `/v1/signing-keys/${made.body.id}`, 'DELETE')).status).toBe(204);
    // Earlier signatures refer to it, so it stays visible.
    expect((await ask(key)).body.data).toMatchObject([{ id: made.body.id, revoked_at: expect.any(String) }]);
    expect((await ask(null, `/v1/accounts/${account}`)).body.signing_keys).toMatchObject([
      { id: made.body.id, revoked_at: expect.any(String) },
    ]);
    expect((await ask(key, `/v1/signing-keys/${made.body.id}`, 'DELETE')).status).toBe(404);
  });

  it('are registered once, and not again after a revocation', async () => {
    const key = await app.createAccount('repeating');
    const body = createSigner().bodyFor(await accountOf(key));
    const first = await add(key, body);
    expect(await add(key, body)).toEqual({ status: 200, body: first.body });
    await ask(key, `/v1/signing-keys/${first.body.id}`, 'DELETE');
    expect(await add(key, body)).toMatchObject({ status: 409, body: { code: 'signing_key_revoked' } });
  });

  it('of another account are rejected: the proof names that account', async () => {
    const [mine, theirs] = await Promise.all([app.createAccount('owner of it'), app.createAccount('thief of it')]);
    const signer = createSigner();
    const body = signer.bodyFor(await accountOf(mine));
    expect((await add(mine, body)).status).toBe(201);
    const thief = await accountOf(theirs);
    for (const proof of [body.proof, signer.sign('x'), createSigner().bodyFor(thief).proof, '', 'x'])
      expect(await add(theirs, { ...body, proof })).toMatchObject({
        status: 422,
        body: {
          code: 'signature_invalid',
          errors: [{ code: 'proof_wrong', pointer: '/proof', message: expect.stringContaining(thief) }],
        },
      });
    expect((await ask(theirs)).body.data).toEqual([]);
    // With the private key, another account of the same person may register it.
    expect((await add(theirs, signer.bodyFor(thief))).status).toBe(201);
  });

  it('are Ed25519 keys', async () => {
    const key = await app.createAccount('of other kinds');
    const { proof } = createSigner().bodyFor(await accountOf(key));
    const neutral = Buffer.from(`302a300506032b657003210001${'00'.repeat(31)}`, 'hex').toString('base64');
    for (const public_key of ['', 'ssh-ed25519 AAAA', neutral])
      expect(await add(key, { public_key, proof })).toMatchObject({
        status: 422,
        body: {
          code: 'signature_invalid',
          errors: [{ code: 'public_key_malformed', pointer: '/public_key', hint: expect.stringContaining('openssl') }],
        },
      });
    for (const body of [{}, { public_key: 5, proof }, { public_key: 'x', proof, name: 'y' }])
      expect(await add(key, body)).toMatchObject({ status: 422, body: { code: 'request_invalid' } });
  });

  it('are limited to ten, also if many are added at once, and revoked ones free a place', async () => {
    const key = await app.createAccount('of many keys');
    const account = await accountOf(key);
    const made = await Promise.all(Array.from({ length: 11 }, () => add(key, createSigner().bodyFor(account))));
    expect(made.map(({ status }) => status).sort()).toEqual([...Array(10).fill(201), 409]);
    expect(made.find(({ status }) => status === 409)?.body.code).toBe('signing_keys_too_many');
    const [first] = made.filter(({ status }) => status === 201);
    await ask(key, `/v1/signing-keys/${first?.body.id}`, 'DELETE');
    expect((await add(key, createSigner().bodyFor(account))).status).toBe(201);
  });

  it.each([[['submit']], [['run']], [['submit', 'run']]])('are not changed by a key with only %j', async (scopes) => {
    const owner = await app.createAccount(`narrow signer ${scopes}`);
    const signer = await registerSigner(app, owner);
    const { body: narrow } = (await ask(owner, '/v1/keys', 'POST', { scopes })) as unknown as { body: { key: string } };
    for (const { status, body } of [
      await add(narrow.key, createSigner().bodyFor(await accountOf(owner))),
      await ask(narrow.key, `/v1/signing-keys/${signer.id}`, 'DELETE'),
    ]) {
      expect(status).toBe(403);
      expect(body).toMatchObject({ code: 'scope_missing', detail: expect.stringContaining('"keys"') });
    }
    expect((await ask(narrow.key)).body.data).toMatchObject([{ id: signer.id, revoked_at: null }]);
  });

  it('are revoked only by their account and by admins', async () => {
    const [mine, theirs] = await Promise.all([app.createAccount('mine to sign'), app.createAccount('theirs to sign')]);
    const { id } = await registerSigner(app, mine);
    expect((await ask(null)).status).toBe(401);
    expect((await ask(null, '/v1/signing-keys', 'POST', {})).status).toBe(401);
    expect((await ask(null, `/v1/signing-keys/${id}`, 'DELETE')).status).toBe(401);
    expect((await ask(theirs, `/v1/signing-keys/${id}`, 'DELETE')).status).toBe(404);
    expect((await ask(mine, '/v1/signing-keys/sgk_x', 'DELETE')).status).toBe(404);
    expect((await ask(adminKey, `/v1/signing-keys/${id}`, 'DELETE')).status).toBe(204);
    const acts = await app.deps.database.sql`select act from audit_log where target = ${id}`;
    expect(acts).toEqual([{ act: 'signing_key_revoked' }]);
  });
});
