import { readFile } from 'node:fs/promises';
import { insertClaim } from '@inferboard/db/accounts/claim';
import { beforeAll, describe, expect, it } from 'vitest';
import { hashKey } from '../accounts/keys.ts';
import { additionExamples } from '../catalogue/addition-schema.ts';
import { priceListExample } from '../prices/price-list-schema.ts';
import { concernExamples } from '../reviews/concern-schema.ts';
import { heldNameExample } from '../reviews/held-name-schema.ts';
import { createChecker, follow, readDocument } from '../testing/document.ts';
import { adminKey, answerOf, useTestApp } from '../testing/index.ts';
import { recordMissing, toExample } from '../testing/record.ts';
import { createTestWorker, shortPlan } from '../testing/runs.ts';
import { createSigner, registerSigner } from '../testing/signing.ts';
import type { RecordedAnswers } from './examples.ts';
import { listOperations, type Parameter, type Place } from './types.ts';

// Calls every operation with its examples and triggers every error. Status, headers and body must match the document.

const document = readDocument();
const places = listOperations(document);
const check = createChecker(document);
const app = useTestApp({ sampleData: true, allowCidrs: ['127.0.0.1/32'] });
const startedAt = Date.now();

const asAdmin = { authorization: `Bearer ${adminKey}` };
const json = { ...asAdmin, 'content-type': 'application/json' };

/** Ids by prefix, to replace those in examples. */
const ids: Record<string, string[]> = {
  sub: [],
  sys: [],
  acc: [],
  key: [],
  sgk: [],
  ep: [],
  res: [],
  run: [],
  sch: [],
  whk: [],
  msg: [],
  con: [],
};
let sample = '';

/** A result of a GPU that the catalogue does not have. */
const quarantined = JSON.stringify({
  schema: 'inferboard/v1',
  system: { model: 'gpt-oss-120b', gpu: 'Frobnicator 1', quantization: 'mxfp4' },
  scenario: { input_tokens: 100, output_tokens: 100 },
  results: [{ load: { mode: 'concurrency', level: 8 }, metrics: { output_tok_s: 800 } }],
});
const nameless = quarantined.replace('Frobnicator 1', heldNameExample.name);
/** Three blocks on each of two servers. */
const session = [1, 2, 3]
  .flatMap((repetition) => [
    { repetition, server: 'a', version: '0.11.0', tpot: 10 + repetition / 10 },
    { repetition, server: 'b', version: '0.12.0', tpot: 9 + repetition / 8 },
  ])
  .map(({ repetition, server, version, tpot }) =>
    JSON.stringify({
      ...{ schema: 'inferboard/v1', scenario: 'chatbot' },
      system: { model: 'gpt-oss-120b', gpu: 'h100-sxm', quantization: 'mxfp4', engine: { name: 'vllm', version } },
      results: [
        {
          ...{ load: { mode: 'concurrency', level: 8 }, repetition, metrics: { tpot_ms_mean: tpot } },
          generator: { session: { id: '5f0c1c5e-7a55-4f0e-9d0e-2f4b8a6f3c11', server } },
          observed: {
            started_unix_ms: 1_764_000_000_000 + 60_000 * repetition,
            samples: [0, 1, 2].map((s) => ({
              unixMs: 1_764_000_000_000 + 60_000 * repetition + 1000 * s,
              values: { running: 8, waiting: s, power_w: 640 + s },
            })),
          },
        },
      ],
    }),
  )
  .join('\n');
const newId = async (response: Response) => (await answerOf(response)).id;

