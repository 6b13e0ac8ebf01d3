import { OpenAPIHono } from '@hono/zod-openapi';
import type { Database } from '@inferboard/db/client';
import type { MiddlewareHandler } from 'hono';
import type { Answer } from '../answer-cache/answer.ts';
import type { AppContext, Deps } from '../deps.ts';
import { endLines } from './end-lines.ts';

type Routes = OpenAPIHono<AppContext>;

/** An answer that the replica may not give: the primary is asked. */
class NotFromReplica extends Error {}

/** What a request on the replica keeps of the one that came. */
interface Carried {
  Bindings: {
    requestId: string;
    /** What the cache keeps of the answer. */
    noteAnswer(answer: Answer | undefined): void;
  };
}

function serve(routes: Routes): OpenAPIHono<AppContext & Carried> {
  const app = new OpenAPIHono<AppContext & Carried>();
  app.use(async (c, next) => {
    c.set('requestId', c.env.requestId);
    await next();
    c.env.noteAnswer(c.get('answer'));
  });
  app.use(endLines as never);
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
      let kept: Answer | undefined;
      const noteAnswer = (answer: Answer | undefined) => {
        kept = answer;
      };
      const response = await appOf(database).fetch(c.req.raw, { requestId: c.get('requestId'), noteAnswer });
      if (!response.ok) throw new NotFromReplica();
      if (kept !== undefined) c.set('answer', kept);
      return response;
    });
    return answer ?? next();
  };
}
