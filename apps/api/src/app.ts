import { OpenAPIHono } from '@hono/zod-openapi';
import { DomainError } from '@inferboard/core/errors';
import { cors } from 'hono/cors';
import { accountRoutes } from './accounts/accounts-routes.ts';
import { claimRoutes } from './accounts/claims.ts';
import { keyRoutes } from './accounts/keys-routes.ts';
import { meRoutes } from './accounts/me-routes.ts';
import { sessionRoutes } from './accounts/sessions.ts';
import { waitingRoutes } from './accounts/waiting.ts';
import { bestRoutes } from './boards/best-routes.ts';
import { leaderboardRoutes } from './boards/leaderboard-routes.ts';
import { matrixRoutes } from './boards/matrix-routes.ts';
import { paretoRoutes } from './boards/pareto-routes.ts';
import { additionRoutes } from './catalogue/additions-routes.ts';
import { catalogueRoutes } from './catalogue/catalogue-routes.ts';
import { metricsRoutes } from './catalogue/metrics-routes.ts';
import { qualityRoutes } from './catalogue/quality-routes.ts';
import { searchRoutes } from './catalogue/search-routes.ts';
import { systemRoutes } from './catalogue/systems-routes.ts';
import { linkDocuments } from './conventions/links.ts';
import type { AppContext, Deps } from './deps.ts';
import { committedDocument } from './document/committed.ts';
import { docsRoutes } from './document/docs-routes.ts';
import { exportRoutes } from './exports/exports-routes.ts';
import { changeRoutes } from './history/changes-routes.ts';
import { compareRoutes } from './history/compare-routes.ts';
import { feedRoutes } from './history/feed-routes.ts';
import { historyRoutes } from './history/history-routes.ts';
import { trendRoutes } from './history/trend-routes.ts';
import { allowedMethods } from './http/allowed-methods.ts';
import { answerErrors, refuseWith } from './http/answer-errors.ts';
import { answerHead, useCommonMiddleware } from './http/common-middleware.ts';
import { internalEnvironment } from './http/internal-requests.ts';
import { refuseAgain } from './http/refuse-again.ts';
import { refuseProto } from './http/refuse-proto.ts';
import { repeatAnswers } from './idempotency/repeat-answers.ts';
import { llmsRoutes } from './mcp/llms-routes.ts';
import { mcpRoutes } from './mcp/mcp-routes.ts';
import { authenticate, refuseKeyInQuery } from './middleware/auth.ts';
import { originOf } from './middleware/client-address.ts';
import { followNames } from './middleware/follow-names.ts';
import { limitMore, limitRates } from './middleware/limit-rate.ts';
import { serveRanges } from './middleware/ranges.ts';
import { readFromReplica } from './middleware/read-replica.ts';
import { isOfApi } from './middleware/route-of.ts';
import { allowEverywhere, onceAnswered } from './middleware/secure.ts';
import { priceRoutes } from './prices/prices-routes.ts';
import { nativeSchemaPath } from './reference/native-page.ts';
import { reportRoutes } from './report/report-routes.ts';
import { cacheResponses } from './response-cache/cached.ts';
import { createPageApi } from './response-cache/page-cache.ts';
import { concernDecisionRoutes } from './reviews/concern-decisions-routes.ts';
import { concernRoutes } from './reviews/concerns-routes.ts';
import { decisionRoutes } from './reviews/decisions-routes.ts';
import { heldNameRoutes } from './reviews/held-names-routes.ts';
import { endpointRoutes } from './runs/endpoints-routes.ts';
import { runEventRoutes } from './runs/run-events-routes.ts';
import { runRoutes } from './runs/runs-routes.ts';
import { scheduleRoutes } from './runs/schedules-routes.ts';
import { signingKeyRoutes } from './signing/signing-keys-routes.ts';
import type { SiteMount } from './site/site.ts';
import { healthRoutes } from './startup/health-routes.ts';
import { badgeRoutes } from './submissions/actions/badges-routes.ts';
import { resultRoutes } from './submissions/actions/results-routes.ts';
import { comparedSessionRoutes } from './submissions/actions/session-routes.ts';
import { submissionRoutes } from './submissions/actions/submissions-routes.ts';
import { submitRoutes } from './submissions/actions/submit-routes.ts';
import { timelineRoutes } from './submissions/actions/timeline-routes.ts';
import { deliveryRoutes } from './webhooks/delivery-routes.ts';
import { webhookRoutes } from './webhooks/webhooks-routes.ts';

/** Response headers that scripts of other origins may read. */
const exposed = [
  'ETag',
  'Deprecation',
  'Idempotency-Replayed',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Repr-Digest',
  'Retry-After',
  'Sunset',
  'X-Request-Id',
];

