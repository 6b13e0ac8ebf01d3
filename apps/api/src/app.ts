import { OpenAPIHono } from '@hono/zod-openapi';
import { DomainError } from '@inferboard/core/errors';
import { databaseProblem } from '@inferboard/db/errors';
import type { Context } from 'hono';
import { COMPRESSIBLE_CONTENT_TYPE_REGEX, compress } from 'hono/compress';
import { cors } from 'hono/cors';
import { HTTPException } from 'hono/http-exception';
import { requestId } from 'hono/request-id';
import { secureHeaders } from 'hono/secure-headers';
import { allowedMethods } from './allowed-methods.ts';
import type { AppContext, Deps } from './deps.ts';
import { completeDocument } from './document/complete.ts';
import { type Problem, problemType, toProblem, wireRefusals } from './errors.ts';
import { inside } from './inside.ts';
import { authenticate, refuseKeyInQuery } from './middleware/auth.ts';
import { tellCaching } from './middleware/caching.ts';
import { limitRates, tellRates } from './middleware/limit-rate.ts';
import { measure } from './middleware/measure.ts';
import { serveRanges } from './middleware/ranges.ts';
import { represent } from './middleware/represent.ts';
import { accountRoutes } from './routes/accounts.ts';
import { badgeRoutes } from './routes/badges.ts';
import { bestRoutes } from './routes/best.ts';
import { catalogueRoutes } from './routes/catalogue.ts';
import { changeRoutes } from './routes/changes.ts';
import { compareRoutes } from './routes/compare.ts';
import { decisionRoutes } from './routes/decisions.ts';
import { docsRoutes } from './routes/docs.ts';
import { endpointRoutes } from './routes/endpoints.ts';
import { exportRoutes } from './routes/exports.ts';
import { feedRoutes } from './routes/feed.ts';
import { healthRoutes } from './routes/health.ts';
import { historyRoutes } from './routes/history.ts';
import { keyRoutes } from './routes/keys.ts';
import { leaderboardRoutes } from './routes/leaderboard.ts';
import { llmsRoutes } from './routes/llms.ts';
import { matrixRoutes } from './routes/matrix.ts';
import { mcpRoutes } from './routes/mcp.ts';
import { metricsRoutes } from './routes/metrics.ts';
import { paretoRoutes } from './routes/pareto.ts';
import { reportRoutes } from './routes/report.ts';
import { resultRoutes } from './routes/results.ts';
import { runEventRoutes } from './routes/run-events.ts';
import { runRoutes } from './routes/runs.ts';
import { scheduleRoutes } from './routes/schedules.ts';
import { submissionRoutes } from './routes/submissions.ts';
import { systemRoutes } from './routes/systems.ts';
import { webhookRoutes } from './routes/webhooks.ts';
import type { SiteMount } from './site.ts';
import { tellKeys } from './tell-keys.ts';

const self = ["'self'"];

/** Lines of JSON are packed too, which the library's own list leaves out. */
const isPackable = (type: string) =>
  COMPRESSIBLE_CONTENT_TYPE_REGEX.test(type) || type.startsWith('application/x-ndjson');

/** Headers of answers that scripts of other origins may read. */
const exposed = [
  'ETag',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Repr-Digest',
  'Retry-After',
  'X-Request-Id',
];

/** Whatever went wrong, as the refusal a client may see. */
function toDomainError(error: Error): DomainError {
  if (error instanceof DomainError) return error;
  if (error instanceof HTTPException && error.status === 400) {
    return new DomainError('request_invalid', 'The body is not well-formed JSON.', [
      { code: 'json_malformed', message: error.message, hint: 'Send one JSON object.' },
    ]);
  }
  const problem = databaseProblem(error);
  if (problem === 'timeout') {
    return new DomainError('timeout', 'The answer took too long to find: ask for less, or try again later.');
  }
  if (problem !== null) {
    return new DomainError('database_unavailable', 'The database does not answer now; try again in a few seconds.');
  }
  return new DomainError('internal', 'Something went wrong on our side. The request id leads us to the cause.');
}

/**
 * What an operator needs of a failure: where it happened, and what the database or the system said. A driver's own message
 * repeats the values of the query, which are strangers' words and stay out of logs.
 */
function causeOf(error: Error): Record<string, unknown> {
  let root: Error = error;
  while (root.cause instanceof Error) root = root.cause;
  const code = 'code' in root ? { code: String(root.code) } : {};
  const frames = (error.stack ?? '').split('\n').filter((line) => line.trimStart().startsWith('at '));
  return { error: root.message, ...code, at: frames.slice(0, 12).map((line) => line.trim()) };
}

/** The routes of the API, in the order of the reference. */
function createRoutes(deps: Deps) {
  return new OpenAPIHono<AppContext>()
    .route('/', submissionRoutes(deps))
    .route('/', decisionRoutes(deps))
    .route('/', resultRoutes(deps))
    .route('/', exportRoutes(deps))
    .route('/', systemRoutes(deps))
    .route('/', reportRoutes(deps))
    .route('/', compareRoutes(deps))
    .route('/', historyRoutes(deps))
    .route('/', changeRoutes(deps))
    .route('/', feedRoutes(deps))
    .route('/', badgeRoutes(deps))
    .route('/', leaderboardRoutes(deps))
    .route('/', bestRoutes(deps))
    .route('/', paretoRoutes(deps))
    .route('/', matrixRoutes(deps))
    .route('/', catalogueRoutes(deps))
    .route('/', accountRoutes(deps))
    .route('/', keyRoutes(deps))
    .route('/', endpointRoutes(deps))
    .route('/', runRoutes(deps))
    .route('/', runEventRoutes(deps))
    .route('/', scheduleRoutes(deps))
    .route('/', webhookRoutes(deps))
    .route('/', healthRoutes(deps))
    .route('/', metricsRoutes(deps));
}

