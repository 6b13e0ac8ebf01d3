import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readDocument } from '../testing/document.ts';
import { adminKey, baseUrl, useTestApp } from '../testing/index.ts';
import * as api from './client.ts';
import { listOperations } from './types.ts';

const app = useTestApp({ sampleData: true });
/** In process: the service responds without a socket. */
const client = api.createClient({
  baseUrl,
  fetch: async (request: Request | string | URL, init?: RequestInit) => {
    const { url, method, headers, body } = new Request(request, init);
    return app.request(url, { method, headers, body, duplex: 'half' });
  },
  auth: adminKey,
});

describe('the generated client', () => {
  it('has a function for every operation', () => {
    const ids = listOperations(readDocument()).map(({ operation }) => operation.operationId);
    expect(ids.filter((id) => typeof (api as Record<string, unknown>)[id] !== 'function')).toEqual([]);
  });

  it('runs in Node without a build', () => {
    const file = fileURLToPath(new URL('./client.ts', import.meta.url));
    const script = `const { createClient, getBest } = await import(${JSON.stringify(file)}); console.log(typeof createClient, typeof getBest)`;
    expect(execFileSync(process.execPath, ['--input-type=module', '-e', script]).toString()).toBe(
      'function function\n',
    );
  });

  it('sends numbers and lists, and returns the documented body', async () => {
    const { data, error } = await api.getLeaderboard({
      client,
      query: { model: ['llama-2-7b', 'gpt-oss-120b'], rank_by: 'decode_tok_s', min_decode_tok_s: 1, limit: 2 },
    });
    expect(error).toBeUndefined();
    expect(data?.rank_by).toBe('decode_tok_s');
    const models = data?.data.map(({ system }) => system.model.id);
    expect(models).toHaveLength(2);
    expect(['llama-2-7b', 'gpt-oss-120b']).toEqual(expect.arrayContaining(models ?? []));
  });

  it('returns an error as a problem document', async () => {
    const { data, error, response } = await api.getSystem({ client, path: { id: 'sys_0' } });
    expect(data).toBeUndefined();
    expect(response?.status).toBe(404);
    expect(error?.code).toBe('not_found');
  });

  it('submits bytes unchanged, with its key', async () => {
    const artifact = new Blob(['not the output of any tool']);
    const { error } = await api.createSubmission({ client, body: artifact, query: { dry_run: 'true' } });
    expect(error?.code).toBe('tool_unrecognised');
  });

  it('returns a page and the next one', async () => {
    const first = await api.listResults({ client, query: { limit: 1 } });
    const cursor = first.data?.next_cursor ?? '';
    const second = await api.listResults({ client, query: { limit: 1, cursor } });
    expect(second.data?.data[0]?.id).not.toBe(first.data?.data[0]?.id);
  });
});
