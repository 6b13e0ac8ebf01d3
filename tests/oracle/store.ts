import { expect } from 'vitest';
import { adminKey, type TestApp } from '../../apps/api/src/testing/index.ts';
import { type Row, type SubmissionView, toRow } from './rows.ts';
import { accountNames, type Sent, type Upload } from './world.ts';

interface Stored {
  id: string;
  sent: readonly Sent[];
}

async function submit(app: TestApp, upload: Upload, key: string): Promise<Stored> {
  const response = await app.submit(upload.body, {}, key);
  const text = await response.text();
  expect(response.status, text.slice(0, 2000)).toBe(201);
  return { id: (JSON.parse(text) as SubmissionView).id, sent: upload.results };
}

async function decide(app: TestApp, path: string, body: unknown): Promise<void> {
  const response = await app.request(path, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status, path).toBe(200);
}

/** The stored figures must equal the submitted ones. The oracle trusts acknowledged figures only after this check. */
function expectAsSent(sent: Sent, row: Row): void {
  const { isStated, figures } = sent;
  const stated = Object.entries(figures).filter(([, value]) => value !== null);
  if (isStated) expect(row.values).toMatchObject(Object.fromEntries(stated));
  for (const [name, value] of Object.entries(figures)) if (value === null) expect(row.values).not.toHaveProperty(name);
}

/**
 * Submits the uploads through the API. Then another account resubmits some of them, some are retracted, and some held results are
 * accepted. Returns every stored result in its final state.
 */
export async function storeUploads(app: TestApp, uploads: readonly Upload[]): Promise<Row[]> {
  const keys: string[] = [];
  for (const name of accountNames) keys.push(await app.createAccount(name));
  const keyOf = (account: number) => keys[account % keys.length] ?? '';
  const stored: Stored[] = [];
  for (const upload of uploads) stored.push(await submit(app, upload, keyOf(upload.account)));
  const copied = uploads.slice(0, 2);
  for (const upload of copied) stored.push(await submit(app, upload, keyOf(upload.account + 1)));

  // One upload whose copy counts from now on, and one without copies.
  for (const place of [0, 4]) {
    const id = stored[place]?.id;
    if (id !== undefined) await decide(app, `/v1/submissions/${id}/retract`, { reason: 'for the oracle' });
  }
  const held = stored[6]?.id;
  if (held !== undefined) {
    const { results } = await app.get<SubmissionView>(`/v1/submissions/${held}?full=true`);
    const some = results.filter(({ status }) => status === 'quarantined').slice(0, 10);
    const ids = some.map(({ id }) => id);
    if (ids.length > 0)
      await decide(app, `/v1/submissions/${held}/review`, { decision: 'clear', note: 'seen', results: ids });
  }

  const rows: Row[] = [];
  for (const { id, sent } of stored) {
    const submission = await app.get<SubmissionView>(`/v1/submissions/${id}?full=true`);
    expect(submission.results).toHaveLength(sent.length);
    for (const [place, view] of submission.results.entries()) {
      const one = sent[place];
      if (one === undefined) throw new Error(`result ${place} was not sent`);
      const row = toRow(view, one, submission);
      expectAsSent(one, row);
      rows.push(row);
    }
  }
  return rows;
}
