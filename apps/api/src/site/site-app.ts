import { DomainError } from '@inferboard/core/errors';
import { Hono } from 'hono';
import { metricsRoutes } from '../catalogue/metrics-routes.ts';
import type { AppContext, Deps } from '../deps.ts';
import { answerErrors, refuseWith } from '../http/answer-errors.ts';
import { answerHead, useCommonMiddleware } from '../http/common-middleware.ts';
import { originOf } from '../middleware/client-address.ts';
import { limitVisitors } from '../middleware/limit-rate.ts';
import { isOfApi } from '../middleware/route-of.ts';
import type { SiteApi, SiteMount } from './site.ts';
import { apiForVisitor } from './site-key.ts';

export type SiteDeps = Pick<
  Deps,
  'publicUrl' | 'log' | 'metrics' | 'figuresElsewhere' | 'rateLimits' | 'isEncrypted' | 'isDraining' | 'telemetry'
>;

/**
 * Health routes of a separate site. It is ready even if the API does not respond: other site processes would have the same
 * problem, and a page that reports it is better than none.
 */
export function siteHealth({ isDraining }: Pick<Deps, 'isDraining'>): Hono {
  return new Hono()
    .get('/healthz', (c) => c.json({ status: 'ok' }))
    .get('/readyz', (c) => {
      const draining = isDraining();
      return draining
        ? c.json({ status: 'not_ready', draining }, 503, { 'Retry-After': '5' })
        : c.json({ status: 'ready', draining });
    });
}

/** The site without the API: pages and files, with the same middleware as the whole service. */
export function createSiteApp(deps: SiteDeps, site: SiteMount, api: SiteApi): Hono<AppContext> {
  const app = new Hono<AppContext>();
  useCommonMiddleware(app, deps);
  app.use(limitVisitors(deps));
  app.route('/', siteHealth(deps));
  if (!deps.figuresElsewhere) app.route('/', metricsRoutes(deps));
  app.onError(answerErrors(deps));
  app.notFound((c) => {
    if (!isOfApi(c.req.path)) {
      const origin = originOf(c);
      const asked = apiForVisitor(deps.rateLimits.addressOf(origin), api);
      return site.respond(c.req.raw, { ...asked, isEncrypted: deps.isEncrypted(origin) });
    }
    return refuseWith(deps, c, new DomainError('not_found', 'The API is not at this URL.'));
  });
  return answerHead(app);
}
