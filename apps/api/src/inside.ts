import type { Context } from 'hono';

/** Environment of the requests the service makes of itself: pages and agents' tools, which were let in and counted at the door. */
export const inside = Object.freeze({ isInside: true });

/** Addresses of those for whom a page asks. */
const visitors = new WeakMap<object, string>();

/** The same, on behalf of whoever looks at a page. */
export function insideFor(visitor: string): object {
  const environment = Object.freeze({ isInside: true });
  visitors.set(environment, visitor);
  return environment;
}

/** True for a request that did not come from without. Nobody outside can make it so: it is one of these very objects. */
export const isInside = (c: Context): boolean => c.env === inside || visitorOf(c) !== null;

/** The address of the visitor whose page asks; null where none does. */
export const visitorOf = (c: Context): string | null => visitors.get(c.env ?? inside) ?? null;
