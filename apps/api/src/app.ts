import { OpenAPIHono } from '@hono/zod-openapi';
import { DomainError } from '@inferboard/core/errors';
import { cors } from 'hono/cors';
import { allowedMethods } from './allowed-methods.ts';
import { keep } from './answer-cache/keep.ts';
import { keepingPage } from './answer-cache/keep-page.ts';
import { answerErrors, refuseWith } from './answer-errors.ts';
import type { AppContext, Deps } from './deps.ts';
import { completeDocument } from './document/complete.ts';
import { answerHead, openDoor } from './door.ts';
import { wireRefusals } from './errors.ts';
import { inside } from './inside.ts';
import { authenticate, refuseKeyInQuery } from './middleware/auth.ts';
import { originOf } from './middleware/client-address.ts';
import { followNames } from './middleware/follow-names.ts';
import { limitRates } from './middleware/limit-rate.ts';
import { serveRanges } from './middleware/ranges.ts';
import { readFromReplica } from './middleware/read-replica.ts';
import { refuseAgain } from './middleware/refuse-again.ts';
import { refuseProto } from './middleware/refuse-proto.ts';
import { allowEverywhere, onceAnswered } from './middleware/secure.ts';
import type { Document } from './reference/document.ts';
import { accountRoutes } from './routes/accounts.ts';
import { additionRoutes } from './routes/additions.ts';
import { badgeRoutes } from './routes/badges.ts';
import { bestRoutes } from './routes/best.ts';
import { catalogueRoutes } from './routes/catalogue.ts';
import { changeRoutes } from './routes/changes.ts';
import { compareRoutes } from './routes/compare.ts';
import { concernDecisionRoutes } from './routes/concern-decisions.ts';
import { concernRoutes } from './routes/concerns.ts';
import { decisionRoutes } from './routes/decisions.ts';
import { docsRoutes } from './routes/docs.ts';
import { endpointRoutes } from './routes/endpoints.ts';
import { exportRoutes } from './routes/exports.ts';
import { feedRoutes } from './routes/feed.ts';
import { healthRoutes } from './routes/health.ts';
import { heldNameRoutes } from './routes/held-names.ts';
import { historyRoutes } from './routes/history.ts';
import { keyRoutes } from './routes/keys.ts';
import { leaderboardRoutes } from './routes/leaderboard.ts';
import { llmsRoutes } from './routes/llms.ts';
import { matrixRoutes } from './routes/matrix.ts';
import { mcpRoutes } from './routes/mcp.ts';
import { meRoutes } from './routes/me.ts';
import { metricsRoutes } from './routes/metrics.ts';
import { paretoRoutes } from './routes/pareto.ts';
import { priceRoutes } from './routes/prices.ts';
import { qualityRoutes } from './routes/quality.ts';
import { reportRoutes } from './routes/report.ts';
import { resultRoutes } from './routes/results.ts';
import { runEventRoutes } from './routes/run-events.ts';
import { runRoutes } from './routes/runs.ts';
import { scheduleRoutes } from './routes/schedules.ts';
import { searchRoutes } from './routes/search.ts';
import { submissionRoutes } from './routes/submissions.ts';
import { systemRoutes } from './routes/systems.ts';
import { webhookRoutes } from './routes/webhooks.ts';
import type { SiteMount } from './site.ts';
import { tellKeys } from './tell-keys.ts';

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

/** Reads that may show what was so a moment ago. What a single submission is now, and all that needs a key, is not among them. */
function createLaggingRoutes(deps: Deps) {
  return new OpenAPIHono<AppContext>()
    .route('/', resultRoutes(deps))
    .route('/', qualityRoutes(deps))
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
    .route('/', searchRoutes(deps));
}

/** The routes of the API, in the order of the reference. */
function createRoutes(deps: Deps) {
  return new OpenAPIHono<AppContext>()
    .route('/', submissionRoutes(deps))
    .route('/', decisionRoutes(deps))
    .route('/', heldNameRoutes(deps))
    .route('/', additionRoutes(deps))
    .route('/', concernRoutes(deps))
    .route('/', concernDecisionRoutes(deps))
    .route('/', createLaggingRoutes(deps))
    .route('/', priceRoutes(deps))
    .route('/', accountRoutes(deps))
    .route('/', meRoutes(deps))
    .route('/', keyRoutes(deps))
    .route('/', endpointRoutes(deps))
    .route('/', runRoutes(deps))
    .route('/', runEventRoutes(deps))
    .route('/', scheduleRoutes(deps))
    .route('/', webhookRoutes(deps))
    .route('/', healthRoutes(deps))
    .route('/', metricsRoutes(deps));
}

/** The address is not repeated: people paste keys into the strangest places. */
const nothingHere = () => new DomainError('not_found', 'There is nothing at this address.');

/** The whole service: API, its reference, and the site where one is mounted. Importing this starts nothing. */
export function createApp(deps: Deps, site: SiteMount | null = null): OpenAPIHono<AppContext> {
  const app = new OpenAPIHono<AppContext>();
  openDoor(app, deps);
  app.use('/v1/submissions/:id/artifact', serveRanges(deps));
  const shared = cors({
    origin: '*',
    allowMethods: ['GET', 'HEAD', 'OPTIONS'],
    // Nothing that a key is sent with: scripts of other origins read what everyone may.
    allowHeaders: ['If-None-Match', 'If-Range', 'Range', 'X-Request-Id'],
    exposeHeaders: exposed,
    maxAge: 3600,
  });
  for (const path of ['/v1/*', '/openapi.json', '/llms.txt']) app.use(path, onceAnswered(shared), allowEverywhere);
  app.use('/v1/*', refuseKeyInQuery, refuseProto);
  app.use('/v1/*', refuseAgain(deps));
  app.use('/v1/*', authenticate(deps));
  app.use(limitRates(deps));
  app.use('/v1/*', followNames(deps));
  const ask = async (path: string, headers: Record<string, string> = {}) => app.request(path, { headers }, inside);
  app.use('/v1/*', (c, next) => {
    c.set('ask', ask);
    return next();
  });

  if (deps.figuresElsewhere) app.use('/metrics', (c) => Promise.resolve(refuseWith(deps, c, nothingHere())));
  if (deps.replica) app.use(readFromReplica(deps, createLaggingRoutes));
  // Documents change with a release only.
  for (const path of ['/docs/*', '/openapi.json', '/llms.txt']) app.use(path, keep(deps, []));
  const routes = createRoutes(deps);
  app.route('/', routes);
  app.route(
    '/',
    docsRoutes(() => document as Document, deps.publicUrl),
  );
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

  app.onError(answerErrors(deps));
  app.notFound(async (c) => {
    const methods = allowedMethods(document, c.req.path);
    if (methods.length > 0 && !methods.includes(c.req.method)) {
      const Allow = methods.join(', ');
      const error = new DomainError('method_not_allowed', `${c.req.method} is not possible here; ${Allow} is.`);
      return refuseWith(deps, c, error, { Allow });
    }
    if (site !== null && !c.req.path.startsWith('/v1/'))
      return site.respond(
        c.req.raw,
        keepingPage(deps, c, deps.rateLimits.addressOf(originOf(c)), (request, environment) =>
          app.fetch(request, environment),
        ),
      );
    return refuseWith(deps, c, nothingHere());
  });
  return answerHead(app);
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
