import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createApp } from '../app.ts';
import { adminKey, useTestApp } from '../testing/index.ts';

const app = useTestApp({ allowCidrs: ['127.0.0.1/32'] });
const secret = 'sk-very-secret-0123456789';

interface Endpoint {
  id: string;
  code: string;
  errors: { code: string; pointer: string; hint: string }[];
  proof: { url: string; token: string };
  verified: { by: string } | null;
  limits: { concurrency_max: number } | null;
  facts: Record<string, unknown>;
  has_api_key: boolean;
  data: Endpoint[];
}

/** A model server for the tests; each test sets its responses. */
let model: Server;
let answer: RequestListener;
let asked: IncomingMessage[] = [];
let origin: string;
let [owner, stranger] = ['', ''];

beforeAll(async () => {
  model = createServer((request, response) => {
    asked.push(request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(model.address() as AddressInfo).port}`;
  owner = await app.createAccount('owner of endpoints');
  stranger = await app.createAccount('stranger to endpoints');
});
afterAll(() => {
  model.closeAllConnections();
  model.close();
});
beforeEach(() => {
  asked = [];
  answer = (_, response) => response.writeHead(404).end();
});

const call = (method: string, path: string, key: string | null, body?: unknown) =>
  app.request(path, {
    method,
    headers: {
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
const read = async (response: Response) => (await response.json()) as Endpoint;

let count = 0;
async function register(more: Record<string, unknown> = {}): Promise<Endpoint> {
  count += 1;
  const body = { name: `node ${count}`, base_url: origin, model: 'tiny', api_key: secret, gpu: 'h100-sxm', ...more };
  const response = await call('POST', '/v1/endpoints', owner, body);
  expect(response.status).toBe(201);
  expect(response.headers.get('location')).toMatch(/\/v1\/endpoints\/ep_/);
  return read(response);
}

describe('registration', () => {
  test('stores the given fields, and hides the credential', async () => {
    const made = await register({ gpu_count: 2, quantization: 'fp8', base_url: `${origin}/llm/v1/` });
    expect(made).toMatchObject({
      base_url: `${origin}/llm/v1`,
      has_api_key: true,
      verified: null,
      limits: { concurrency_max: 4, requests_per_day: 50 },
      facts: { gpu: 'h100-sxm', gpu_count: 2, quantization: 'fp8', engine: null },
    });
    const answers = [made, await read(await call('GET', `/v1/endpoints/${made.id}`, owner))];
    expect(answers[0]).toEqual(answers[1]);
    expect(JSON.stringify(answers)).not.toContain(secret);
    expect(asked).toEqual([]);
  });

  test('stores the daily budget', async () => {
    expect(await register()).toMatchObject({ budget: { requests_per_day: null, tokens_per_day: null } });
    const made = await register({ budget: { requests_per_day: 5000 } });
    expect(made).toMatchObject({ budget: { requests_per_day: 5000, tokens_per_day: null } });
    expect(await read(await call('GET', `/v1/endpoints/${made.id}`, owner))).toEqual(made);
    for (const [budget, pointer] of [
      [{ requests_per_day: 0 }, '/budget/requests_per_day'],
      [{ tokens_per_day: 1.5 }, '/budget/tokens_per_day'],
      [{ dollars: 5 }, '/budget/dollars'],
      ['much', '/budget'],
    ] as const) {
      const response = await call('POST', '/v1/endpoints', owner, { name: 'x', base_url: origin, model: 'm', budget });
      expect(response.status).toBe(422);
      expect((await read(response)).errors.map((fault) => fault.pointer)).toEqual([pointer]);
    }
  });

  test('accepts a metrics URL only at the same origin', async () => {
    expect(await register()).toMatchObject({ metrics_url: null });
    const made = await register({ metrics_url: `${origin}/metrics?of=llm` });
    expect(made).toMatchObject({ metrics_url: `${origin}/metrics?of=llm` });
    expect(await read(await call('GET', `/v1/endpoints/${made.id}`, owner))).toEqual(made);
    for (const [metrics_url, code] of [
      ['http://127.0.0.1:8000/metrics', 'origin_differs'],
      ['https://llm.example.com/metrics', 'origin_differs'],
      ['http://169.254.169.254/latest', 'address_not_allowed'],
      ['file:///etc/passwd', 'url_invalid'],
      ['http://user:secret@127.0.0.1/metrics', 'userinfo_present'],
    ] as const) {
      const body = { name: `x ${code}`, base_url: origin, metrics_url, model: 'm' };
      const response = await call('POST', '/v1/endpoints', owner, body);
      expect(response.status, metrics_url).toBe(422);
      const { errors } = await read(response);
      expect(errors).toContainEqual(expect.objectContaining({ code, pointer: '/metrics_url' }));
    }
    expect(asked).toEqual([]);
  });

  test('stores the credential only encrypted', async () => {
    await register();
    const { sql } = app.deps.database;
    const [row] = await sql<{ dump: string }[]>`select coalesce(json_agg(e)::text, '') as dump from endpoints e`;
    const forms = [
      Buffer.from(secret).toString('base64'),
      Buffer.from(secret).toString('hex'),
      encodeURIComponent(secret),
    ];
    for (const form of [secret, ...forms]) expect(row?.dump).not.toContain(form);
  });

  test('lists all errors, including those of the address', async () => {
    const response = await call('POST', '/v1/endpoints', owner, {
      name: '',
      base_url: origin,
      gpu_count: 0.5,
      modell: 'x',
    });
    expect(response.status).toBe(422);
    expect((await read(response)).errors.map(({ pointer }) => pointer).sort()).toEqual(
      ['/gpu_count', '/model', '/modell', '/name'].sort(),
    );
    for (const [base_url, code] of [
      ['http://169.254.169.254/latest', 'address_not_allowed'],
      ['http://10.0.0.1:8000/v1', 'address_not_allowed'],
      ['ftp://llm.example.com/v1', 'scheme_not_allowed'],
      ['https://me:pw@llm.example.com/v1', 'userinfo_present'],
      ['not an address', 'url_invalid'],
      ['https://llm.example.com/v1?x=1', 'query_present'],
    ] as const) {
      const refused = await call('POST', '/v1/endpoints', owner, { name: 'bad', base_url, model: 'm' });
      expect(refused.status, base_url).toBe(422);
      const { errors } = await read(refused);
      expect(
        errors.map((fault) => fault.code),
        base_url,
      ).toContain(code);
      expect(errors.every(({ pointer }) => pointer === '/base_url')).toBe(true);
    }
  });

  test('rejects names that are similar to names of the catalogue, with the closest ones', async () => {
    const facts = { gpu: 'h100-smx', engine: 'vllmm', quantization: 'fp8' };
    const body = { name: 'misspelt', base_url: 'ftp://llm.example.com', model: 'm', gpu_count: 0, ...facts };
    const response = await call('POST', '/v1/endpoints', owner, body);
    expect(response.status).toBe(422);
    const { errors } = await read(response);
    expect(errors.map(({ code, pointer }) => [code, pointer])).toEqual([
      ['value_invalid', '/gpu_count'],
      ['scheme_not_allowed', '/base_url'],
      ['value_unknown', '/gpu'],
      ['value_unknown', '/engine'],
    ]);
    expect(errors[2]?.hint).toMatch(/^Did you mean .*h100-sxm.*\? To keep the name, add "unknown_facts": "keep"\.$/);
    expect(errors[3]?.hint).toMatch(/^Did you mean vllm\? /);
    const onCpu = await read(
      await call('POST', '/v1/endpoints', owner, { ...body, ...facts, gpu: 'cpu', engine: 'vllm' }),
    );
    expect(onCpu.errors.find(({ pointer }) => pointer === '/gpu')).toMatchObject({
      message: 'The GPU "cpu" does not name a device.',
      hint: expect.stringMatching(/^If the model runs on a CPU, name it, /),
    });
  });

  test('accepts new names on request, and names unlike all others', async () => {
    const kept = await register({ gpu: 'RTX 9090', engine: 'vllmm', unknown_facts: 'keep' });
    expect(kept).toMatchObject({ facts: { gpu: 'RTX 9090', engine: 'vllmm' } });
    expect(JSON.stringify(await read(await call('GET', `/v1/endpoints/${kept.id}`, owner)))).not.toContain('keep');
    expect(await register({ gpu: 'vr200', engine: 'my-engine' })).toMatchObject({ facts: { gpu: 'vr200' } });
    for (const unknown_facts of ['drop', true]) {
      const body = { name: 'x', base_url: origin, model: 'm', unknown_facts };
      const response = await call('POST', '/v1/endpoints', owner, body);
      expect((await read(response)).errors).toMatchObject([{ code: 'value_invalid', pointer: '/unknown_facts' }]);
    }
  });

  test('accepts a name once for each account, and again after its removal', async () => {
    const made = await register({ name: 'The Node' });
    const again = await call('POST', '/v1/endpoints', owner, { name: 'the node', base_url: origin, model: 'tiny' });
    expect([again.status, (await read(again)).code]).toEqual([409, 'endpoint_name_taken']);
    expect((await call('DELETE', `/v1/endpoints/${made.id}`, owner)).status).toBe(204);
    expect((await call('GET', `/v1/endpoints/${made.id}`, owner)).status).toBe(404);
    await register({ name: 'the node' });
  });

  test('requires an encryption key on the server', async () => {
    const bare = createApp({ ...app.deps, keyring: null });
    const response = await bare.request('/v1/endpoints', {
      method: 'POST',
      headers: { authorization: `Bearer ${owner}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'x', base_url: origin, model: 'm', api_key: secret }),
    });
    expect(response.status).toBe(422);
    expect((await read(response)).errors[0]?.code).toBe('credentials_not_kept');
  });
});

