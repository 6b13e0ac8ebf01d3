import type { Hono } from 'hono';
import { COMPRESSIBLE_CONTENT_TYPE_REGEX, compress } from 'hono/compress';
import type { AppContext, Deps } from '../deps.ts';
import { setCacheHeaders } from '../middleware/caching.ts';
import { writeJson } from '../middleware/end-lines.ts';
import { setRateHeaders } from '../middleware/limit-rate.ts';
import { measure } from '../middleware/measure.ts';
import { represent } from '../middleware/represent.ts';
import { nameRequest, setRequestId } from '../middleware/request-id.ts';
import { secure } from '../middleware/secure.ts';
import { trace } from '../middleware/trace.ts';
import { recordVariants } from '../response-cache/record-variants.ts';

/** Also compress JSON lines, which the library's list omits. */
const isPackable = (type: string) =>
  COMPRESSIBLE_CONTENT_TYPE_REGEX.test(type) || type.startsWith('application/x-ndjson');

type CommonDeps = Pick<Deps, 'metrics' | 'telemetry' | 'isEncrypted'> &
  Partial<Pick<Deps, 'responseCache' | 'publicUrl'>>;

/**
 * Middleware for every response of every role: id, trace, metrics, headers, compression. Only `serveCached` runs before it, and
 * it sets the same values for cached responses.
 */
export function useCommonMiddleware(app: Hono<AppContext>, deps: CommonDeps): void {
  app.use(nameRequest);
  app.use(writeJson(deps.publicUrl ?? ''));
  app.use(trace(deps));
  app.use(measure(deps));
  app.use(recordVariants(deps));
  app.use(setRequestId);
  app.use(secure(deps.isEncrypted));
  app.use(setCacheHeaders);
  app.use(setRateHeaders);
  // Compress streams here; complete bodies were tagged and compressed before.
  app.use(compress({ contentTypeFilter: isPackable }));
  app.use(represent());
}

/** Handles HEAD as GET without a body, with the same headers and tag. The middlewares would treat it as a different method. */
export function answerHead<App extends Hono<AppContext>>(app: App): App {
  const answer = app.fetch;
  app.fetch = async (request, ...rest) => {
    if (request.method !== 'HEAD') return answer(request, ...rest);
    const asked = new Headers(request.headers);
    // Ranges apply to bodies, and HEAD has none.
    asked.delete('range');
    // The URL of the incoming request may contain credentials, which `Request` does not allow.
    const url = Object.assign(new URL(request.url), { username: '', password: '' });
    const { status, headers, body } = await answer(new Request(url, { headers: asked }), ...rest);
    await body?.cancel();
    return new Response(null, { status, headers });
  };
  return app;
}
