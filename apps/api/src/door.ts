import type { Hono } from 'hono';
import { COMPRESSIBLE_CONTENT_TYPE_REGEX, compress } from 'hono/compress';
import { remember } from './answer-cache/remember.ts';
import type { AppContext, Deps } from './deps.ts';
import { tellCaching } from './middleware/caching.ts';
import { endLines } from './middleware/end-lines.ts';
import { tellRates } from './middleware/limit-rate.ts';
import { measure } from './middleware/measure.ts';
import { represent } from './middleware/represent.ts';
import { nameRequest, tellRequestId } from './middleware/request-id.ts';
import { secure } from './middleware/secure.ts';
import { trace } from './middleware/trace.ts';

/** Lines of JSON are packed too, which the library's own list leaves out. */
const isPackable = (type: string) =>
  COMPRESSIBLE_CONTENT_TYPE_REGEX.test(type) || type.startsWith('application/x-ndjson');

type DoorDeps = Pick<Deps, 'metrics' | 'telemetry' | 'isEncrypted'> & Partial<Pick<Deps, 'answers'>>;

/**
 * What every answer of every role goes through: an id, its trace, figures, headers, packing. Comes before anything else but
 * `answerEarly`, which says the same of what is answered as before.
 */
export function openDoor(app: Hono<AppContext>, deps: DoorDeps): void {
  app.use(nameRequest);
  app.use(endLines);
  app.use(trace(deps));
  app.use(measure(deps));
  app.use(remember(deps));
  app.use(tellRequestId);
  app.use(secure(deps.isEncrypted));
  app.use(tellCaching);
  app.use(tellRates);
  // What flows is packed on its way; what is whole was tagged and packed before.
  app.use(compress({ contentTypeFilter: isPackable }));
  app.use(represent());
}

/** HEAD is GET without its body, headers and tag included; the middlewares would treat it as another thing. */
export function answerHead<App extends Hono<AppContext>>(app: App): App {
  const answer = app.fetch;
  app.fetch = async (request, ...rest) => {
    if (request.method !== 'HEAD') return answer(request, ...rest);
    const asked = new Headers(request.headers);
    // Ranges are of bodies, and there is none.
    asked.delete('range');
    // What came in may hold a name and a password; what goes on may not.
    const url = Object.assign(new URL(request.url), { username: '', password: '' });
    const { status, headers, body } = await answer(new Request(url, { headers: asked }), ...rest);
    await body?.cancel();
    return new Response(null, { status, headers });
  };
  return app;
}
