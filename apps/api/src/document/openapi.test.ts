import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, describe, expect, it } from 'vitest';
import { footerGroups, mainPages } from '../../../site/src/lib/site-map.ts';
import { errorTable } from '../http/errors.ts';
import { costOf } from '../http/rate-limits.ts';
import { answersOf, createChecker, follow, readDocument, resolve, walk } from '../testing/document.ts';
import { useTestApp } from '../testing/index.ts';
import { documentFile } from './committed.ts';
import { generateClient, generateDocument } from './generate.ts';
import { type Answer, isReference, listOperations, type Media, type Parameter, type Place } from './types.ts';

const document = readDocument();
const places = listOperations(document);
const check = createChecker(document);
const app = useTestApp();

const parametersOf = ({ operation }: Place): Parameter[] =>
  (operation.parameters ?? []).map((parameter) => follow(document, parameter));

/** All violations of a rule, as `operation: violation`. */
const faultsOf = (rule: (place: Place) => string[]): string[] =>
  places.flatMap((place) => rule(place).map((fault) => `${place.operation.operationId}: ${fault}`));

/** The files of a folder with their text, by path. */
const filesOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => statSync(join(folder, name)).isFile())
      .sort()
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  );

describe('the output of `npm run generate`', () => {
  const folder = mkdtempSync(join(tmpdir(), 'inferboard-client-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is committed: the document', () => {
    const isCurrent = generateDocument() === readFileSync(documentFile, 'utf8');
    expect(isCurrent, 'openapi.json differs from the routes: run `npm run generate`').toBe(true);
  });

  it('is committed: the client', async () => {
    await generateClient(documentFile, pathToFileURL(`${folder}/`));
    const [made, committed] = [filesOf(folder), filesOf(new URL('../../client', import.meta.url).pathname)];
    const differing = [...new Set([...Object.keys(made), ...Object.keys(committed)])].filter(
      (name) => made[name] !== committed[name],
    );
    expect(differing, 'apps/api/client differs from openapi.json: run `npm run generate`').toEqual([]);
  });
});

describe('the OpenAPI document', () => {
  it('is served as version 3.1', async () => {
    const served = await app.get<{ openapi: string; paths: object }>('/openapi.json');
    expect(served.openapi).toBe('3.1.0');
    expect(Object.keys(served.paths)).toEqual(Object.keys(document.paths));
  });

  it('has valid JSON Schemas and no broken references', () => {
    const ajv = new Ajv2020({ strict: false });
    const broken = [...walk(document)].filter(
      (value) => '$ref' in value && resolve(document, { $ref: String(value.$ref) }) === undefined,
    );
    expect(broken).toEqual([]);
    const bodies = [...walk(document.paths), ...walk(document.components)].flatMap(({ schema }) =>
      // The native format has a field of this name.
      typeof schema === 'object' ? (schema ?? []) : [],
    );
    const schemas = [...bodies, ...Object.values(document.components.schemas ?? {})] as object[];
    expect(schemas.length).toBeGreaterThan(100);
    for (const schema of schemas) expect(ajv.validateSchema(schema), JSON.stringify(ajv.errors)).toBe(true);
  });

  it('names every operation with a verb and a noun, as in the client', () => {
    const ids = places.map(({ operation }) => operation.operationId);
    expect(ids.filter((id) => !/^[a-z]+(?:[A-Z][a-z0-9]*)+$/.test(id))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('describes the purpose of every operation', () => {
    const known = new Set(document.tags?.map(({ name }) => name));
    const faults = faultsOf(({ operation: { summary, description, tags = [] } }) => [
      ...(summary ? [] : ['no summary']),
      ...(description ? [] : ['no description']),
      ...(tags.length === 1 ? [] : ['not of one tag']),
      ...tags.filter((tag) => !known.has(tag)).map((tag) => `tag ${tag} is not explained in document/complete.ts`),
    ]);
    expect(faults).toEqual([]);
  });

  it('describes every parameter, with a valid example', () => {
    const faults = faultsOf((place) =>
      parametersOf(place).flatMap(({ name, description, example, schema = {} }) => [
        ...(description ? [] : [`${name} has no description`]),
        ...(example === undefined ? [`${name} has no example`] : check(schema, example).map((fault) => name + fault)),
      ]),
    );
    expect(faults).toEqual([]);
  });

  it('documents every status of an operation', () => {
    const faults = faultsOf(({ path, method, operation }) => {
      const { security = [], requestBody, responses } = operation;
      const types = Object.keys(requestBody?.content ?? {});
      const isJson = Object.keys((responses['200'] as Answer | undefined)?.content ?? {}).includes('application/json');
      const due = [
        ...(path.startsWith('/v1/') ? ['400', '401', '422', '503', '504'] : []),
        ...(path.includes('{') ? ['404'] : []),
        ...(costOf(path) === null ? [] : ['429']),
        ...(security.some(({ key = [] }) => key.length > 0) ? ['403'] : []),
        ...(requestBody === undefined ? [] : ['413']),
        ...(types.length === 1 && types[0] === 'application/json' ? ['415'] : []),
        ...(path.startsWith('/v1/') && method === 'get' && isJson ? ['304'] : []),
      ];
      return due.filter((status) => !(status in responses)).map((status) => `${status} is missing`);
    });
    expect(faults).toEqual([]);
  });

  it('documents the headers of every response', () => {
    const due: Record<string, string[]> = { 401: ['WWW-Authenticate'], 429: ['Retry-After'], 503: ['Retry-After'] };
    const faults = faultsOf(({ operation }) =>
      answersOf(document, operation.responses).flatMap(([status, { headers = {} }]) =>
        ['X-Request-Id', ...(status === '304' ? ['ETag'] : []), ...(due[status] ?? [])]
          .filter((name) => !(name in headers))
          .map((name) => `${status} lacks ${name}`),
      ),
    );
    expect(faults).toEqual([]);
    const bare = faultsOf(({ operation }) =>
      answersOf(document, operation.responses).flatMap(([status, { headers = {} }]) =>
        Object.entries(headers)
          .filter(([, header]) => !(follow(document, header) as Parameter).description)
          .map(([name]) => `${status} ${name} has no description`),
      ),
    );
    expect(bare).toEqual([]);
    for (const header of Object.values(document.components.headers ?? {})) {
      const { description, schema, example } = header as Parameter;
      expect(description).toBeTruthy();
      expect(check(schema ?? {}, example)).toEqual([]);
    }
  });

  it('is strict for responses: no missing and no undocumented fields', () => {
    const schema = { $ref: '#/components/schemas/SystemListItem' };
    const listed = places.find(({ operation }) => operation.operationId === 'listSystems')?.operation.responses['200'];
    const body = (listed as Answer).content?.['application/json']?.example as { data: Record<string, unknown>[] };
    const { point_count, ...rest } = body.data[0] ?? {};
    expect(check(schema, { ...rest, point_count })).toEqual([]);
    expect(check(schema, rest)).not.toEqual([]);
    expect(check(schema, { ...rest, point_count, undocumented: 1 })).not.toEqual([]);
    expect(check(schema, { ...rest, point_count, model: { ...Object(rest.model), undocumented: 1 } })).not.toEqual([]);
  });

  const isBinary = ({ schema }: Media) => schema?.format === 'binary';
  const examplesOf = (media: Media): unknown[] =>
    media.examples === undefined ? [media.example] : Object.values(media.examples).map(({ value }) => value);

  it('has valid examples of every body', () => {
    const faults = faultsOf(({ operation: { requestBody, responses } }) => {
      const bodies = [
        ...Object.entries(requestBody?.content ?? {}).map(([type, media]) => [`body ${type}`, media] as const),
        ...answersOf(document, responses).flatMap(([status, { content = {} }]) =>
          Object.entries(content).map(([type, media]) => [`${status} ${type}`, media] as const),
        ),
      ];
      return bodies.flatMap(([place, media]) =>
        examplesOf(media).flatMap((example) => {
          if (example === undefined) return isBinary(media) ? [] : [`${place} has no example`];
          return check(media.schema ?? {}, example).map((fault) => `${place} ${fault}`);
        }),
      );
    });
    expect(faults, 'npx vitest run apps/api/src/document/openapi-answers.test.ts records what is missing').toEqual([]);
  });

  it('has only known errors as examples', () => {
    const known = new Map<string, { status: number; title: string }>(errorTable.map((row) => [row.code, row]));
    const faults = faultsOf(({ operation }) =>
      answersOf(document, operation.responses).flatMap(([status, { content = {} }]) =>
        Object.values(content['application/problem+json']?.examples ?? {}).flatMap(({ value }) => {
          const { code, status: stated, title } = value as { code: string; status: number; title: string };
          const row = known.get(code);
          return row?.title === title && row.status === stated && String(stated) === status
            ? []
            : [`${status} ${code}`];
        }),
      ),
    );
    expect(faults).toEqual([]);
  });

  it('defines shared parameters and responses once', () => {
    const repeated = places.flatMap(({ operation }) =>
      (operation.parameters ?? []).filter(
        (parameter) => !isReference(parameter) && /^(?:min|max)_/.test(parameter.name),
      ),
    );
    expect(repeated).toEqual([]);
  });

  it('has a bound for every metric', () => {
    const board = places.find(({ path }) => path === '/v1/leaderboard');
    expect(board && parametersOf(board).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['max_itl_ms', 'max_ttft_ms_p99', 'min_user_tok_s', 'max_forward_ms']),
    );
  });
});

describe('the API reference', () => {
  it('has a page for every operation, and loads only its own stylesheet', async () => {
    const index = await (await app.request('/docs')).text();
    const loaded = [...index.matchAll(/<(?:link rel="stylesheet" href|script[^>]* src|img[^>]* src)="([^"]+)"/g)];
    expect(loaded.map(([, source]) => source)).toEqual(['/docs/reference.css']);
    expect((await app.request('/docs/reference.css')).status).toBe(200);
    const links = [...index.matchAll(/ href="(\/docs[^"#]*)"/g)].map(([, href]) => href ?? '');
    for (const href of new Set(links)) expect((await app.request(href)).status, href).toBe(200);
    for (const place of places) {
      const { path, method, operation } = place;
      const href = `/docs/operations/${operation.operationId}`;
      expect(index).toContain(`href="${href}"`);
      const page = await app.request(href);
      expect(page.status, href).toBe(200);
      const html = await page.text();
      expect(html).toContain(`<b>${method.toUpperCase()}</b> ${path}`);
      for (const { name } of parametersOf(place)) expect(html, `${href} ${name}`).toContain(`<code>${name}</code>`);
      for (const status of Object.keys(operation.responses ?? {})) expect(html, href).toContain(`>${status}</`);
      expect(html).not.toMatch(/<script|<style|\sstyle="/);
    }
    expect((await app.request('/docs/operations/nobody')).status).toBe(404);
  });

  it('has a form for every GET operation without a key, which leads to the request', async () => {
    for (const { path, method, operation } of places) {
      const html = await (await app.request(`/docs/operations/${operation.operationId}`)).text();
      const isAsked = method === 'get' && (operation.security ?? []).length === 0;
      expect(html.includes(`action="/docs/try/${operation.operationId}"`), path).toBe(isAsked);
    }
    const to = async (form: string) => (await app.request(`/docs/try/${form}`)).headers.get('location');
    expect(await to('getLeaderboard?model=deepseek-r1&gpu=&limit=3')).toBe('/v1/leaderboard?model=deepseek-r1&limit=3');
    expect(await to('getSystem?id=..%2F%2Felsewhere.example&full=')).toBe('/v1/systems/..%2F%2Felsewhere.example');
    expect((await app.request('/docs/try/createSubmission')).status).toBe(404);
    expect((await app.request('/docs/try/nobody')).status).toBe(404);
  });

  it('has the header and footer of the site', async () => {
    const html = await (await app.request('/docs')).text();
    const links = [...mainPages, ...footerGroups.flatMap((group) => group.links)];
    for (const { href, label } of links) expect(html).toContain(`<a href="${href}">${label}</a>`);
    expect(html).toContain('action="/search"');
    expect(html).toContain('<summary>Menu</summary>');
  });

  it('explains every error code at the URL of problem documents', async () => {
    const problem = (await (await app.request('/v1/nope')).json()) as { type: string };
    const { pathname, hash } = new URL(problem.type);
    expect(await (await app.request(pathname)).text()).toContain(`id="${hash.slice(1)}"`);
  });
});
