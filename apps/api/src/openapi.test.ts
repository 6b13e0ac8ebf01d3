import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { committedDocument } from './generate.ts';
import { useTestApp } from './testing/index.ts';

interface Document {
  openapi: string;
  paths: Record<string, Record<string, { operationId: string; parameters?: { name: string; description?: string }[] }>>;
}

const committed = readFileSync(new URL('../openapi.json', import.meta.url), 'utf8');
const app = useTestApp();

describe('the OpenAPI document', () => {
  it('is committed as the code makes it (npm run generate)', () => {
    expect(committedDocument()).toBe(committed);
  });

  it('is served, in version 3.1', async () => {
    const served = await app.get<Document>('/openapi.json');
    expect(served.openapi).toBe('3.1.0');
    expect(Object.keys(served.paths)).toEqual(Object.keys((JSON.parse(committed) as Document).paths));
  });

  it('names and describes every operation and its parameters', () => {
    const document = JSON.parse(committed) as Document;
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
    const ids = operations.map((operation) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const bare = operations.flatMap((operation) =>
      (operation.parameters ?? []).filter(({ name, description }) => !description && name !== 'id' && name !== 'kind'),
    );
    expect(bare.map((parameter) => parameter.name)).toEqual([]);
  });

  it('has a bound for every metric', () => {
    const document = JSON.parse(committed) as Document;
    const names = document.paths['/v1/leaderboard']?.get?.parameters?.map((parameter) => parameter.name) ?? [];
    expect(names).toEqual(
      expect.arrayContaining(['max_itl_ms', 'max_ttft_ms_p99', 'min_user_tok_s', 'max_forward_ms']),
    );
  });
});

describe('the reference', () => {
  it('is served from this origin alone', async () => {
    const page = await app.request('/docs');
    const html = await page.text();
    expect(page.status).toBe(200);
    const sources = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? '');
    expect(sources.length).toBeGreaterThan(2);
    for (const source of sources) {
      expect(source.startsWith('/')).toBe(true);
      expect((await app.request(source)).status).toBe(200);
    }
  });

  it('explains every error code where problem documents point', async () => {
    const problem = (await (await app.request('/v1/nope')).json()) as { type: string };
    const { pathname, hash } = new URL(problem.type);
    expect(await (await app.request(pathname)).text()).toContain(`id="${hash.slice(1)}"`);
  });
});
