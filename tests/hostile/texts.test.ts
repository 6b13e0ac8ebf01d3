import { beforeAll, expect, it } from 'vitest';
import { hashKey } from '../../apps/api/src/accounts/keys.ts';
import { adminKey, useTestApp } from '../../apps/api/src/testing/index.ts';
import { createSigner } from '../../apps/api/src/testing/signing.ts';
import { insertClaim } from '../../packages/db/src/accounts/claim.ts';
import { type Operation, operationsOf } from '../contract-fuzz/document.ts';
import { expectRule, nativeReport, type Seen, see, sglangLine } from '../support/hostile.ts';
import { putText, readDocument, type TextField, textFieldsOf } from './text-fields.ts';
import { hostileWords } from './words.ts';

// Hostile texts in all text fields of the OpenAPI document: each is rejected with the reason or stored unchanged.
// `texts-shown.test.ts` checks how pages and files show the stored ones.

const app = useTestApp({ sampleData: true, allowCidrs: ['127.0.0.0/8'] });
const document = readDocument();
const operations = operationsOf(document);
const fields = operations.flatMap((operation) => textFieldsOf(operation, document));
/** `npm run test:fresh` sends all texts to the fields of bodies, other runs every sixth. */
const sampled = process.env.TEST_RUNS === undefined ? 6 : 1;
const texts = hostileWords.map(({ text }) => text);

interface Example {
  query?: Record<string, string>;
  body?: unknown;
  /** An artifact that is not native JSON. */
  artifact?: string;
}

/** Other required fields of a change, so that only the text can cause an error. */
const examples: Record<string, Example> = {
  createSubmission: {
    query: { dry_run: 'true', model: 'unspecified', gpu: 'unspecified', quantization: 'bf16' },
    artifact: sglangLine(),
  },
  reviewSubmission: { body: { decision: 'keep', note: 'looked at' } },
  addToCatalogue: {
    body: {
      kind: 'model',
      id: 'acme-tune-8b',
      facts: { name: 'Acme Tune 8B', developer: 'Acme', base: 'llama-3.1-8b' },
    },
  },
  retractSubmission: { body: { reason: 'a mistake' } },
  createConcern: { body: { reason: 'other', text: 'It cannot be.' } },
  answerConcern: { body: { text: 'It can.' } },
  decideConcern: { body: { decision: 'dismissed', note: 'It may be.' } },
  cancelRun: { body: { publish: 'finished' } },
  createAccount: { body: { name: 'somebody' } },
  vouchAccount: { body: { note: 'They benchmark our cluster.' } },
  createKey: { body: { scopes: ['submit'], name: 'ci runner' } },
  createSession: { body: {} },
  claimSubmission: { body: { token: 'ibc_nobody' } },
  replacePrices: {
    body: {
      as_of: '2026-11-01',
      source: { title: 'Our contract', url: 'https://example.com/prices' },
      tiers: { ours: 'What we pay' },
      default_tier: 'ours',
      gpus: { h100: { ours: 2.1 } },
    },
  },
  createEndpoint: { body: { name: 'a node', base_url: 'http://127.0.0.1:64998/v1', model: 'tiny' } },
  createWebhook: { body: { url: 'http://127.0.0.1:64998/hook', events: ['run.ended'] } },
};

/** Existing ids, by the start of the path. */
const ids: Record<string, string> = {};