/** What an operation needs in addition to its examples: the client, the body, and an id that it may use up. */
interface Needs {
  init: RequestInit;
  id?: string;
  query?: Record<string, string>;
}
/** A trend needs a model, a GPU or a system; none of them alone is required. */
const trendQuery = { gpu: 'rtx-pro-6000', metric: 'decode_tok_s' };
const asks: Record<string, () => Promise<Needs>> = {
  getTrend: async () => ({ init: {}, query: trendQuery }),
  createSubmission: async () => ({
    init: { headers: asAdmin, body: sample },
    query: { notes: 'once more' },
  }),
  reviewSubmission: async () => ({
    init: { headers: json, body: JSON.stringify({ decision: 'clear', note: 'An engineering sample.' }) },
    id: await newId(await app.submit(quarantined, {}, adminKey)),
  }),
  listHeldNames: async () => {
    await app.submit(nameless, {}, adminKey);
    return { init: { headers: asAdmin } };
  },
  reviewHeldName: async () => {
    await app.submit(nameless, { notes: 'to be mapped' }, adminKey);
    return { init: { headers: json, body: JSON.stringify(heldNameExample) } };
  },
  listCatalogueAdditions: async () => {
    await made('/v1/admin/catalogue', additionExamples.names);
    return { init: { headers: asAdmin } };
  },
  addToCatalogue: async () => {
    await app.submit(quarantined.replace('Frobnicator 1', 'Frobnicator 8k'), {}, adminKey);
    return { init: { headers: json, body: JSON.stringify(additionExamples.gpu) } };
  },
  removeFromCatalogue: async () => ({
    init: { headers: asAdmin },
    id: await made('/v1/admin/catalogue', { kind: 'engine', id: 'left-again', facts: { name: 'Left Again' } }),
  }),
  getSubmissionSession: async () => ({ init: {}, id: await sendSession() }),
  getSubmissionTimeline: async () => ({ init: {}, id: await sendSession() }),
  retractSubmission: async () => ({
    init: { headers: json, body: JSON.stringify({ reason: 'The GPU ran at a lower power limit.' }) },
    id: await newId(await app.submit(sample, { notes: 'to be retracted' }, adminKey)),
  }),
  createConcern: async () => {
    doubted ??= await newId(await app.submit(sample, { notes: 'to be doubted' }, adminKey));
    return { init: { headers: json, body: JSON.stringify(concernExamples.reported) }, id: doubted };
  },
  answerConcern: async () => ({
    init: { headers: json, body: JSON.stringify(concernExamples.answered) },
    id: await doubt('answered'),
  }),
  decideConcern: async () => ({
    init: { headers: json, body: JSON.stringify(concernExamples.dismissed) },
    id: await doubt('decided'),
  }),
  vouchAccount: async () => ({ init: { headers: json, body: JSON.stringify({ note: 'They are known.' }) } }),
  replacePrices: async () => ({ init: { headers: json, body: JSON.stringify(priceListExample) } }),
  createAccount: async () => ({ init: { headers: json, body: JSON.stringify({ name: 'lab-42' }) } }),
  createEndpoint: async () => ({
    init: { headers: json, body: JSON.stringify({ ...node, name: 'lab-7', base_url: 'https://llm.example.com/v1' }) },
  }),
  removeEndpoint: async () => ({ init: { headers: asAdmin }, id: await register() }),
  proveEndpoint: async () => {
    const id = await register();
    await app.request(`/v1/endpoints/${id}/approve`, { method: 'POST', headers: asAdmin });
    return { init: { headers: asAdmin }, id };
  },
  createRun: async () => ({
    init: { headers: json, body: JSON.stringify({ endpoint_id: await register(), plan: shortPlan, seed: 42 }) },
  }),
  // The second call returns the second documented status.
  cancelRun: async () => {
    canceled ??= await startRun();
    return { init: { headers: asAdmin }, id: canceled };
  },
  createSchedule: async () => ({
    init: { headers: json, body: JSON.stringify({ ...nightly, endpoint_id: ids.ep?.[0] }) },
  }),
  removeSchedule: async () => ({ init: { headers: asAdmin }, id: await schedule() }),
  createWebhook: async () => ({
    init: { headers: json, body: JSON.stringify({ ...hook, events: ['run.ended', 'result.regressed'] }) },
  }),
  removeWebhook: async () => ({ init: { headers: asAdmin }, id: await listen() }),
  createSession: async () => ({ init: { headers: json, body: '{}' } }),
  endSession: async () => {
    const response = await app.request('/v1/sessions', { method: 'POST', headers: asAdmin });
    const { token } = (await response.json()) as { token: string };
    return { init: { headers: { authorization: `Bearer ${token}` } } };
  },
  listWaitingEndpoints: async () => {
    await register();
    return { init: { headers: asAdmin } };
  },
  claimSubmission: async () => {
    const owner = await app.createAccount(`lab-44-${crypto.randomUUID().slice(0, 8)}`);
    const id = await newId(await app.submit(sample, { notes: 'to be claimed' }, owner));
    const token = 'ibc_0123456789abcdefghijklmnopqrstuvwxyz';
    const expiresAt = new Date(Date.now() + 60_000).toISOString();
    await insertClaim(app.deps.database.db, { submissionId: id, hash: hashKey(token), expiresAt });
    return { init: { headers: json, body: JSON.stringify({ token }) }, id };
  },
  // The second call returns the key that the account has.
  createSigningKey: async () => {
    const { account } = (await (await app.request('/v1/me', { headers: asAdmin })).json()) as {
      account: { id: string };
    };
    return { init: { headers: json, body: JSON.stringify(signer.bodyFor(account.id)) } };
  },
  createKey: async () => ({
    init: {
      headers: { ...json, authorization: `Bearer ${await app.createAccount('lab-43')}` },
      body: JSON.stringify({ scopes: ['submit'] }),
    },
  }),
};

