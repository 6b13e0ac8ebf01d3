import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { describe, expect, it } from 'vitest';
import { listOperations } from '../document/types.ts';
import { nativeExample } from '../reference/native-page.ts';
import { follow, readDocument } from '../testing/document.ts';
import { adminKey, baseUrl, useTestApp } from '../testing/index.ts';
import { deprecated } from './deprecation.ts';

const app = useTestApp({ sampleData: true });

/** The links of a response, by relation. */
const linksOf = (response: Response) =>
  Object.fromEntries(
    [...(response.headers.get('link') ?? '').matchAll(/<([^>]*)>; rel="([^"]+)"/g)].map(([, url, rel]) => [rel, url]),
  );

interface Page {
  data: Record<string, unknown>[];
  next_cursor: string | null;
}

describe('links', () => {
  it.each(['/v1/results?gpu=h100&limit=3', '/v1/systems?limit=4', '/v1/leaderboard?limit=2'])(
    'of %s lead through all pages and back to the first',
    async (path) => {
      const first = await app.request(path);
      const page = (await first.clone().json()) as Page;
      const { next } = linksOf(first);
      expect(new URL(next ?? '').searchParams.get('cursor')).toBe(page.next_cursor);
      const second = await app.request((next ?? '').replace(baseUrl, ''));
      expect(second.status).toBe(200);
      expect(((await second.clone().json()) as Page).data[0]).not.toEqual(page.data[0]);
      expect(await (await app.request((linksOf(second).first ?? '').replace(baseUrl, ''))).json()).toEqual(page);
    },
  );

  it('of the last page have no next page', async () => {
    for (const path of [
      '/v1/changes?gpu=h100&limit=200&type=new_best&since=2099-01-01T00:00:00Z',
      '/v1/search?q=h100',
    ]) {
      const response = await app.request(path);
      expect(response.status, path).toBe(200);
      expect(Object.keys(linksOf(response)), path).toEqual(['service-desc', 'describedby']);
    }
  });

  it.each(['/v1/best?q=best%20model%20on%20h100', '/v1/nothing', '/v1/results?limit=x', '/v1/keys'])(
    'of %s lead to the documentation',
    async (path) => {
      const links = linksOf(await app.request(path));
      expect((await app.get<{ openapi: string }>((links['service-desc'] ?? '').replace(baseUrl, ''))).openapi).toBe(
        '3.1.0',
      );
      const about = links.describedby;
      if (about !== undefined) expect((await app.request(about.replace(baseUrl, ''))).status).toBe(200);
      else expect(path).toBe('/v1/nothing');
    },
  );
});

