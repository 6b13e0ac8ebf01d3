import { adminKey, createAccount, startTestServer } from '../support/server.ts';
import { type Document, expand, type Operation, operationsOf } from './document.ts';
import { type Harvest, harvest } from './harvest.ts';

/** Keys of every kind, by their permissions. */
export interface Keys {
  admin: string;
  submit: string;
  /** Of a different account than `submit`. */
  other: string;
  run: string;
  revoked: string;
}

export interface FuzzedService {
  url: string;
  document: Document;
  operations: Operation[];
  keys: Keys;
  harvest: Harvest;
  dispose(): Promise<void>;
}

/** JSON of a response that must be a success. */
export async function ask<T>(url: string, init: RequestInit = {}): Promise<T> {
  const response = await fetch(url, init);
  if (!response.ok) throw new Error(`${init.method ?? 'GET'} ${url}: ${response.status} ${await response.text()}`);
  return (response.status === 204 ? null : await response.json()) as T;
}

export const post = (key: string, body: unknown): RequestInit => ({
  method: 'POST',
  headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

async function makeKeys(url: string): Promise<Keys> {
  const first = await createAccount(url, 'fuzz');
  const make = (key: string, scopes: string[]) =>
    ask<{ id: string; key: string }>(`${url}/v1/keys`, post(key, { scopes }));
  const revoked = await make(first, ['submit']);
  await ask(`${url}/v1/keys/${revoked.id}`, { method: 'DELETE', headers: { authorization: `Bearer ${first}` } });
  const submit = await make(first, ['submit']);
  const other = await createAccount(url, 'fuzz other');
  const run = await make(await createAccount(url, 'fuzz runner'), ['run']);
  return { admin: adminKey, submit: submit.key, other, run: run.key, revoked: revoked.key };
}

/** A service with the sample data, and the data that tests can request. */
export async function startFuzzedService(): Promise<FuzzedService> {
  const server = await startTestServer({ ROLES: 'api', RATE_LIMIT_READS: 'off', RATE_LIMIT_WRITES: 'off' });
  try {
    const document = expand(await ask<Document>(`${server.url}/openapi.json`));
    const operations = operationsOf(document);
    const keys = await makeKeys(server.url);
    return {
      url: server.url,
      document,
      operations,
      keys,
      harvest: await harvest(server.url, operations, keys),
      dispose: () => server.dispose(),
    };
  } catch (error) {
    await server.dispose();
    throw error;
  }
}