/** Sent again, it is the same submission. */
const sendSession = async () => newId(await app.submit(session, {}, adminKey));

/** No server listens on this port. */
const node = { base_url: 'http://127.0.0.1:64999/v1', model: 'meta-llama/Llama-3.1-8B-Instruct', gpu: 'h100-sxm' };
let nodes = 0;

async function register(): Promise<string> {
  nodes += 1;
  const body = JSON.stringify({ ...node, name: `lab-7 node ${nodes}` });
  return newId(await app.request('/v1/endpoints', { method: 'POST', headers: json, body }));
}

const made = async (path: string, body: object) =>
  newId(await app.request(path, { method: 'POST', headers: json, body: JSON.stringify(body) }));

/** Created once; later calls return the same one. */
let doubted: string | null = null;
/** A concern about a new submission. */
const doubt = async (notes: string) =>
  made(
    `/v1/submissions/${await newId(await app.submit(sample, { notes }, adminKey))}/concerns`,
    concernExamples.reported,
  );

/** A public concern, from a reader without a key. */
async function decidedConcern(submission: string): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(concernExamples.reported) };
  const id = await newId(await app.request(`/v1/submissions/${submission}/concerns`, init));
  await made(`/v1/concerns/${id}/decision`, concernExamples.dismissed);
  return id;
}

const signer = createSigner();

let canceled: string | null = null;
const startRun = async () => made('/v1/runs', { endpoint_id: await register(), plan: shortPlan, seed: 42 });

const nightly = { plan: 'inference-report', repetitions: 1, cron: '30 3 * * MON', time_zone: 'Europe/Berlin' };
const schedule = () => made('/v1/schedules', { ...nightly, endpoint_id: ids.ep?.[0] });

const hook = { url: 'https://ci.example.com/hooks/inferboard', events: ['run.ended'] };
const listen = () => made('/v1/webhooks', hook);

/** A finished run, so that its event stream ends. */
async function measuredRun(): Promise<string> {
  const worker = createTestWorker(app);
  const id = await startRun();
  const lease = await worker.claim(id);
  await worker.start(lease);
  await worker.measure(lease);
  await worker.measure(lease);
  await worker.end(lease);
  return id;
}

/** Reads need at most a key. */
const needsOf = async ({ operation }: Place): Promise<Needs> =>
  (await asks[operation.operationId]?.()) ?? { init: { headers: asAdmin } };

const parametersOf = ({ operation }: Place): Parameter[] =>
  (operation.parameters ?? []).map((parameter) => follow(document, parameter));

/** An example with real ids instead of made-up ones. */
function realOf(example: unknown): string[] {
  const values = Array.isArray(example) ? example : [example];
  return values.map((value, index) => ids[/^([a-z]{2,3})_/.exec(String(value))?.[1] ?? '']?.[index] ?? String(value));
}

function addressOf(place: Place, given: Parameter[], id?: string, more: Record<string, string> = {}): string {
  const parameters = parametersOf(place);
  const path = place.path.replace(/\{([^}]+)\}/g, (_, name) => {
    const found = parameters.find((parameter) => parameter.name === name);
    return id ?? realOf(found?.example)[0] ?? '';
  });
  const query = new URLSearchParams(more);
  for (const { name, example } of given) {
    const isObject = typeof example === 'object' && example !== null && !Array.isArray(example);
    // Serialized as `style: deepObject`: price[h100]=2.10.
    if (isObject) for (const [key, value] of Object.entries(example)) query.append(`${name}[${key}]`, String(value));
    else for (const value of realOf(example)) query.append(name, value);
  }
  return query.size === 0 ? path : `${path}?${query}`;
}

const requiredOf = (place: Place) =>
  parametersOf(place).filter(({ in: where, required }) => where === 'query' && required);

/** Common HTTP headers, which an API document does not list. */
const undescribed =
  /^(?:connection|content-(?:type|length|encoding|security-policy)|vary|access-control-.*|cross-origin-.*|origin-agent-cluster|permissions-policy|referrer-policy|strict-transport-security|x-(?!request-id).*)$/;

