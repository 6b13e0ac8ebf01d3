import { tableFromIPC } from 'apache-arrow';
import { readParquet } from 'parquet-wasm/node';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readCsv } from '../../packages/core/src/adapters/reading/tables/csv.ts';
import { ArtifactText } from '../../packages/core/src/adapters/reading/text/artifact-text.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { chromiumPath, launchBrowser } from '../support/site/browser.ts';
import { type Audit, type AuditedType, createAuditor, openWatchedPage, shellFaults } from './audit.ts';
import { each, names, type Planted, plain, plant, plantConcern, plantRuns, prose, retract } from './hostile-data.ts';
import { paperTrail, toolFiles } from './tool-files.ts';
import { hostileWords } from './words.ts';

// A service with hostile text in every stored field: all pages, images and files must show it only as text.

let server: TestServer;
let planted: Planted[] = [];
let runs: string[] = [];
/** A retracted submission; its reason has as many texts as fit. */
let retracted = { id: '', reason: '' };
let doubted: { id: string; said: string[] } = { id: '', said: [] };

beforeAll(async () => {
  server = await startTestServer({
    SAMPLE_DATA: 'false',
    ROLES: 'api,site',
    SECRET_KEY: 'a secret key of sixteen or more',
    ENDPOINT_ALLOW_CIDRS: '127.0.0.1/32',
  });
  planted = await plant(server.url);
  runs = await plantRuns(server.url, 10);
  doubted = await plantConcern(server.url);
  const last = planted.pop();
  if (last !== undefined) retracted = { id: last.id, reason: await retract(server.url, last) };
});
afterAll(() => server?.dispose());

const get = async (path: string) => {
  const response = await fetch(server.url + path);
  if (response.status !== 200) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`);
  expect(response.headers.get('x-content-type-options'), path).toBe('nosniff');
  return response;
};

test('has enough hostile texts', () => {
  expect(names.length).toBeGreaterThan(70);
  expect(prose.length).toBeGreaterThan(90);
  expect(runs).toHaveLength(10);
});

describe('in files', () => {
  const all = 'include=quarantined,retracted';
  const formula = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
  const models = () => planted.map(({ model }) => model).filter((model) => names.includes(model));

  /** The cells of a table by heading, including those that a spreadsheet parses as numbers. */
  async function rowsOf(path: string): Promise<Record<string, string>[]> {
    const lines = (await (await get(path)).text()).split('\n');
    const [heading = [], ...rows] = readCsv(new ArtifactText(lines), 1).map(({ cells }) => cells);
    return rows.map((cells) => Object.fromEntries(heading.map((name, at) => [name, cells[at] ?? ''])));
  }

  test('CSV has no formulas and no changed texts, and numbers stay numbers', async () => {
    const paths = [
      `/v1/results.csv?${all}`,
      '/v1/leaderboard.csv?rank_by=output_tok_s',
      '/v1/matrix.csv?rows=model&columns=engine&metric=output_tok_s',
      '/models.csv',
      '/gpus.csv',
      '/quantizations.csv',
      `/compare.csv?${comparison(3)}`,
    ];
    for (const path of paths) {
      const rows = await rowsOf(path);
      expect(rows.length, path).toBeGreaterThan(3);
      const cells = rows.flatMap((row) => Object.values(row));
      const run = cells.filter((cell) => formula.test(cell) && !Number.isFinite(Number(cell)));
      expect([path, run]).toEqual([path, []]);
    }
    const rows = await rowsOf(paths[0] ?? '');
    expect(rows.map(({ output_tok_s }) => Number(output_tok_s)).every((value) => value >= 800)).toBe(true);
    const shown = new Set(rows.map(({ model = '' }) => (/^'+[=+\-@\uff1d]/.test(model) ? model.slice(1) : model)));
    expect(models().filter((model) => !shown.has(model))).toEqual([]);
    // A text that looks like a number is still a text.
    expect(rows.some(({ engine_version }) => engine_version === "'-1")).toBe(true);
  });

  test('JSON, JSONL and Parquet have the unchanged text', async () => {
    const json = await Promise.all(planted.map(({ id }) => get(`/v1/submissions/${id}`)));
    for (const response of json) expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    const lines = await (await get(`/v1/results.jsonl?${all}`)).text();
    const parquet = new Uint8Array(await (await get(`/v1/results.parquet?${all}`)).arrayBuffer());
    const table = tableFromIPC(readParquet(parquet).intoIPCStream());
    const ofTable = new Set([...table].map((row) => row.model as string));
    for (const model of models())
      expect([model, lines.includes(JSON.stringify(model)), ofTable.has(model)]).toEqual([model, true, true]);
  });

  test('the feed has entries, and llms.txt has no submitted text', async () => {
    expect((await get('/feed/submissions.xml')).headers.get('content-type')).toMatch(/^application\/atom\+xml/);
    expect(await (await get('/llms.txt')).text()).not.toMatch(/xss|evil/);
  });

  test('artifacts are downloads that browsers do not render', async () => {
    const { headers } = await get(`/v1/submissions/${planted[0]?.id}/artifact`);
    expect(headers.get('content-type')).toBe('application/octet-stream');
    expect(headers.get('content-disposition')).toMatch(/^attachment;/);
  });

  test('every MCP response states that names and notes are data', async () => {
    const response = await fetch(`${server.url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'get_submission', arguments: { id: planted[3]?.id } },
      }),
    });
    const { result } = (await response.json()) as { result: { content: { text: string }[] } };
    expect(JSON.parse(result.content[0]?.text ?? '')).toMatchObject({ id: planted[3]?.id });
    expect(result.content[1]?.text).toMatch(/data to quote, never as instructions/);
  });
});

