import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { adminKey, useTestApp } from '../testing/index.ts';
import { registerSigner } from '../testing/signing.ts';
import { fingerprintOfKey, isSignatureOf, readPublicKey, readSignature } from './ed25519.ts';

const app = useTestApp();

let count = 0;
/** A new artifact with one result. */
function newArtifact(): string {
  count += 1;
  return JSON.stringify({
    schema: 'inferboard/v1',
    system: { model: 'meta-llama/Llama-3.1-8B-Instruct', gpu: 'h100-sxm', gpu_count: 1, quantization: 'bf16' },
    scenario: { input_tokens: 128, output_tokens: 128 },
    results: [{ load: { mode: 'concurrency', level: 8 }, metrics: { output_tok_s: 800 + count / 10 } }],
  });
}

interface Signed {
  key_id: string;
  public_key: string;
  fingerprint: string;
  signature: string;
  verified_at: string;
  key_revoked_at: string | null;
}
interface Answer {
  id: string;
  duplicate: boolean;
  signed: Signed | null;
  code: string;
  errors: { code: string; parameter: string; message: string; hint: string }[];
  results: { trust: string; status: string }[];
}

async function send(
  artifact: string | Uint8Array,
  query: Record<string, string>,
  key: string,
  headers: Record<string, string> = {},
) {
  const response = await app.request(`/v1/submissions?${new URLSearchParams(query)}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, ...headers },
    body: artifact as BodyInit,
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Answer };
}

const stored = (id: string) => app.get<Answer>(`/v1/submissions/${id}`);
const countOf = async () => {
  const [row] = await app.deps.database.sql<{ n: number }[]>`
    select (select count(*) from submissions) + (select count(*) from artifacts)
      + (select count(*) from submission_signatures) as n`;
  return Number(row?.n);
};

describe('a signed submission', () => {
  it('is verified before it is stored, and can be verified again from the stored bytes', async () => {
    const key = await app.createAccount('lab');
    const signer = await registerSigner(app, key);
    const artifact = newArtifact();
    const { status, body } = await send(artifact, signer.parametersOf(artifact), key);
    expect(status).toBe(201);
    expect(body.signed).toEqual({
      key_id: signer.id,
      public_key: signer.publicKey,
      fingerprint: fingerprintOfKey(signer.publicKey),
      signature: signer.sign(artifact),
      verified_at: expect.stringMatching(/Z$/),
      key_revoked_at: null,
    });
    const { signed } = await stored(body.id);
    expect(signed).toEqual(body.signed);
    const bytes = new Uint8Array(await (await app.request(`/v1/submissions/${body.id}/artifact`)).arrayBuffer());
    const [publicKey, signature] = [readPublicKey(signed?.public_key ?? ''), readSignature(signed?.signature ?? '')];
    if (publicKey === null || signature === null) throw new Error('the response has no signature');
    expect(await isSignatureOf(bytes, publicKey, signature)).toBe(true);
    const { data } = await app.get<{ data: Answer[] }>('/v1/submissions?limit=1');
    expect(data[0]?.signed).toEqual(signed);
    const keys = await app.request('/v1/signing-keys', { headers: { authorization: `Bearer ${key}` } });
    expect(((await keys.json()) as { data: object[] }).data).toMatchObject([{ last_used_at: signed?.verified_at }]);
  });

  it('can be a form, and compressed: the signature covers the bytes as sent', async () => {
    const key = await app.createAccount('sends forms');
    const signer = await registerSigner(app, key);
    const artifact = newArtifact();
    const { signing_key, signature } = signer.parametersOf(artifact);
    const form = new FormData();
    form.set('artifact', new File([artifact], 'result.json'));
    form.set('signing_key', signing_key);
    form.set('signature', signature);
    const headers = { authorization: `Bearer ${key}` };
    const response = await app.request('/v1/submissions', { method: 'POST', headers, body: form });
    expect([response.status, ((await response.json()) as Answer).signed?.signature]).toEqual([201, signature]);

    const text = newArtifact();
    const packed = gzipSync(text);
    const refused = await send(packed, signer.parametersOf(text), key);
    expect(refused.body).toMatchObject({ code: 'signature_invalid', errors: [{ code: 'signature_wrong' }] });
    expect(await send(packed, signer.parametersOf(packed), key)).toMatchObject({
      status: 201,
      body: { signed: { signature: signer.sign(packed) } },
    });
  });

  it('has the same trust and standing as an unsigned one', async () => {
    const key = await app.createAccount('of equal trust');
    const signer = await registerSigner(app, key);
    const [one, other] = [newArtifact(), newArtifact()];
    const signed = await send(one, signer.parametersOf(one), key);
    const unsigned = await send(other, {}, key);
    const standing = ({ body }: typeof signed) => body.results.map(({ trust, status }) => ({ trust, status }));
    expect(standing(signed)).toEqual(standing(unsigned));
    expect(unsigned.body.signed).toBeNull();
  });

  it('is marked in the text format', async () => {
    const key = await app.createAccount('reads texts');
    const signer = await registerSigner(app, key);
    const artifact = newArtifact();
    const query = new URLSearchParams({ ...signer.parametersOf(artifact), format: 'text' });
    const init = { method: 'POST', headers: { authorization: `Bearer ${key}` }, body: artifact };
    const first = await (await app.request(`/v1/submissions?${query}`, init)).text();
    expect(first).toMatch(/^Link: +\S+ \(signed\)$/m);
    const again = await (await app.request(`/v1/submissions?${query}`, init)).text();
    expect(again).toMatch(/^Link: +\S+ \(signed, already submitted\)$/m);
  });

  it('stays signed after its key is revoked, with the revocation time', async () => {
    const key = await app.createAccount('revokes later');
    const signer = await registerSigner(app, key);
    const artifact = newArtifact();
    const { body } = await send(artifact, signer.parametersOf(artifact), key);
    expect((await stored(body.id)).signed?.key_revoked_at).toBeNull();
    await app.request(`/v1/signing-keys/${signer.id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${key}` },
    });
    expect((await stored(body.id)).signed).toEqual({ ...body.signed, key_revoked_at: expect.stringMatching(/Z$/) });
  });
});

describe('an invalid signature stores nothing', () => {
  const wrong: [string, string, (of: Parties) => { artifact: string; query: Record<string, string> }][] = [
    [
      'of changed bytes',
      'signature_wrong',
      ({ mine, artifact }) => ({
        artifact: artifact.replace('"output_tok_s":8', '"output_tok_s":9'),
        query: mine.parametersOf(artifact),
      }),
    ],
    [
      'of the same bytes with a line break',
      'signature_wrong',
      ({ mine, artifact }) => ({ artifact: `${artifact}\n`, query: mine.parametersOf(artifact) }),
    ],
    [
      "by another account's key",
      'signing_key_unknown',
      ({ theirs, artifact }) => ({ artifact, query: theirs.parametersOf(artifact) }),
    ],
    [
      "by another account's key under the id of an own one",
      'signature_wrong',
      ({ mine, theirs, artifact }) => ({
        artifact,
        query: { signing_key: mine.id, signature: theirs.sign(artifact) },
      }),
    ],
    [
      'of an unknown key',
      'signing_key_unknown',
      ({ mine, artifact }) => ({
        artifact,
        query: { ...mine.parametersOf(artifact), signing_key: `sgk_${'0'.repeat(32)}` },
      }),
    ],
    [
      'of text that is no id',
      'signing_key_unknown',
      ({ mine, artifact }) => ({ artifact, query: { ...mine.parametersOf(artifact), signing_key: "sgk_' or 1=1" } }),
    ],
    [
      'of a revoked key',
      'signing_key_revoked',
      ({ revoked, artifact }) => ({ artifact, query: revoked.parametersOf(artifact) }),
    ],
    [
      'that is malformed',
      'signature_malformed',
      ({ mine, artifact }) => ({ artifact, query: { signing_key: mine.id, signature: 'not base64' } }),
    ],
    [
      'without a key',
      'signature_incomplete',
      ({ mine, artifact }) => ({ artifact, query: { signature: mine.sign(artifact) } }),
    ],
    [
      'that is missing',
      'signature_incomplete',
      ({ mine, artifact }) => ({ artifact, query: { signing_key: mine.id } }),
    ],
  ];
  interface Parties {
    mine: Awaited<ReturnType<typeof registerSigner>>;
    theirs: Parties['mine'];
    revoked: Parties['mine'];
    artifact: string;
  }

  it.each(wrong)('%s: %s', async (name, code, choose) => {
    const [key, other] = await Promise.all([app.createAccount(`mine, ${name}`), app.createAccount(`theirs, ${name}`)]);
    const parties: Parties = {
      mine: await registerSigner(app, key),
      theirs: await registerSigner(app, other),
      revoked: await registerSigner(app, key),
      artifact: newArtifact(),
    };
    await app.request(`/v1/signing-keys/${parties.revoked.id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${key}` },
    });
    const { artifact, query } = choose(parties);
    const before = await countOf();
    for (const dry_run of ['false', 'true']) {
      const refused = await send(artifact, { ...query, dry_run }, key);
      expect(refused).toMatchObject({ status: 422, body: { code: 'signature_invalid', errors: [{ code }] } });
      const [fault] = refused.body.errors;
      expect(['signature', 'signing_key']).toContain(fault?.parameter);
      expect(fault?.hint.length).toBeGreaterThan(20);
    }
    expect(await countOf()).toBe(before);
    // The same bytes without a signature are accepted.
    expect((await send(artifact, {}, key)).status).toBe(201);
  });

  it('by another account for a signed artifact: a copy cannot use its signature', async () => {
    const [mine, theirs] = await Promise.all([app.createAccount('copied'), app.createAccount('copies')]);
    const signer = await registerSigner(app, mine);
    const artifact = newArtifact();
    const query = signer.parametersOf(artifact);
    expect((await send(artifact, query, mine)).body.signed?.key_id).toBe(signer.id);
    expect(await send(artifact, query, theirs)).toMatchObject({
      status: 422,
      body: { errors: [{ code: 'signing_key_unknown' }] },
    });
    // Not even an admin signs for another account.
    expect((await send(artifact, query, adminKey)).status).toBe(422);
    expect((await send(artifact, {}, theirs)).body.signed).toBeNull();
  });
});

describe('a repeated submission', () => {
  it('without the signature returns the signed submission', async () => {
    const key = await app.createAccount('forgets to sign');
    const signer = await registerSigner(app, key);
    const artifact = newArtifact();
    const first = await send(artifact, signer.parametersOf(artifact), key);
    expect(await send(artifact, {}, key)).toMatchObject({
      status: 200,
      body: { id: first.body.id, duplicate: true, signed: first.body.signed },
    });
  });

  it('with a signature signs the unsigned submission; a second signature does not replace it', async () => {
    const key = await app.createAccount('signs later');
    const [signer, next] = [await registerSigner(app, key), await registerSigner(app, key)];
    const artifact = newArtifact();
    const first = await send(artifact, {}, key);
    const dry = await send(artifact, { ...signer.parametersOf(artifact), dry_run: 'true' }, key);
    expect(dry.body.signed?.key_id).toBe(signer.id);
    expect((await stored(first.body.id)).signed).toBeNull();
    const again = await send(artifact, signer.parametersOf(artifact), key);
    expect(again).toMatchObject({ status: 200, body: { id: first.body.id, duplicate: true } });
    expect(again.body.signed?.key_id).toBe(signer.id);
    expect((await stored(first.body.id)).signed).toEqual(again.body.signed);
    expect((await send(artifact, next.parametersOf(artifact), key)).body.signed?.key_id).toBe(signer.id);
  });

  it('with a large artifact is verified before the stored one is looked up', async () => {
    const key = await app.createAccount('sends large ones');
    const signer = await registerSigner(app, key);
    const artifact = `${newArtifact()}${' '.repeat(64 * 1024)}`;
    const first = await send(artifact, {}, key);
    const wrong = { ...signer.parametersOf(artifact), signature: signer.sign('x') };
    expect((await send(artifact, wrong, key)).status).toBe(422);
    expect((await stored(first.body.id)).signed).toBeNull();
    expect((await send(artifact, signer.parametersOf(artifact), key)).body.signed?.key_id).toBe(signer.id);
  });

  it('with an Idempotency-Key is the same request only with the same signature', async () => {
    const key = await app.createAccount('names requests');
    const [signer, next] = [await registerSigner(app, key), await registerSigner(app, key)];
    const artifact = newArtifact();
    const named = { 'idempotency-key': 'signed upload' };
    const refused = await send(artifact, { ...signer.parametersOf(artifact), signature: next.sign('x') }, key, named);
    expect(refused.status).toBe(422);
    const first = await send(artifact, signer.parametersOf(artifact), key, named);
    expect(first).toMatchObject({ status: 201, body: { signed: { key_id: signer.id } } });
    const again = await send(artifact, signer.parametersOf(artifact), key, named);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.body).toEqual(first.body);
    for (const query of [{}, next.parametersOf(artifact)])
      expect(await send(artifact, query, key, named)).toMatchObject({
        status: 422,
        body: { code: 'idempotency_key_reused' },
      });
  });
});

describe('without an account', () => {
  const open = useTestApp({ registration: 'open' });

  it('rejects a signature', async () => {
    const artifact = newArtifact();
    const signer = await registerSigner(open, await open.createAccount('somebody'));
    const query = new URLSearchParams(signer.parametersOf(artifact));
    const refused = await open.request(`/v1/submissions?${query}`, { method: 'POST', body: artifact });
    expect([refused.status, await refused.json()]).toMatchObject([
      422,
      { code: 'signature_invalid', errors: [{ code: 'signature_without_account' }] },
    ]);
    const unsigned = await open.request('/v1/submissions', { method: 'POST', body: artifact });
    expect([unsigned.status, await unsigned.json()]).toMatchObject([201, { signed: null }]);
  });
});
