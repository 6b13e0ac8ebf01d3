import { DomainError } from '@inferboard/core/errors';
import { Hono } from 'hono';
import { answerErrors, refuseWith } from './answer-errors.ts';
import type { AppContext, Deps } from './deps.ts';
import { answerHead, openDoor } from './door.ts';
import { originOf } from './middleware/client-address.ts';
import { limitVisitors } from './middleware/limit-rate.ts';
import { metricsRoutes } from './routes/metrics.ts';
import type { SiteApi, SiteMount } from './site.ts';
import { askedFor } from './site-key.ts';

export type SiteDeps = Pick<
  Deps,
  'publicUrl' | 'log' | 'metrics' | 'figuresElsewhere' | 'rateLimits' | 'isEncrypted' | 'isDraining' | 'telemetry'
>;

/**
 * For probes of a site apart. It is ready whether or not the API answers: another process of its kind would have no better
 * luck, and a page that says so is better than none.
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

/** The site without the API: pages and files, with the same door as the whole service. */
export function createSiteApp(deps: SiteDeps, site: SiteMount, api: SiteApi): Hono<AppContext> {
  const app = new Hono<AppContext>();
  openDoor(app, deps);
  app.use(limitVisitors(deps));
  app.route('/', siteHealth(deps));
  if (!deps.figuresElsewhere) app.route('/', metricsRoutes(deps));
  app.onError(answerErrors(deps));
  app.notFound((c) => {
    if (!c.req.path.startsWith('/v1/'))
      return site.respond(c.req.raw, askedFor(deps.rateLimits.addressOf(originOf(c)), api));
    return refuseWith(deps, c, new DomainError('not_found', 'The API is not at this address.'));
  });
  return answerHead(app);
}
