import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKey, hashKey } from '../../apps/api/src/accounts/keys.ts';
import { createSigner } from '../../apps/api/src/testing/signing.ts';
import { findAccountByName, insertKey, revokeKey, type Scope, scopes } from '../../packages/db/src/accounts/account.ts';
import { insertClaim } from '../../packages/db/src/accounts/claim.ts';
import { createDatabase, type Database } from '../../packages/db/src/connection/client.ts';
import { createTestDatabase } from '../../packages/db/src/testing/index.ts';
import { changes, readSecrets, readState } from '../support/database-state.ts';
import { nativeReport } from '../support/hostile.ts';
import { casesOf, isVolatile, leaksIn, type Seen } from '../support/key-cases.ts';
import {
  addressOf,
  collectionOf,
  type Example,
  listOperations,
  listRoutes,
  missingExample,
  type Operation,
} from '../support/operations.ts';
import { adminKey, createAccount, startAt, type TestServer } from '../support/server.ts';

// Tests every operation of the OpenAPI document with every kind of key that must not have access. New operations are included
// automatically. The tables below provide bodies, queries and ids that some operations need.

const json = 'application/json';
/** Known only to the owner; must not be in responses to others. */
const privateWord = 'words-of-the-owner-alone';

/** Secret of a model server; must not be in any response. */
const endpointKey = 'sk-of-the-endpoint-0123456789';

/** No server listens there. */
const nodeUrl = 'http://127.0.0.1:64998/v1';

/** Secret, because the URL of a webhook can contain a token of its receiver. */
const hookUrl = 'https://ci.example.com/hooks/of-the-owner-alone';

/** Bodies by operation. They are valid, so that only the key can cause an error. */
const examples: Record<string, Example> = {
  replacePrices: {
    body: JSON.stringify({
      as_of: '2026-11-01',
      source: { title: 'Our contract', url: 'https://example.com/prices' },
      tiers: { ours: 'What we pay' },
      default_tier: 'ours',
      gpus: { h100: { ours: 2.1 } },
    }),
    contentType: json,
  },
  createSubmission: { body: nativeReport({ system: { gpu: 'Frobnicator 1' } }), contentType: json },
  reviewSubmission: { body: JSON.stringify({ decision: 'keep', note: 'looked at' }), contentType: json },
  reviewHeldName: {
    body: JSON.stringify({ fact: 'gpu', name: 'Frobnicator 7', decision: 'keep', note: 'looked at' }),
    contentType: json,
  },
  addToCatalogue: {
    body: JSON.stringify({ kind: 'engine', id: 'hyperserve', facts: { name: 'HyperServe' } }),
    contentType: json,
  },
  retractSubmission: { body: JSON.stringify({ reason: 'a mistake' }), contentType: json, isOfPublic: true },
  claimSubmission: { body: JSON.stringify({ token: 'ibc_nobody' }), contentType: json },
  createSession: { body: '{}', contentType: json },
  cancelRun: { body: JSON.stringify({ publish: 'finished' }), contentType: json },
  vouchAccount: { body: JSON.stringify({ note: 'They are known.' }), contentType: json },
  createConcern: { body: JSON.stringify({ reason: 'other', text: 'It cannot be.' }), contentType: json },
  listSubmissionConcerns: { isMoreToOwner: true },
  answerConcern: { body: JSON.stringify({ text: 'It can.' }), contentType: json },
  decideConcern: { body: JSON.stringify({ decision: 'dismissed', note: 'It may be.' }), contentType: json },
  createAccount: { body: JSON.stringify({ name: privateWord }), contentType: json },
  createKey: { body: JSON.stringify({ scopes: ['submit'] }), contentType: json },
  createEndpoint: {
    body: JSON.stringify({ name: 'a node', base_url: nodeUrl, model: 'tiny', api_key: endpointKey }),
    contentType: json,
  },
  createWebhook: {
    body: JSON.stringify({ url: 'https://ci.example.com/hooks/of-another', events: ['run.ended'] }),
    contentType: json,
  },
};

/** Ids of the owner's objects, by collection, or by operation if it needs a different one. */
const owned: Record<string, string> = {};
const ownedFor = (operation: Operation) => owned[operation.id] ?? owned[collectionOf(operation)] ?? '';

/** A concern that no admin has decided. */
const openWords = 'words-that-wait-for-a-decision';

let database: Database;
let server: TestServer;
let removeDatabase: () => Promise<void>;
const lacking = new Map<string, string>();
const keys = { owner: '', stranger: '', revoked: '', wrongChecksum: '', unknown: '', lacking };
let secrets: string[] = [];
/** Ids of the owner's keys: not secret, but hidden from other accounts. */
let privateIds: string[] = [];

