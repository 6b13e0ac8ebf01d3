import { deepEqual, equal, ok } from 'node:assert/strict';

/** The service under test, and the data that the steps collect. */
export interface World {
  /** Base URL, without a trailing slash. */
  url: string;
  adminKey: string;
  /** API key of an account that only this run uses. */
  key: string;
  accountName: string;
  submissions: { id: string; file: string; bytes: Buffer; results: number }[];
  systems: string[];
}

/** One guarantee; throws if it does not hold. */
export type Step = readonly [guarantee: string, check: (world: World) => Promise<void>];

// biome-ignore lint/suspicious/noExplicitAny: each step knows the type
export type Body = any;

export interface Answer {
  status: number;
  headers: Headers;
  bytes: Buffer;
  text: string;
  body: Body;
}

/** Number of repetitions of a read, so that it reaches every process behind a load balancer. */
export const times = 4;

/** Sends a request and reads the whole response. Rejects if the status is not the expected one. */
export async function ask(
  { url }: Pick<World, 'url'>,
  path: string,
  init: RequestInit & { key?: string; expect?: number | readonly number[] } = {},
): Promise<Answer> {
  const { key, expect = 200, ...rest } = init;
  const headers = new Headers(rest.headers);
  if (key !== undefined) headers.set('authorization', `Bearer ${key}`);
  const answer = await fetch(`${url}${path}`, { ...rest, headers });
  const bytes = Buffer.from(await answer.arrayBuffer());
  const text = bytes.toString();
  const expected = [expect].flat();
  ok(
    expected.includes(answer.status),
    `${rest.method ?? 'GET'} ${path}: ${answer.status}, not ${expected.join(' or ')}: ${text.slice(0, 400)}`,
  );
  const isJson = /^application\/(?:[\w.-]+\+)?json/.test(answer.headers.get('content-type') ?? '');
  return {
    status: answer.status,
    headers: answer.headers,
    bytes,
    text,
    body: isJson && text !== '' ? JSON.parse(text) : null,
  };
}

export const post = (world: Pick<World, 'url'>, path: string, key: string, body: unknown, expect: number) =>
  ask(world, path, {
    method: 'POST',
    key,
    expect,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/**
 * Sends the same query to every process behind the URL; the responses must agree. With a key, they include the latest writes;
 * without one, a read replica can respond.
 */
export async function askAll(world: Pick<World, 'url'>, path: string, key?: string): Promise<Body> {
  const options = key === undefined ? {} : { key };
  const first = await ask(world, path, options);
  for (let i = 1; i < times; i += 1) deepEqual((await ask(world, path, options)).body, first.body, `${path} differs`);
  return first.body;
}

/** All errors are problem documents. */
export function isProblem(answer: Answer, code: string): void {
  equal(answer.headers.get('content-type')?.split(';')[0], 'application/problem+json');
  equal(answer.body.code, code);
  equal(answer.body.status, answer.status);
}