interface Seen {
  /** Parts of the response that are not documented. */
  faults: string[];
  body: unknown;
  /** Whether the document has an example of the status. */
  isShown?: boolean;
}

/** Compares a response with the document. */
async function faultsIn({ operation }: Place, response: Response): Promise<Seen> {
  const status = String(response.status);
  const described = operation.responses[status];
  const type = response.headers.get('content-type') ?? '';
  const text = await response.text();
  const isJson = /^application\/(?:[\w.-]+\+)?json(?:;|$)/.test(type);
  const body: unknown = isJson ? JSON.parse(text) : text;
  const place = `${operation.operationId} ${status}`;
  if (described === undefined) return { faults: [`${place} is not documented: ${text.slice(0, 300)}`], body };
  const { headers = {}, content } = follow(document, described);
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  const faults = [...response.headers.keys()]
    .filter((name) => !undescribed.test(name) && !names.includes(name))
    .map((name) => `${place} does not document ${name}`);
  const media = content?.[type] ?? content?.[type.split(';')[0] ?? ''];
  if (text === '') return { faults: content === undefined ? faults : [...faults, `${place} has no body`], body };
  if (media === undefined) return { faults: [...faults, `${place} does not document ${type}`], body };
  const isShown = media.example !== undefined || media.examples !== undefined;
  return { faults: [...faults, ...check(media.schema ?? {}, body).map((fault) => `${place} ${fault}`)], body, isShown };
}

async function ask(
  place: Place,
  init: RequestInit = {},
  more: Record<string, string> = {},
  id?: string,
): Promise<Response> {
  return app.request(addressOf(place, requiredOf(place), id, more), { ...init, method: place.method.toUpperCase() });
}

beforeAll(async () => {
  sample = await readFile(
    new URL('../../../../packages/db/sample/llama-bench/gpt-oss-120b.txt', import.meta.url),
    'utf8',
  );
  const { data } = await app.get<{ data: { id: string }[] }>('/v1/submissions?limit=1');
  ids.sub = data.map(({ id }) => id);
  const results = await app.get<{ data: { id: string }[] }>('/v1/results?limit=1');
  ids.res = results.data.map(({ id }) => id);
  const systems = await app.get<{ data: { id: string }[] }>('/v1/systems?model=llama-2-7b');
  ids.sys = systems.data.map(({ id }) => id);
  const key = await app.request('/v1/keys', { method: 'POST', headers: json, body: '{"scopes":["run"]}' });
  ids.key = [await newId(key)];
  ids.sgk = [(await registerSigner(app, adminKey)).id];
  ids.acc = [await made('/v1/accounts', { name: 'lab-41' })];
  ids.ep = [await register()];
  ids.run = [await measuredRun()];
  ids.sch = [await schedule()];
  ids.whk = [await listen()];
  ids.con = [await decidedConcern(ids.sub[0] ?? '')];
  ids.msg = [await newId(await app.request(`/v1/webhooks/${ids.whk[0]}/test`, { method: 'POST', headers: asAdmin }))];
});