describe('fields', () => {
  it('limits each entry of a board to the requested fields of the full response', async () => {
    const query = '/v1/leaderboard?limit=3';
    const full = await app.get<Page>(`${query}&full=true`);
    const sparse = await app.get<Page>(`${query}&fields=rank,value,system.model.name,statistics.median`);
    expect(sparse.data).toEqual(
      full.data.map((entry) => {
        const { rank, value, system, statistics } = entry as {
          rank: number;
          value: number;
          system: { model: { name: string } };
          statistics: { median: number };
        };
        return {
          rank,
          value,
          statistics: { median: statistics.median },
          system: { model: { name: system.model.name } },
        };
      }),
    );
    expect(sparse.next_cursor).not.toBeNull();
  });

  it.each([
    ['/v1/results?limit=2', 'id,metrics.output_tok_s,findings.code'],
    ['/v1/systems?limit=2', 'id,point_count'],
    ['/v1/submissions?limit=2', 'id,status'],
    ['/v1/pareto?x=itl_ms&y=decode_tok_s', 'x,y'],
    ['/v1/best?subject=gpu', 'rank,value'],
    ['/v1/changes?limit=2', 'verdict,metric'],
    ['/v1/quality?limit=2', 'value'],
  ])('of %s: %s', async (path, fields) => {
    const { data } = await app.get<Page>(`${path}${path.includes('?') ? '&' : '?'}fields=${fields}`);
    const names = fields.split(',').map((field) => field.split('.')[0] ?? '');
    for (const entry of data) expect(names).toEqual(expect.arrayContaining(Object.keys(entry)));
    if (!path.includes('changes') && !path.includes('quality')) expect(data).not.toHaveLength(0);
  });

  const authorization = { authorization: `Bearer ${adminKey}` };
  it.each([
    ['/v1/keys', 'id,scopes'],
    ['/v1/webhooks', 'id,url'],
    ['/v1/concerns', 'id,state,reason'],
    ['/v1/endpoints', 'id,facts.gpu'],
    ['/v1/runs', 'id,progress.points_done'],
    ['/v1/schedules', 'id,next_at'],
    ['/v1/signing-keys', 'id,fingerprint'],
    ['/v1/catalogue/gpus', 'id,memory_gb'],
  ])('of %s with a key: %s', async (path, fields) => {
    const response = await app.request(`${path}?fields=${fields}`, { headers: authorization });
    expect(response.status, await response.clone().text()).toBe(200);
    const { data } = (await response.json()) as Page;
    const names = fields.split(',').map((field) => field.split('.')[0] ?? '');
    for (const entry of data) expect(names).toEqual(expect.arrayContaining(Object.keys(entry)));
    const wrong = await app.request(`${path}?fields=idd`, { headers: authorization });
    expect(wrong.status).toBe(422);
  });

  it('of the series of a history', async () => {
    const { data: systems } = await app.get<{ data: { system: { id: string } }[] }>(
      '/v1/leaderboard?limit=1&scenario=tg128&rank_by=decode_tok_s',
    );
    const path = `/v1/history?metric=decode_tok_s&system=${systems[0]?.system.id}`;
    const { data } = await app.get<Page>(`${path}&fields=scenario.id,values.mean`);
    expect(data.length).toBeGreaterThan(0);
    for (const entry of data) {
      expect(Object.keys(entry)).toEqual(['scenario', 'values']);
      for (const value of (entry as { values: object[] }).values) expect(Object.keys(value)).toEqual(['mean']);
    }
  });

  it('work with the same cursor on later pages', async () => {
    const { next_cursor } = await app.get<Page>('/v1/results?limit=2');
    const { data } = await app.get<Page>(`/v1/results?limit=2&fields=id&cursor=${next_cursor}`);
    expect(data.map((entry) => Object.keys(entry))).toEqual([['id'], ['id']]);
  });

  it('names each unknown parameter and the closest known one', async () => {
    const response = await app.request('/v1/leaderboard?fields=rnk,system.modle,value.x,rank');
    expect(response.status).toBe(422);
    expect(((await response.json()) as { errors: object[] }).errors).toEqual([
      {
        code: 'value_unknown',
        parameter: 'fields',
        message: '"rnk", "system.modle", "value.x" are not fields of an entry.',
        hint: 'Did you mean "rank", "system.model"?',
      },
    ]);
  });
});

it.each(['/v1/schedules?fields=nothing', '/v1/endpoints?nothing=1', '/v1/concerns?limit=x'])(
  'GET %s asks for the key before it describes a fault',
  async (path) => {
    expect((await app.request(path)).status).toBe(401);
    const headers = { authorization: `Bearer ${adminKey}` };
    expect((await app.request(path, { headers })).status).toBe(422);
  },
);

describe('a deprecated operation', () => {
  const route = createRoute({
    method: 'get',
    path: '/v1/old',
    operationId: 'getOld',
    description: 'An old list.',
    responses: { 200: { description: 'It.', content: { 'application/json': { schema: z.object({}) } } } },
  });
  const ending = { since: '2026-11-01', sunset: '2027-06-01', successor: '/v1/results' };
  const old = new OpenAPIHono().openapi(deprecated(route, ending, baseUrl), (c) => c.json({}, 200));

  it('has deprecation headers in every response', async () => {
    const response = await old.request('/v1/old');
    expect(response.headers.get('deprecation')).toBe('@1793491200');
    expect(new Date(1_793_491_200_000).toISOString()).toBe('2026-11-01T00:00:00.000Z');
    expect(response.headers.get('sunset')).toBe('Tue, 01 Jun 2027 00:00:00 GMT');
    const { deprecation, 'successor-version': successor } = linksOf(response);
    expect(successor).toBe(`${baseUrl}/v1/results`);
    const policy = await app.request((deprecation ?? '').replace(baseUrl, ''));
    expect(policy.status).toBe(200);
    expect(await policy.text()).toContain('at least six months');
  });

  it('is marked as deprecated in the OpenAPI document', () => {
    const { paths } = old.getOpenAPI31Document({ openapi: '3.1.0', info: { title: 't', version: '1' } });
    expect(paths?.['/v1/old']?.get).toMatchObject({
      deprecated: true,
      'x-sunset': '2027-06-01',
      description: 'Deprecated since 2026-11-01; may be removed after 2027-06-01. Use `/v1/results`. An old list.',
    });
  });
});

