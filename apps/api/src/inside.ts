import type { Context } from 'hono';

/** Environment of the requests the service makes of itself: pages and agents' tools, which were let in and counted at the door. */
export const inside = Object.freeze({ isInside: true });

/** True for a request that did not come from without. Nobody outside can make it so: it is this very object. */
export const isInside = (c: Context): boolean => c.env === inside;