describe('the service responds as documented', () => {
  it('to every operation, with its examples', async () => {
    const found: RecordedAnswers = {};
    const faults: string[] = [];
    const isRead = ({ method }: Place) => method === 'get';
    const again = places.filter(
      ({ operation: { responses } }) => '200' in responses && ('201' in responses || '202' in responses),
    );
    // Reads come first, so that their responses depend on the sample data alone.
    for (const place of [...places.filter(isRead), ...places.filter((place) => !isRead(place)), ...again]) {
      const { operationId } = place.operation;
      const { init, id, query } = await needsOf(place);
      const response = await ask(place, init, query, id);
      const type = response.headers.get('content-type') ?? '';
      if (!response.ok) faults.push(`${operationId}: ${response.status}`);
      const { faults: own, body, isShown } = await faultsIn(place, response);
      faults.push(...own);
      if (isShown || !/json|csv|xml|^text/.test(type)) continue;
      const example = toExample(body, type, startedAt, operationId === 'compareSystems' ? 2 : 1);
      found[operationId] = { ...found[operationId], [response.status]: example };
    }
    expect(faults, 'requests that need more than examples: `asks`, above').toEqual([]);
    expect(recordMissing(found), 'examples.json has examples of these now: run `npm run generate`').toEqual([]);
  });

  it('with 304 if the client already has the response', async () => {
    const faults: string[] = [];
    // Process metrics change between requests.
    const kept = places.filter(
      ({ operation }) => '304' in operation.responses && operation.operationId !== 'getMetrics',
    );
    for (const place of kept) {
      const more: Record<string, string> = place.operation.operationId === 'getTrend' ? trendQuery : {};
      const id = place.operation.operationId === 'getSubmissionSession' ? await sendSession() : undefined;
      const { headers } = await ask(place, { headers: asAdmin }, more, id);
      const again = await ask(place, { headers: { ...asAdmin, 'if-none-match': headers.get('etag') ?? '' } }, more, id);
      if (again.status !== 304) faults.push(`${place.operation.operationId}: ${again.status}`);
      faults.push(...(await faultsIn(place, again)).faults);
    }
    expect(faults).toEqual([]);
  });

  /** Calls all operations that a filter selects and expects one status that matches the document. */
  async function expectRefusals(
    status: number,
    isAsked: (place: Place) => boolean,
    init: (place: Place) => RequestInit | Promise<RequestInit>,
    query: Record<string, string> = {},
    id?: string,
  ) {
    const faults: string[] = [];
    for (const place of places.filter(isAsked)) {
      const response = await ask(place, await init(place), query, id);
      if (response.status !== status) faults.push(`${place.operation.operationId}: ${response.status}`);
      faults.push(...(await faultsIn(place, response)).faults);
    }
    expect(faults).toEqual([]);
  }

  const isOfApi = ({ path }: Place) => path.startsWith('/v1/');
  const bodyOf = ({ operation }: Place) => (operation.requestBody === undefined ? {} : { body: '{}' });
  const scopesOf = ({ operation }: Place) => (operation.security ?? []).flatMap(({ key = [] }) => key);

  it('to a key in the query', () => expectRefusals(400, isOfApi, bodyOf, { api_key: 'x' }));

  it('for an invalid key', () =>
    expectRefusals(401, isOfApi, (place) => ({ ...bodyOf(place), headers: { authorization: 'Bearer ib_nonsense' } })));

  it('to a client without a key if one is required', () =>
    expectRefusals(401, ({ operation }) => (operation.security ?? []).length > 0, bodyOf));

  it('to a key without the required scope', async () => {
    for (const [given, lacking] of [
      ['run', ['submit', 'admin']],
      ['submit', ['run', 'admin']],
    ] as const) {
      const own = { ...json, authorization: `Bearer ${await app.createAccount(`stranger with ${given}`)}` };
      const body = JSON.stringify({ scopes: [given] });
      const created = await app.request('/v1/keys', { method: 'POST', headers: own, body });
      const { key } = (await created.json()) as { key: string };
      const headers = { ...json, authorization: `Bearer ${key}` };
      await expectRefusals(
        403,
        (place) => scopesOf(place).some((scope) => lacking.some((one) => one === scope)),
        (place) => ({ ...bodyOf(place), headers }),
      );
    }
  });

  it('to an unknown path', () =>
    expectRefusals(
      404,
      ({ path }) => path.includes('{'),
      async (place) => (await needsOf(place)).init,
      {},
      'nothing',
    ));

  it('to a body that is too large', () =>
    expectRefusals(
      413,
      ({ operation }) => operation.requestBody !== undefined,
      () => ({ headers: json, body: new Uint8Array(17 * 1024 * 1024) }),
    ));

  it('to a body that is not JSON', () =>
    expectRefusals(
      415,
      ({ operation }) => '415' in operation.responses,
      () => ({ headers: { ...asAdmin, 'content-type': 'text/plain' }, body: '{}' }),
    ));

  it('for an unknown parameter', () =>
    expectRefusals(422, isOfApi, (place) => ({ ...bodyOf(place), headers: json }), { nonsense: '1' }));

  it('to the example of every parameter', async () => {
    const asked = new Set<string>();
    const faults: string[] = [];
    for (const place of places.filter(({ method }) => method === 'get')) {
      for (const parameter of parametersOf(place)) {
        const key = JSON.stringify(parameter);
        // A cursor belongs to one query, and the words of a question set the same filters as parameters.
        if (parameter.in !== 'query' || parameter.name === 'cursor' || asked.has(key)) continue;
        asked.add(key);
        const given = [...requiredOf(place).filter(({ name }) => name !== parameter.name), parameter];
        const more: Record<string, string> = place.operation.operationId === 'getTrend' ? { gpu: trendQuery.gpu } : {};
        const response = await app.request(addressOf(place, given, undefined, more), { headers: asAdmin });
        if (!response.ok) faults.push(`${place.operation.operationId} ${parameter.name}: ${await response.text()}`);
        else await response.body?.cancel();
      }
    }
    expect(faults).toEqual([]);
  });
});