const ask = (operation: Operation, path: string, example: Example, headers: Record<string, string> = {}) => {
  const { body, artifact, query = {} } = example;
  const search = new URLSearchParams(query).toString();
  return see(app.request, search === '' ? path : `${path}?${search}`, {
    method: operation.method,
    headers: {
      authorization: `Bearer ${adminKey}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(operation.method !== 'GET' && { body: artifact ?? (body === undefined ? null : JSON.stringify(body)) }),
  });
};

const idOf = ({ path }: Operation) => ids[path.replace(/^\/v1\//, '').split('/')[0] ?? ''] ?? 'nobody';
const pathOf = (operation: Operation) =>
  operation.path.replace('{kind}', 'models').replace('{id}', () => idOf(operation));

/** An example with a text in one of its fields. */
function fill({ operation, place, name }: TextField, text: string) {
  const example = examples[operation.operationId] ?? {};
  if (place === 'query')
    return ask(operation, pathOf(operation), { ...example, query: { ...example.query, [name]: text } });
  if (place === 'body')
    return ask(operation, pathOf(operation), { ...example, body: putText(example.body, name, text) });
  if (place === 'path')
    return ask(operation, operation.path.replace(`{${name}}`, encodeURIComponent(text.toWellFormed())), example);
  return ask(operation, pathOf(operation), example, { [name]: text });
}

async function create(operationId: string, body: unknown): Promise<{ id: string; [name: string]: unknown }> {
  const operation = operations.find((one) => one.operationId === operationId);
  if (operation === undefined) throw new Error(`no ${operationId}`);
  const seen = await ask(operation, operation.path, { body });
  expect(seen.status, seen.text).toBe(201);
  return JSON.parse(seen.text);
}

beforeAll(async () => {
  const held = await app.submit(nativeReport({ system: { gpu: 'Frobnicator 9000' } }), {}, adminKey);
  const { id, results } = (await held.json()) as { id: string; results: { system: { id: string } }[] };
  ids.submissions = id;
  ids.systems = results[0]?.system.id ?? '';
  await insertClaim(app.deps.database.db, {
    submissionId: id,
    hash: hashKey('ibc_nobody'),
    expiresAt: '2099-01-01T00:00:00Z',
  });
  await app.submit(nativeReport({ system: { gpu: 'Frobnicator 7000' } }), {}, adminKey);
  examples.reviewHeldName = { body: { fact: 'gpu', name: 'Frobnicator 7000', decision: 'keep', note: 'looked at' } };
  ids.concerns = await reportConcern();
  const me = await app.request('/v1/me', { headers: { authorization: `Bearer ${adminKey}` } });
  const { account } = (await me.json()) as { account: { id: string } };
  examples.createSigningKey = { body: createSigner().bodyFor(account.id) };
  ids.accounts = (await create('createAccount', { name: 'a newcomer' })).id;
  const endpoint = await create('createEndpoint', putText(examples.createEndpoint?.body, '/name', 'the node'));
  ids.endpoints = endpoint.id;
  const run = { endpoint_id: endpoint.id, plan: [{ scenario: 'chatbot', load: { mode: 'concurrency', level: 1 } }] };
  ids.runs = (await create('createRun', run)).id;
  examples.createRun = { body: run };
  examples.createSchedule = { body: { ...run, cron: '30 3 * * MON', time_zone: 'UTC' } };
  ids.schedules = (await create('createSchedule', examples.createSchedule.body)).id;
  ids.webhooks = (await create('createWebhook', examples.createWebhook?.body)).id;
  const init = { method: 'POST', headers: { authorization: `Bearer ${adminKey}` } };
  ids.deliveries = ((await (await app.request(`/v1/webhooks/${ids.webhooks}/test`, init)).json()) as { id: string }).id;
});

/** A concern about a separate submission. */
async function reportConcern(): Promise<string> {
  const doubted = await app.submit(nativeReport({ system: { gpu: 'Frobnicator 8000' } }), {}, adminKey);
  const { id } = (await doubted.json()) as { id: string };
  const init = { method: 'POST', headers: { 'content-type': 'application/json', authorization: `Bearer ${adminKey}` } };
  const body = JSON.stringify(examples.createConcern?.body);
  return ((await (await app.request(`/v1/submissions/${id}/concerns`, { ...init, body })).json()) as { id: string }).id;
}

/** Rules for every response, for any text. */
function expectAnswer(seen: Seen, operation: Operation): void {
  expectRule(seen);
  const type = seen.headers.get('content-type') ?? '';
  expect(seen.headers.get('x-content-type-options')).toBe('nosniff');
  expect(seen.headers.get('set-cookie')).toBeNull();
  // The response type is never one that a browser renders as a page.
  expect(type).not.toMatch(/html|xhtml|javascript/);
  if (seen.status >= 400) expect(type).toMatch(/^application\/problem\+json/);
  else if (operation.method !== 'GET' && seen.text !== '') expect(() => JSON.parse(seen.text)).not.toThrow();
}

/** Deletes objects whose number per account is limited. */
async function discard(operation: Operation, seen: Seen): Promise<void> {
  const location = seen.status === 201 ? seen.headers.get('location') : null;
  if (location === null) return;
  const path = new URL(location, 'http://a').pathname;
  const headers = { authorization: `Bearer ${adminKey}` };
  const how = operation.operationId === 'createRun' ? [`${path}/cancel`, 'POST'] : [path, 'DELETE'];
  await app.request(how[0] ?? '', { method: how[1] ?? '', headers });
}

/** Headers can contain only Latin-1 characters. */
const isSendable = ({ place }: TextField, text: string) => place !== 'header' || /^[\x20-\x7e]+$/.test(text);

/** Requests that together send all texts to a field. A list can hold many texts at once. */
function* requestsOf(field: TextField): Generator<[shown: string, ask: () => Promise<Seen>]> {
  if (!field.isRepeatable) {
    // For fields that are not stored, a smaller sample suffices. Each field gets another one.
    const share = sampled * { header: 16, path: 4, query: 2, body: 1 }[field.place];
    const some = texts.filter((_, at) => at % share === fields.indexOf(field) % share);
    for (const text of some) if (isSendable(field, text)) yield [text, () => fill(field, text)];
    return;
  }
  for (let at = 0; at < texts.length; at += 64) {
    const query = new URLSearchParams(texts.slice(at, at + 64).map((text) => [field.name, text]));
    yield [`texts from ${at} on`, () => see(app.request, `${pathOf(field.operation)}?${query}`)];
  }
}

it('has enough texts and fields', () => {
  expect(new Set(texts).size).toBeGreaterThan(100);
  expect(fields.filter(({ operation }) => operation.method !== 'GET').length).toBeGreaterThan(40);
  expect(fields.length).toBeGreaterThan(200);
});

const withBody = operations.filter(({ requestBody }) => requestBody !== undefined);
it.each(withBody.map((operation) => [operation.operationId, operation] as const))(
  '%s accepts its example',
  async (_, operation) => {
    const example = examples[operation.operationId];
    expect(example, 'an operation with a body needs an example here').toBeDefined();
    const seen = await ask(operation, pathOf(operation), example ?? {});
    expect(seen.status, seen.text).toBeLessThan(300);
    await discard(operation, seen);
  },
);

const withText = operations.filter((operation) => fields.some((field) => field.operation === operation));
it.each(withText.map((operation) => [operation.operationId, operation] as const))(
  '%s treats hostile texts as text, in every field',
  async (_, operation) => {
    const faults: string[] = [];
    for (const field of fields.filter((one) => one.operation === operation)) {
      for (const [shown, ask] of requestsOf(field)) {
        const seen = await ask();
        await discard(operation, seen);
        try {
          expectAnswer(seen, operation);
        } catch (error) {
          const why = error instanceof Error ? error.message : String(error);
          faults.push(`${field.place} ${field.name}: ${JSON.stringify(shown.slice(0, 80))}: ${why}`);
        }
      }
    }
    expect(faults).toEqual([]);
  },
);