/** Reads that may be slightly out of date. Single submissions and routes that need a key are not included. */
function createLaggingRoutes(deps: Deps) {
  return new OpenAPIHono<AppContext>()
    .route('/', resultRoutes(deps))
    .route('/', qualityRoutes(deps))
    .route('/', exportRoutes(deps))
    .route('/', systemRoutes(deps))
    .route('/', reportRoutes(deps))
    .route('/', compareRoutes(deps))
    .route('/', historyRoutes(deps))
    .route('/', trendRoutes(deps))
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
    .route('/', submitRoutes(deps))
    .route('/', submissionRoutes(deps))
    .route('/', comparedSessionRoutes(deps))
    .route('/', timelineRoutes(deps))
    .route('/', decisionRoutes(deps))
    .route('/', claimRoutes(deps))
    .route('/', heldNameRoutes(deps))
    .route('/', additionRoutes(deps))
    .route('/', concernRoutes(deps))
    .route('/', concernDecisionRoutes(deps))
    .route('/', createLaggingRoutes(deps))
    .route('/', priceRoutes(deps))
    .route('/', accountRoutes(deps))
    .route('/', waitingRoutes(deps))
    .route('/', meRoutes(deps))
    .route('/', keyRoutes(deps))
    .route('/', signingKeyRoutes(deps))
    .route('/', sessionRoutes(deps))
    .route('/', endpointRoutes(deps))
    .route('/', runRoutes(deps))
    .route('/', runEventRoutes(deps))
    .route('/', scheduleRoutes(deps))
    .route('/', webhookRoutes(deps))
    .route('/', deliveryRoutes(deps))
    .route('/', healthRoutes(deps))
    .route('/', metricsRoutes(deps));
}

/** The message does not repeat the URL: it may contain a key. */
const nothingHere = () => new DomainError('not_found', 'There is no resource at this URL.');

/** The whole service: the API, its reference, and the site if one is mounted. Importing this module starts nothing. */
export function createApp(deps: Deps, site: SiteMount | null = null): OpenAPIHono<AppContext> {
  const app = new OpenAPIHono<AppContext>();
  useCommonMiddleware(app, deps);
  app.use('/v1/submissions/:id/artifact', serveRanges(deps));
  const shared = cors({
    origin: '*',
    allowMethods: ['GET', 'HEAD', 'OPTIONS'],
    // No header for keys: scripts of other origins may read public data only.
    allowHeaders: ['If-None-Match', 'If-Range', 'Range', 'X-Request-Id'],
    exposeHeaders: exposed,
    maxAge: 3600,
  });
  for (const path of ['/v1/*', nativeSchemaPath, '/openapi.json', '/llms.txt'])
    app.use(path, onceAnswered(shared), allowEverywhere);
  const document = () => committedDocument(deps.publicUrl);
  app.use('/v1/*', linkDocuments(document, deps.publicUrl));
  app.use('/v1/*', refuseKeyInQuery, refuseProto);
  app.use('/v1/*', refuseAgain(deps));
  app.use('/v1/*', authenticate(deps));
  app.use(limitRates(deps));
  app.use('/v1/*', repeatAnswers(deps));
  app.use('/v1/*', followNames(deps));
  const ask = async (path: string, headers: Record<string, string> = {}) =>
    app.request(path, { headers }, internalEnvironment);
  app.use('/v1/*', (c, next) => {
    c.set('ask', ask);
    return next();
  });

  if (deps.figuresElsewhere) app.use('/metrics', (c) => Promise.resolve(refuseWith(deps, c, nothingHere())));
  if (deps.replica) app.use(readFromReplica(deps, createLaggingRoutes));
  // Documents change only with a release.
  for (const path of ['/docs/*', '/openapi.json', '/llms.txt']) app.use(path, cacheResponses(deps, []));
  const routes = createRoutes(deps);
  app.route('/', routes);
  app.route('/', docsRoutes(document, deps.publicUrl));
  app.route('/', llmsRoutes(deps.publicUrl));
  app.route(
    '/',
    mcpRoutes(ask, {
      document,
      publicUrl: deps.publicUrl,
      takeMore: (c, messages) => limitMore(deps, c, messages),
    }),
  );
  app.get('/openapi.json', (c) => c.json(document()));

  app.onError(answerErrors(deps));
  app.notFound(async (c) => {
    const methods = allowedMethods(document(), c.req.path);
    if (methods.length > 0 && !methods.includes(c.req.method)) {
      const Allow = methods.join(', ');
      const error = new DomainError('method_not_allowed', `Method ${c.req.method} not allowed. Use ${Allow}.`);
      return refuseWith(deps, c, error, { Allow });
    }
    if (site !== null && !isOfApi(c.req.path)) {
      const origin = originOf(c);
      const api = createPageApi(deps, c, deps.rateLimits.addressOf(origin), (request, environment) =>
        app.fetch(request, environment),
      );
      return site.respond(c.req.raw, { ...api, isEncrypted: deps.isEncrypted(origin) });
    }
    return refuseWith(deps, c, nothingHere());
  });
  return answerHead(app);
}
