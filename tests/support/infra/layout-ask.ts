import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import type { Layout } from './layout.ts';

export interface LayoutAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

/** POST with a body, otherwise GET. */
export type LayoutAsk = (path: string, headers?: Record<string, string>, body?: string) => Promise<LayoutAnswer>;

/** One request to the proxy over a new connection. */
export function askLayout(layout: Layout, path: string, headers = {}, body?: string): Promise<LayoutAnswer> {
  return new Promise((resolve, reject) => {
    const ca = readFileSync(layout.certificate);
    const method = body === undefined ? 'GET' : 'POST';
    const asked = request(`${layout.url}${path}`, { ca, headers, method, agent: false }, async (answer) => {
      let text = '';
      for await (const piece of answer.setEncoding('utf8')) text += piece;
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text });
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

/** The key of a new account. */
export async function register(ask: LayoutAsk, adminKey: string, name: string): Promise<string> {
  const headers = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' };
  const { status, text } = await ask('/v1/accounts', headers, JSON.stringify({ name }));
  if (status !== 201) throw new Error(text);
  return (JSON.parse(text) as { key: { key: string } }).key.key;
}
