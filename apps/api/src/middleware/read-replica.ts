import { OpenAPIHono } from '@hono/zod-openapi';
import type { Database } from '@inferboard/db/client';
import type { MiddlewareHandler } from 'hono';
import type { AppContext, Deps } from '../deps.ts';

type Routes = OpenAPIHono<AppContext>;

/** An answer that the replica may not give: the primary is asked. */
class NotFromReplica extends Error {}

/** What a request on the replica keeps of the one that came. */
interface Carried {
  Bindings: { requestId: string };
}

function serve(routes: Routes): OpenAPIHono<AppContext & Carried> {
  const app = new OpenAPIHono<AppContext & Carried>();
  app.use((c, next) => {
    c.set('requestId', c.env.requestId);
    return next();
  });
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
 * Answers reads from the replica while there is one that may be asked. It only says yes: what it does not find, does not
 * know or fails at is asked of the primary, where what was just stored is. So is whatever comes with a key: whoever writes
 * reads what they wrote.
 *
 * @param lagging the routes that may show what was so a moment ago, over a database of their own
 */
export function readFromReplica(
  { replica, ...deps }: Deps,
  lagging: (deps: Deps) => Routes,
): MiddlewareHandler<AppContext> {
  const served = new WeakMap<Database, ReturnType<typeof serve>>();
  const appOf = (database: Database) => {
    const app = served.get(database) ?? serve(lagging({ ...deps, replica: null, database }));
    served.set(database, app);
    return app;
  };
  return async (c, next) => {
    if (replica === null || c.req.method !== 'GET' || (c.get('principal') ?? null) !== null) return next();
    const answer = await replica.read(async (database) => {
      const response = await appOf(database).fetch(c.req.raw, { requestId: c.get('requestId') });
      if (!response.ok) throw new NotFromReplica();
      return response;
    });
    return answer ?? next();
  };
}