test('hides it from other accounts, but not from admins', async () => {
  const { id } = await register();
  for (const [method, path] of [
    ['GET', ''],
    ['DELETE', ''],
    ['POST', '/check'],
    ['POST', '/prove'],
  ] as const) {
    expect((await call(method, `/v1/endpoints/${id}${path}`, stranger)).status, `${method} ${path}`).toBe(404);
  }
  expect((await call('POST', `/v1/endpoints/${id}/approve`, owner)).status).toBe(403);
  const others = (await read(await call('GET', '/v1/endpoints', stranger))).data;
  expect(others).toEqual([]);
  const mine = (await read(await call('GET', '/v1/endpoints', owner))).data;
  expect(mine.map((endpoint) => endpoint.id)).toContain(id);
  expect((await call('GET', `/v1/endpoints/${id}`, adminKey)).status).toBe(200);
  expect(asked).toEqual([]);
});

describe('checking an endpoint', () => {
  test('requests the models with the credential', async () => {
    const { id } = await register();
    answer = (_, response) => response.end(JSON.stringify({ data: [{ id: 'tiny' }, { id: 'large' }, { id: 7 }] }));
    const checked = await read(await call('POST', `/v1/endpoints/${id}/check`, owner));
    const checked_at = expect.stringMatching(/Z$/);
    expect(checked).toEqual({ reachable: true, problem: null, status: '2xx', serves_model: true, checked_at });
    expect(asked.map(({ url, headers }) => [url, headers.authorization])).toEqual([['/v1/models', `Bearer ${secret}`]]);
  });

  // A check must not reveal what runs at an address, so that it cannot be used for scanning.
  const words = 'internal-db-7';
  const refusing = (status: number) => (response: ServerResponse) =>
    response.writeHead(status, { server: words, 'x-info': words }).end(words);
  const noList = 'not an OpenAI-compatible model list';
  test.each<[string, RequestListener, string | null, string]>([
    ['returns 401', (_, response) => refusing(401)(response), '4xx', '4xx'],
    ['returns 404', (_, response) => refusing(404)(response), '4xx', '4xx'],
    ['returns 503', (_, response) => refusing(503)(response), '5xx', '5xx'],
    ['redirects', (_, response) => response.writeHead(302, { location: `http://${words}/` }).end(), '3xx', '3xx'],
    ['is not a model server', (_, response) => refusing(200)(response), '2xx', noList],
    ['serves other JSON', (_, response) => response.end(JSON.stringify({ data: words })), '2xx', noList],
    ['returns an empty body', (_, response) => response.writeHead(204).end(), '2xx', noList],
    ['closes the connection', (request) => request.socket.destroy(), null, 'no answer'],
    ['sends an endless body', (_, response) => response.end('x'.repeat(2_000_000)), null, 'no answer'],
  ])('of a server that %s reports only the class of its status', async (_, listener, status, problem) => {
    const { id } = await register();
    answer = listener;
    const response = await call('POST', `/v1/endpoints/${id}/check`, owner);
    expect(response.status).toBe(200);
    const text = await response.text();
    const checked_at = expect.stringMatching(/Z$/);
    expect(JSON.parse(text)).toEqual({ reachable: false, status, problem, serves_model: null, checked_at });
    expect(text).not.toContain(words);
  });

  test('of a closed port reports the same as a broken connection', async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const { id } = await register({ base_url: `http://127.0.0.1:${port}` });
    const checked = await read(await call('POST', `/v1/endpoints/${id}/check`, owner));
    expect(checked).toMatchObject({ reachable: false, status: null, problem: 'no answer' });
  });

  test('names no other models if the registered one is missing', async () => {
    const { id } = await register();
    answer = (_, response) => response.end(JSON.stringify({ data: [{ id: words }] }));
    const text = await (await call('POST', `/v1/endpoints/${id}/check`, owner)).text();
    expect(JSON.parse(text)).toMatchObject({ reachable: true, status: '2xx', serves_model: false });
    expect(text).not.toContain(words);
  });

  test('sends nothing if the address is not allowed any more', async () => {
    const { id } = await register();
    const closed = createApp({ ...app.deps, outbound: { ...app.deps.outbound, allowed: [] } });
    const response = await closed.request(`/v1/endpoints/${id}/check`, {
      method: 'POST',
      headers: { authorization: `Bearer ${owner}` },
    });
    expect(await read(response)).toMatchObject({ reachable: false, status: null, problem: 'no answer' });
    expect(asked).toEqual([]);
  });
});

