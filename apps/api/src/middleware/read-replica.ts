import { OpenAPIHono } from '@hono/zod-openapi';
import type { Database } from '@inferboard/db/connection/client';
import type { MiddlewareHandler } from 'hono';
import type { AppContext, Deps } from '../deps.ts';
import type { BufferedResponse } from '../response-cache/buffered-response.ts';
import { writeJson } from './end-lines.ts';

type Routes = OpenAPIHono<AppContext>;

/** The replica cannot answer the request: retry on the primary. */
class NotFromReplica extends Error {}

/** State that a replica request copies from the original one. */
interface Carried {
  Bindings: {
    requestId: string;
    /** Receives the cacheable response. */
    passCacheable(response: BufferedResponse | undefined): void;
  };
}

function serve(routes: Routes, publicUrl: string): OpenAPIHono<AppContext & Carried> {
  const app = new OpenAPIHono<AppContext & Carried>();
  app.use(async (c, next) => {
    c.set('requestId', c.env.requestId);
    await next();
    c.env.passCacheable(c.get('cacheableResponse'));
  });
  app.use(writeJson(publicUrl) as never);
  app.route('/', routes as never);
  app.notFound(() => {
    throw new NotFromReplica();
  });
  app.onError((error) => {
    throw error;
  });
  return app;
}

/**
 * Answers reads from the replica if one is available. Only successful responses are used: missing data, refusals and errors are
 * retried on the primary, which has the latest writes. Requests with a key always use the primary, so that clients read their own
 * writes.
 *
 * @param lagging the routes that may return slightly old data, with a separate database
 */
export function readFromReplica(
  { replica, ...deps }: Deps,
  lagging: (deps: Deps) => Routes,
): MiddlewareHandler<AppContext> {
  const served = new WeakMap<Database, ReturnType<typeof serve>>();
  const appOf = (database: Database) => {
    const app = served.get(database) ?? serve(lagging({ ...deps, replica: null, database }), deps.publicUrl);
    served.set(database, app);
    return app;
  };
  return async (c, next) => {
    if (replica === null || c.req.method !== 'GET' || (c.get('principal') ?? null) !== null) return next();
    const answer = await replica.read(async (database) => {
      let cacheable: BufferedResponse | undefined;
      const passCacheable = (response: BufferedResponse | undefined) => {
        cacheable = response;
      };
      const response = await appOf(database).fetch(c.req.raw, { requestId: c.get('requestId'), passCacheable });
      if (!response.ok) throw new NotFromReplica();
      if (cacheable !== undefined) c.set('cacheableResponse', cacheable);
      return response;
    });
    return answer ?? next();
  };
}