async function addKey(account: string, given: readonly Scope[]): Promise<{ id: string; key: string }> {
  const found = await findAccountByName(database.db, account);
  const key = createKey();
  const id = await insertKey(database.db, {
    accountId: found?.id ?? '',
    hash: hashKey(key),
    lastFour: key.slice(-4),
    scopes: [...given],
  });
  if (id === null) throw new Error('the key is there already');
  return { id, key };
}

async function submit(body: string): Promise<{ id: string; results: { id: string; system: { id: string } }[] }> {
  const response = await fetch(`${server.url}/v1/submissions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keys.owner}` },
    body,
  });
  expect(response.status, 'the owner may submit').toBe(201);
  return (await response.json()) as { id: string; results: { id: string; system: { id: string } }[] };
}

/** The same key with one letter changed: valid format, never issued. */
const misspell = (key: string) => `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`;

beforeAll(async () => {
  const made = await createTestDatabase();
  database = createDatabase(made.url, { poolSize: 4 });
  removeDatabase = () => made.drop();
  const settings = {
    SAMPLE_DATA: 'false',
    ROLES: 'api',
    SECRET_KEY: 'a secret key of sixteen or more',
    ENDPOINT_ALLOW_CIDRS: '127.0.0.1/32',
  };
  server = await startAt({ env: { DATABASE_URL: made.url }, remove: made.drop }, settings);

  keys.owner = await createAccount(server.url, 'owner');
  keys.stranger = await createAccount(server.url, 'stranger');
  for (const scope of scopes) {
    const rest = scopes.filter((one) => one !== scope && one !== 'admin');
    lacking.set(scope, (await addKey('owner', rest)).key);
  }
  const revoked = await addKey('owner', scopes);
  await revokeKey(database.db, revoked.id, null);
  keys.revoked = revoked.key;
  keys.wrongChecksum = misspell(keys.owner);
  keys.unknown = createKey();

  // Quarantined, so that the review queue is not empty.
  const submission = await submit(nativeReport({ system: { gpu: 'Frobnicator 9000' } }));
  const systemId = submission.results[0]?.system.id ?? '';
  Object.assign(owned, { '/v1/submissions': submission.id, '/badges/submissions': submission.id });
  owned['/v1/results'] = submission.results[0]?.id ?? '';
  Object.assign(owned, { '/v1/systems': systemId, '/badges/systems': systemId });
  examples.compareSystems = { query: `system=${systemId}&system=${await anotherSystem()}` };
  examples.getHistory = { query: `system=${systemId}` };
  examples.getTrend = { query: `system=${systemId}` };
  examples.searchAll = { query: 'q=llama' };
  owned['/v1/accounts'] = (await findAccountByName(database.db, 'owner'))?.id ?? '';
  owned['/v1/keys'] = (await addKey('owner', ['submit'])).id;
  const signingKey = () => createSigner().bodyFor(owned['/v1/accounts'] ?? '');
  owned['/v1/signing-keys'] = (await make('/v1/signing-keys', signingKey())).id;
  examples.createSigningKey = { body: JSON.stringify(signingKey()), contentType: json, isOfOwner: true };
  await makeConcerns(submission.id);
  // A separate account, because reporters can read their own concerns.
  owned.createConcern = (await submit(nativeReport({ system: { gpu: 'Frobnicator 3' } }))).id;
  await submit(nativeReport({ system: { gpu: 'Frobnicator 7' } }));

  owned['/v1/admin/catalogue'] = await addEntry();
  const endpoint_id = await register();
  owned['/v1/endpoints'] = endpoint_id;
  await makeRuns(endpoint_id);
  const webhook = await make('/v1/webhooks', { url: hookUrl, events: ['run.ended'] });
  owned['/v1/webhooks'] = webhook.id;
  owned['/v1/deliveries'] = (await make(`/v1/webhooks/${webhook.id}/test`, {})).id;

  const { lacking: _, ...others } = keys;
  const given = [...Object.values(others), ...lacking.values(), adminKey, endpointKey, webhook.secret ?? ''];
  secrets = [...new Set([...given, ...given.map(hashKey), ...(await readSecrets(database.sql))])];
  privateIds = [owned['/v1/keys'], ...(await idsOfOwnersKeys()), privateWord, hookUrl];
});

afterAll(async () => {
  await server?.stop();
  await database?.close();
  await removeDatabase?.();
});

/** A pending concern, which is not public, and a decided one. */
async function makeConcerns(submission: string): Promise<void> {
  const report = (text: string, key: string) =>
    fetch(`${server.url}/v1/submissions/${submission}/concerns`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': json },
      body: JSON.stringify({ reason: 'spam', text }),
    });
  const [open, decided] = await Promise.all([report(openWords, adminKey), report('It is none.', keys.owner)]);
  owned['/v1/concerns'] = ((await open.json()) as { id: string }).id;
  const { id } = (await decided.json()) as { id: string };
  owned.getConcern = id;
  const response = await fetch(`${server.url}/v1/concerns/${id}/decision`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': json },
    body: JSON.stringify({ decision: 'dismissed', note: 'It is one.' }),
  });
  expect(response.status, 'an admin may decide').toBe(200);
}