/** The whole service: API, its reference, and the site where one is mounted. Importing this starts nothing. */
export function createApp(deps: Deps, site: SiteMount | null = null): OpenAPIHono<AppContext> {
  const app = new OpenAPIHono<AppContext>();
  app.use(requestId({ limitLength: 100 }));
  app.use(measure(deps));
  app.use(
    secureHeaders({
      contentSecurityPolicy: {
        defaultSrc: ["'none'"],
        scriptSrc: self,
        styleSrc: self,
        imgSrc: ["'self'", 'data:'],
        connectSrc: self,
        formAction: self,
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
      },
      referrerPolicy: 'strict-origin-when-cross-origin',
      crossOriginResourcePolicy: 'cross-origin',
      // A route that has a policy of its own keeps it.
      overwrite: false,
    }),
  );
  app.use(tellCaching);
  app.use(tellRates);
  // What flows is packed on its way; what is whole was tagged and packed before.
  app.use(compress({ contentTypeFilter: isPackable }));
  app.use(represent());
  app.use('/v1/submissions/:id/artifact', serveRanges(deps));
  const shared = cors({
    origin: '*',
    allowMethods: ['GET', 'HEAD', 'OPTIONS'],
    // Nothing that a key is sent with: scripts of other origins read what everyone may.
    allowHeaders: ['If-None-Match', 'If-Range', 'Range', 'X-Request-Id'],
    exposeHeaders: exposed,
    maxAge: 3600,
  });
  for (const path of ['/v1/*', '/openapi.json', '/llms.txt']) app.use(path, shared);
  app.use('/v1/*', refuseKeyInQuery);
  app.use('/v1/*', authenticate(deps));
  app.use(limitRates(deps));
  const ask = async (path: string, headers: Record<string, string> = {}) => app.request(path, { headers }, inside);
  app.use('/v1/*', (c, next) => {
    c.set('ask', ask);
    return next();
  });

  const routes = createRoutes(deps);
  app.route('/', routes);
  app.route('/', docsRoutes());
  app.route('/', llmsRoutes(deps.publicUrl));
  app.route('/', mcpRoutes(ask));
  app.openAPIRegistry.registerComponent('securitySchemes', 'key', {
    type: 'http',
    scheme: 'bearer',
    description:
      'A key of an account: `Authorization: Bearer ib_...`. One with the scope `admin` may do whatever another scope allows.',
  });
  const document = openApiDocument(app, deps.publicUrl);
  app.get('/openapi.json', (c) => c.json(document));

  const problemOf = (c: Context<AppContext>, error: DomainError) =>
    toProblem(error, c.get('requestId'), deps.publicUrl);
  const refuse = (c: Context<AppContext>, problem: Problem, headers: Record<string, string> = {}) =>
    // The table of errors holds statuses of refusals only, all of which may have a body.
    c.body(JSON.stringify(problem), problem.status as 400, { 'Content-Type': problemType, ...headers });

  app.onError((raw, c) => {
    const problem = problemOf(c, toDomainError(raw));
    if (problem.status >= 500) {
      deps.log('error', 'request failed', {
        request_id: problem.request_id,
        path: c.req.path,
        ...causeOf(raw),
      });
    }
    return refuse(c, problem, {
      ...(problem.status === 401 && { 'WWW-Authenticate': 'Bearer' }),
      ...(problem.status === 503 && { 'Retry-After': '5' }),
    });
  });

  app.notFound(async (c) => {
    const methods = allowedMethods(document, c.req.path);
    if (methods.length > 0 && !methods.includes(c.req.method)) {
      const Allow = methods.join(', ');
      const error = new DomainError('method_not_allowed', `${c.req.method} is not possible here; ${Allow} is.`);
      return refuse(c, problemOf(c, error), { Allow });
    }
    if (site !== null && !c.req.path.startsWith('/v1/'))
      return site.respond(c.req.raw, { fetch: (request) => app.fetch(request, inside) });
    // The address is not repeated: people paste keys into the strangest places.
    return refuse(c, problemOf(c, new DomainError('not_found', 'There is nothing at this address.')));
  });
  return answerHead(app);
}

/** HEAD is GET without its body, headers and tag included; the middlewares would treat it as another thing. */
function answerHead(app: OpenAPIHono<AppContext>): OpenAPIHono<AppContext> {
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

/** The OpenAPI 3.1 document of all routes. */
export function openApiDocument(app: OpenAPIHono<AppContext>, publicUrl: string) {
  const document = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Inferboard',
      version: '1',
      description:
        'An open benchmark service for LLM inference: submit the output of any tool, ask for the best system. ' +
        'Reads are counted by address, or by key where one is sent, and cost what `x-rate-limit` of the operation says; ' +
        'changes are counted by key. `RateLimit-Policy` of every counted answer tells the quota, `RateLimit` what is left. ' +
        `Before any operation is found a request may be refused as ${wireRefusals}.`,
    },
    servers: [{ url: publicUrl }],
  });
  return completeDocument(tellKeys(document));
}
