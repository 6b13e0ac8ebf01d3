import type { Context } from 'hono';

/**
 * Environment of requests that the service sends to itself for pages and agents' tools. The outer request was already authorized
 * and counted.
 */
export const internalEnvironment = Object.freeze({ isInternal: true });

/** Client addresses of the visitors for whom pages send requests. */
const visitors = new WeakMap<object, string>();

/** The same, for the visitor of a page. */
export function internalRequestFor(visitor: string): object {
  const environment = Object.freeze({ isInternal: true });
  visitors.set(environment, visitor);
  return environment;
}

/** True for a request from inside the process. External clients cannot forge it: the check compares object identity. */
export const isInternal = (c: Context): boolean => c.env === internalEnvironment || visitorOf(c) !== null;

/** The address of the visitor whose page sent the request; null for other requests. */
export const visitorOf = (c: Context): string | null => visitors.get(c.env ?? internalEnvironment) ?? null;