describe('proving an endpoint', () => {
  test('reads the token at the origin, without the credential', async () => {
    const { id, proof } = await register();
    const missing = await call('POST', `/v1/endpoints/${id}/prove`, owner);
    expect(missing.status).toBe(409);
    expect(await missing.json()).toMatchObject({
      code: 'endpoint_unproven',
      detail: expect.stringContaining('the response was 4xx without the token'),
    });
    answer = (_, response) => response.end(`another-token\n${proof.token}\n`);
    const proven = await read(await call('POST', `/v1/endpoints/${id}/prove`, owner));
    expect(proven).toMatchObject({ verified: { by: 'proof' }, limits: null });
    expect(proof.url).toBe(`${origin}/.well-known/inferboard-proof`);
    expect(asked.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['/.well-known/inferboard-proof', undefined],
      ['/.well-known/inferboard-proof', undefined],
    ]);
    answer = (_, response) => response.writeHead(404).end();
    expect((await call('POST', `/v1/endpoints/${id}/prove`, owner)).status).toBe(200);
  });

  test('is not required if an admin approves the endpoint', async () => {
    // An origin without a proof, because a proof applies to all endpoints of an origin.
    const { id } = await register({ base_url: 'https://llm.example.com' });
    const approved = await read(await call('POST', `/v1/endpoints/${id}/approve`, adminKey));
    expect(approved).toMatchObject({ verified: { by: 'admin' }, limits: null });
    expect(asked).toEqual([]);
  });
});