describe('an export file', () => {
  it.each(['results.csv', 'leaderboard.jsonl', 'matrix.parquet'])(
    '%s has an ETag that is valid until the data changes',
    async (file) => {
      const path = `/v1/${file}?gpu=h100`;
      const first = await app.request(path);
      const tag = first.headers.get('etag') ?? '';
      expect(tag).toMatch(/^W\/"[0-9a-f]{32}"$/);
      await first.arrayBuffer();
      const again = await app.request(path, { headers: { 'if-none-match': tag } });
      expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', tag]);
      expect((await app.request(`/v1/${file}`, { headers: { 'if-none-match': tag } })).status).toBe(200);
      await app.deps.database.sql`update submissions set notes = notes where id = (select min(id) from submissions)`;
      const later = await app.request(path, { headers: { 'if-none-match': tag } });
      expect(later.status).toBe(200);
      expect(later.headers.get('etag')).not.toBe(tag);
      await later.arrayBuffer();
    },
  );
});

describe('the OpenAPI document', () => {
  const document = readDocument();
  const places = listOperations(document);

  it('states for every operation whether it requires a key', () => {
    expect(places.filter(({ operation }) => operation.security === undefined)).toEqual([]);
    const open = places.filter(({ operation }) => operation.security?.length === 0);
    expect(open.map(({ operation }) => operation.operationId)).toContain('getLeaderboard');
    expect(places.find(({ path }) => path === '/v1/me')?.operation.security).toEqual([{ key: [] }]);
    const optional = places.filter(({ operation }) => operation.security?.some((one) => Object.keys(one).length === 0));
    expect(optional.map(({ operation }) => operation.operationId).toSorted()).toEqual([
      'createAccount',
      'createSession',
      'createSubmission',
    ]);
  });

  it('documents an error, a success and every path parameter of every operation', () => {
    for (const { path, operation } of places) {
      const statuses = Object.keys(operation.responses);
      const at = `${operation.operationId} ${statuses}`;
      expect(
        statuses.some((status) => status.startsWith('2')),
        at,
      ).toBe(true);
      if (path.startsWith('/v1/'))
        expect(
          statuses.some((status) => status.startsWith('4')),
          at,
        ).toBe(true);
      const parameters = (operation.parameters ?? []).map((parameter) => follow(document, parameter));
      const variables = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name);
      expect(
        parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name),
        at,
      ).toEqual(variables);
    }
  });
});

describe('the native format', () => {
  const ajv = () => new Ajv2020({ strict: false, formats: fullFormats });

  it('has a schema that accepts what the service accepts', async () => {
    const file = await app.request('/docs/native.schema.json');
    expect(file.headers.get('content-type')).toContain('application/schema+json');
    const { $id, $schema: _, ...schema } = (await file.json()) as Record<string, object>;
    expect($id).toBe(`${baseUrl}/docs/native.schema.json`);
    const { components } = readDocument();
    expect(components.schemas?.NativeReport).toEqual(schema);
    const isValid = ajv().compile(schema);
    const asked = async (document: object) => {
      const response = await app.submit(JSON.stringify(document), { dry_run: 'true' }, key);
      return { service: response.status < 300, schema: isValid(document), text: await response.text() };
    };
    const key = await app.createAccount('author of a tool');
    const base = nativeExample;
    expect(await asked(base)).toMatchObject({ service: true, schema: true });
    const result = base.results[0] as (typeof base.results)[number];
    for (const wrong of [
      { ...base, schema: 'inferboard/v2' },
      { ...base, results: [] },
      { ...base, colour: 'blue' },
      { ...base, system: { ...base.system, gpu_count: 0 } },
      { ...base, results: [{ ...result, load: { mode: 'sideways' } }] },
      { ...base, results: [{ ...result, metrics: { output_tok_s: 'fast' } }] },
      { ...base, results: [{ ...result, requests: [{ sent: 1 }] }] },
    ])
      expect(await asked(wrong), JSON.stringify(wrong)).toMatchObject({ service: false, schema: false });
    for (const right of [
      { ...base, tool: 'my-bench', scenario: { name: 'rag' } },
      { ...base, results: [{ ...result, metrics: { ...result.metrics, itl_ms_p99: null } }] },
      { ...base, system: { ...base.system, engine: { name: 'vllm', version: '0.12.0' }, features: { mtp: true } } },
    ])
      expect(await asked(right), JSON.stringify(right)).toMatchObject({ service: true, schema: true });
  });

  it('has a documentation page with an example', async () => {
    const page = await (await app.request('/docs/native')).text();
    expect(page).toContain('/docs/native.schema.json');
    expect(page).toContain('inferboard/v1');
  });
});