/** An unused entry of the catalogue. */
async function addEntry(): Promise<string> {
  const response = await fetch(`${server.url}/v1/admin/catalogue`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': json },
    body: JSON.stringify({ kind: 'engine', id: 'left-again', facts: { name: 'Left Again' } }),
  });
  expect(response.status, 'an admin may add').toBe(201);
  return ((await response.json()) as { id: string }).id;
}

async function register(): Promise<string> {
  const response = await fetch(`${server.url}/v1/endpoints`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keys.owner}`, 'content-type': json },
    body: JSON.stringify({ name: privateWord, base_url: nodeUrl, model: 'tiny', api_key: endpointKey }),
  });
  expect(response.status, 'the owner may register').toBe(201);
  return ((await response.json()) as { id: string }).id;
}

async function make(path: string, body: object): Promise<{ id: string; secret?: string }> {
  const response = await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keys.owner}`, 'content-type': json },
    body: JSON.stringify(body),
  });
  expect([201, 202], `the owner may POST ${path}`).toContain(response.status);
  return (await response.json()) as { id: string; secret?: string };
}

/** A finished run, so that its event stream ends, and the plan of further runs. */
async function makeRuns(endpoint_id: string): Promise<void> {
  const run = { endpoint_id, plan: [{ scenario: 'chatbot', load: { mode: 'concurrency', level: 1 } }] };
  const schedule = { ...run, cron: '30 3 * * MON' };
  const { id } = await make('/v1/runs', run);
  const headers = { authorization: `Bearer ${keys.owner}` };
  await fetch(`${server.url}/v1/runs/${id}/cancel`, { method: 'POST', headers });
  Object.assign(owned, { '/v1/runs': id, '/v1/schedules': (await make('/v1/schedules', schedule)).id });
  examples.createRun = { body: JSON.stringify(run), contentType: json, isOfOwner: true };
  examples.createSchedule = { body: JSON.stringify(schedule), contentType: json, isOfOwner: true };
}

const anotherSystem = async () =>
  (await submit(nativeReport({ system: { gpu: 'Frobnicator 2' } }))).results[0]?.system.id;

async function idsOfOwnersKeys(): Promise<string[]> {
  const answer = await ask({ method: 'GET', path: '/v1/keys', key: keys.owner });
  return (JSON.parse(answer.text) as { data: { id: string }[] }).data.map(({ id }) => id);
}

const volatile = new Set(['date', 'x-request-id', 'keep-alive', 'connection', 'ratelimit', 'ratelimit-policy']);

async function ask(question: {
  method: string;
  path: string;
  key: string | null;
  example?: Example;
  scheme?: string;
}): Promise<Seen> {
  const { method, path, key, example, scheme = 'Bearer' } = question;
  const isWrite = method !== 'GET' && method !== 'HEAD';
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: {
      ...(key !== null && { authorization: `${scheme} ${key}` }),
      ...(example?.contentType && isWrite && { 'content-type': example.contentType }),
    },
    body: isWrite && example?.body !== undefined ? example.body : null,
  });
  const headers = [...response.headers]
    .filter(([name]) => !volatile.has(name))
    .map(([name, value]) => `${name}: ${value}`);
  return { status: response.status, text: await response.text(), headers, allHeaders: response.headers };
}

const operations = listOperations();
/** Every operation, and HEAD for every GET, which must reject the same clients. */
const questions = operations.flatMap((operation) =>
  operation.method === 'GET' ? [operation, { ...operation, method: 'HEAD' }] : [operation],
);
const tally = { cases: 0, leaks: 0 };

const named = (some: readonly Operation[]) =>
  some.map((operation) => [`${operation.method} ${operation.template}`, operation] as const);
const secured = operations.filter((operation) => operation.scopes !== null);
/** Deletions run after all other operations on an object. */
const inOrderOfUse = secured.toSorted((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));

it.each(named(questions))('%s rejects keys without access', async (_, operation) => {
  const example = examples[operation.id] ?? {};
  expect(missingExample(operation, example, owned)).toBeNull();
  const path = addressOf(operation, example, ownedFor(operation));
  const reference = operation.scopes === null ? await ask({ ...operation, path, key: null, example }) : null;
  const found: string[] = [];
  for (const { name, key, scheme = 'Bearer', expected } of casesOf(operation, keys, example)) {
    const before = await readState(database.sql);
    const seen = await ask({ ...operation, path, key, scheme, example });
    const { gone, came } = changes(before, await readState(database.sql));
    const leaks = leaksIn(seen, expected, {
      reference,
      moves: isVolatile(operation),
      secrets: [...secrets, ...privateIds, ...(expected === 'own' ? [] : [openWords])],
    });
    if (operation.method === 'HEAD' && seen.text !== '') leaks.push('answers HEAD with a body');
    const mayCome = expected === 'own' || expected === 'open';
    if (gone.length > 0 || (came.length > 0 && !mayCome)) leaks.push(`changes ${[...gone, ...came].join(', ')}`);
    tally.cases += 1;
    found.push(...leaks.map((leak) => `${name}: ${leak}`));
  }
  tally.leaks += found.length;
  expect(found).toEqual([]);
});