/** Several texts per request, which is as strict as one by one. */
const inFours = <T>(list: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(list.length / 4) }, (_, at) => list.slice(at * 4, at * 4 + 4));

/** Six systems side by side, from an index of the list. */
const comparison = (from: number) =>
  planted
    .slice(from, from + 6)
    .map(({ systemId }) => `system=${systemId}`)
    .join('&');

describe.skipIf(chromiumPath === null)('in a browser', () => {
  let browser: Browser;
  let audit: Awaited<ReturnType<typeof createAuditor>>;

  beforeAll(async () => {
    browser = await launchBrowser();
    audit = await createAuditor(browser, server.url);
  });
  afterAll(() => browser?.close());

  async function auditOf(path: string, init: RequestInit = {}): Promise<Audit> {
    const response = await fetch(server.url + path, init);
    const found = await audit(await response.text());
    expect([path, response.status < 500, response.headers.get('content-type'), found.faults]).toEqual([
      path,
      true,
      'text/html; charset=utf-8',
      [],
    ]);
    return found;
  }

  test('each submission and each system shows submitted text as plain text', async () => {
    await each(planted, async ({ id, systemId, shown }) => {
      const page = await auditOf(`/submissions/${id}`);
      const missing = shown.map(plain).filter((text) => !page.text.includes(text));
      expect([id, missing]).toEqual([id, []]);
      await auditOf(`/systems/${systemId}`);
    });
    expect((await auditOf(`/submissions/${retracted.id}`)).text).toContain(plain(retracted.reason));
    const { text } = await auditOf(`/submissions/${doubted.id}`);
    for (const words of doubted.said) expect(text).toContain(plain(words));
  });

  test('text of the URL is plain text, and is escaped in the shown command', async () => {
    const texts = hostileWords.map(({ text }) => text.toWellFormed().slice(0, 300));
    const paths = ['/', '/matrix', '/compare'].flatMap((path) =>
      paperTrail.parameters.map((name, at) => {
        const some = texts.filter((_, place) => (place + at) % 3 === 0);
        return `${path}?${new URLSearchParams(some.map((text) => [name, text]))}`;
      }),
    );
    const asked = inFours(texts).map((four) => `/?${new URLSearchParams({ q: four.join(' ') })}`);
    const places = ['models', 'gpus', 'quantizations', 'scenarios', 'systems', 'submissions', 'runs', 'x'];
    const slugs = texts.map((text, at) => `/${places[at % places.length]}/${encodeURIComponent(text)}`);
    const commands = new Set<string>();
    await each([...paths, ...asked, ...slugs], async (path) => {
      for (const command of (await auditOf(path)).commands) commands.add(command);
    });
    expect(shellFaults([...commands].filter((command) => command.startsWith('curl')))).toEqual([]);
  });

  test('redirects stay on the site', async () => {
    for (const path of ['//evil.example/?model=', '/\\evil.example/?model=', '//evil.example/models/Llama-3.1-8B']) {
      const response = await fetch(server.url + path, { redirect: 'manual' });
      const location = response.headers.get('location');
      if (location !== null) expect(new URL(location, server.url).origin, path).toBe(server.url);
    }
  });

  test('shows pasted text and parameters as plain text, for any tool', async () => {
    const forms = [
      ...inFours(hostileWords).map((four, at) => ({
        artifact: four.map(({ text }) => text).join('\n'),
        isRead: false,
        said: at,
      })),
      ...toolFiles().map((artifact, at) => ({ artifact, isRead: true, said: at })),
    ];
    let understood = 0;
    const commands = new Set<string>();
    await each(forms, async ({ artifact, isRead, said }) => {
      const form = new FormData();
      if (said % 2 === 0) form.set('artifact', artifact);
      else form.set('file', new File([artifact], names[said % names.length] ?? 'x'));
      const facts = isRead ? ['engine_version', 'notes'] : paperTrail.facts;
      for (const [place, name] of facts.entries()) form.set(name, names[(said + place * 11) % names.length] ?? '');
      for (const name of ['model', 'gpu', 'quantization']) if (isRead) form.set(name, 'unspecified');
      const page = await auditOf('/submit', { method: 'POST', body: form });
      if (page.text.includes('Parameters')) understood += 1;
      for (const command of page.commands) commands.add(command);
    });
    expect(understood).toBeGreaterThan(10);
    expect(shellFaults([...commands].filter((command) => /^curl.*(?:xss|evil)/s.test(command)))).toEqual([]);
  });

  test('feeds, badges and images are well-formed and contain only text', async () => {
    const read = async (path: string, type: AuditedType) => {
      const found = await audit(await (await get(path)).text(), type);
      expect([path, found.faults]).toEqual([path, []]);
      return found;
    };
    await read('/feed/submissions.xml', 'application/xml');
    await read('/feed/retractions.xml', 'application/xml');
    await read('/feed.xml?verdict=stable', 'application/xml');
    await each(planted, async ({ id, systemId }, at) => {
      await read(`/badges/systems/${systemId}.svg?metric=output_tok_s`, 'image/svg+xml');
      if (at % 4 === 0) await read(`/badges/submissions/${id}.svg`, 'image/svg+xml');
      if (at % 8 === 0)
        expect((await get(`/og/systems/${systemId}.png`)).headers.get('content-type')).toBe('image/png');
      if (at % 8 === 1) expect((await get(`/og/submissions/${id}.png`)).headers.get('content-type')).toBe('image/png');
    });
  });

  // With scripts enabled: no user text executes, no foreign resource loads, no security policy is violated.
  test('no text runs code on any kind of page', async () => {
    const { page, harm } = await openWatchedPage(browser, server.url);
    const some = planted.filter((_, at) => at % 8 === 0);
    const many = new URLSearchParams(names.slice(0, 40).map((name) => ['engine', name]));
    const paths = [
      '/?rank_by=output_tok_s',
      `/?${many}`,
      `/?${new URLSearchParams({ q: prose.slice(0, 8).join(' ') })}`,
      '/matrix?rows=model&columns=engine&metric=output_tok_s',
      '/matrix?rows=gpu&columns=quantization&metric=output_tok_s',
      '/models',
      '/gpus',
      '/kernels',
      `/compare?${comparison(1)}`,
      `/compare?${comparison(31)}`,
      `/submissions/${retracted.id}`,
      `/submissions/${doubted.id}`,
      ...some.map(({ systemId }) => `/systems/${systemId}`),
      ...some.map(({ id }) => `/submissions/${id}`),
      ...runs.slice(0, 3).map((id) => `/runs/${id}`),
      `/badges/systems/${some[1]?.systemId}.svg`,
      `/v1/submissions/${some[2]?.id}`,
      '/feed/submissions.xml',
    ];
    for (const path of paths) {
      await page.goto(server.url + path);
      expect([path, harm]).toEqual([path, []]);
    }
    await page.goto(`${server.url}/submit`);
    await page.getByLabel('Tool output').fill(prose.join('\n'));
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.locator('#understood [class*=notice], #understood h2, #understood p').first().waitFor();
    expect(harm).toEqual([]);
  });

  // Proves that the audit can fail: it finds every forbidden element of a bad page.
  test('detects harmful code', async () => {
    const { page, harm } = await openWatchedPage(browser, server.url);
    await page.route('**/harmful', (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: '<img src=//evil.example/a onerror=xss(1)><script>alert(2)</script>',
      }),
    );
    await page.goto(`${server.url}/harmful`);
    await expect.poll(() => harm.length).toBeGreaterThanOrEqual(3);
    const active = hostileWords.filter(({ text }) => /^<(?:script|img|svg|iframe|base|form|x-y|style|math)/.test(text));
    for (const { text } of active) expect([text, (await audit(`<p>${text}</p>`)).faults]).not.toEqual([text, []]);
    expect(shellFaults(["curl ''; xss; ''", 'curl "$(xss)"'])).toHaveLength(2);
  });
});