// Otherwise, different errors would reveal whether an object exists.
it.each(named(secured.filter(({ id, template }) => template.includes('{') && examples[id]?.isOfPublic !== true)))(
  '%s has the same response for objects of other accounts and missing objects',
  async (_, operation) => {
    const example = examples[operation.id] ?? {};
    const id = ownedFor(operation);
    const nobodys = `${id.slice(0, 4)}${id.slice(4).replace(/[0-9a-f]/g, (digit) => (digit === '0' ? '1' : '0'))}`;
    const answers = [];
    for (const one of [id, nobodys]) {
      const seen = await ask({ ...operation, path: addressOf(operation, example, one), key: keys.stranger, example });
      const { request_id: _requestId, ...problem } = JSON.parse(seen.text) as Record<string, unknown>;
      answers.push({ status: seen.status, problem: JSON.stringify(problem).replaceAll(one, 'ID') });
    }
    expect(answers[0]).toEqual(answers[1]);
  },
);

it('a key creates no key with more permissions than itself', async () => {
  const before = await readState(database.sql);
  for (const wanted of [['admin'], ['submit', 'admin'], ['submit']]) {
    const example = { body: JSON.stringify({ scopes: wanted }), contentType: json };
    const seen = await ask({ method: 'POST', path: '/v1/keys', key: lacking.get('submit') ?? '', example });
    expect(seen.status, wanted.join()).toBe(403);
  }
  expect(await readState(database.sql)).toEqual(before);
});

// Proves that only the key caused the errors above. Runs last, because it consumes its objects.
it.each(named(inOrderOfUse))('%s accepts keys with access', async (_, operation) => {
  const example = examples[operation.id] ?? {};
  const path = addressOf(operation, example, ownedFor(operation));
  const isForAdmins = operation.scopes?.includes('admin') ?? false;
  // Any holder of the link can claim; it did not exist before.
  if (operation.id === 'claimSubmission')
    await insertClaim(database.db, {
      submissionId: ownedFor(operation),
      hash: hashKey('ibc_nobody'),
      expiresAt: '2099-01-01T00:00:00Z',
    });
  // The owner has more keys than an account may make, so another makes the new one.
  const maker = operation.id === 'createKey' ? await createAccount(server.url, 'key maker') : keys.owner;
  const seen = await ask({ ...operation, path, key: isForAdmins ? adminKey : maker, example });
  expect(seen.status, seen.text.slice(0, 300)).toBeLessThan(300);
  // Only the account that controls an endpoint sees its verification token.
  const body = JSON.parse(seen.text || '{}') as { proof?: { token: string }; data?: { proof?: { token: string } }[] };
  const proofs = [body, ...(body.data ?? [])].map(({ proof }) => proof?.token);
  expect(secrets.filter((secret) => seen.text.includes(secret) && !proofs.includes(secret))).toEqual([]);
});

describe('the OpenAPI document', () => {
  it('has every route of the API', () => {
    const described = new Set(operations.map(({ method, template }) => `${method} ${template}`));
    const others = listRoutes().filter((route) => !described.has(route));
    expect(others.filter((route) => route.includes('/v1/'))).toEqual([]);
    // MCP queries are reads, for any HTTP method.
    expect(others.filter((route) => !route.startsWith('GET '))).toEqual(['POST /mcp']);
  });

  it('requires a key for every write, with an existing scope', () => {
    const open = operations.filter(({ method, scopes: needed }) => method !== 'GET' && needed === null);
    expect(open.map(({ id }) => id)).toEqual(['createConcern']);
    const asked = new Set(secured.flatMap(({ scopes: needed }) => needed ?? []));
    expect(scopes).toEqual(expect.arrayContaining([...asked]));
  });

  it('describes which key an operation requires', () => {
    for (const { id, description, scopes: needed } of secured) {
      expect(description, id).toMatch(/^Requires a key/);
      for (const scope of needed ?? []) expect(description, id).toContain(`\`${scope}\``);
    }
  });
});

afterAll(() => {
  console.log(
    `${operations.length} operations, ${questions.length} with HEAD, ${tally.cases} cases, ${tally.leaks} leaks`,
  );
});
