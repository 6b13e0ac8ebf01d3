import { setTimeout as sleep } from 'node:timers/promises';
import { noTelemetry, type Telemetry } from '@inferboard/telemetry/telemetry';
import { metricsRoutes } from '../catalogue/metrics-routes.ts';
import type { Log } from '../deps.ts';
import { createRateLimits } from '../http/rate-limits.ts';
import { createMetrics } from '../metrics/metrics.ts';
import { createSchemeReader } from '../middleware/client-scheme.ts';
import { type Env, publicUrlOf } from '../startup/env.ts';
import { listen, listenForProbes } from '../startup/listen.ts';
import type { Service } from '../startup/service.ts';
import { askApi } from './ask-api.ts';
import { loadSite } from './site.ts';
import { createSiteApp, siteHealth } from './site-app.ts';

/** Starts the site alone: it uses the API over the network and has neither database nor secrets. */
export async function startSite(
  env: Env & { API_URL: string },
  log: Log,
  telemetry: Telemetry = noTelemetry,
  isShared = false,
): Promise<Service> {
  const publicUrl = publicUrlOf(env, env.PORT);
  const trustedProxies = env.TRUSTED_PROXIES;
  let draining = false;
  const isDraining = () => draining;
  const deps = {
    publicUrl,
    log,
    telemetry,
    isDraining,
    metrics: createMetrics(null, { isShared }),
    figuresElsewhere: env.PROBE_PORT !== undefined,
    // The API counts writes through the site, by the visitor's address.
    rateLimits: createRateLimits({ reads: env.RATE_LIMIT_READS, writes: null, trustedProxies }),
    isEncrypted: createSchemeReader({ trustedProxies, publicUrl }),
  };
  const app = createSiteApp(deps, await loadSite(publicUrl), askApi(env.API_URL, env.SITE_KEY));
  const at = { host: env.HOST, isShared, publicUrl, isDraining };
  const listener = await listen(app.fetch, { ...at, port: env.PORT });
  const probes = await listenForProbes(env, siteHealth(deps).route('/', metricsRoutes(deps)), at);
  return {
    url: publicUrlOf(env, listener.port),
    port: listener.port,
    adminKey: null,
    signInLink: null,
    lost: new Promise(() => {}),
    stop: async () => {
      draining = true;
      await sleep(env.DRAIN_S * 1000);
      await listener.close();
      await probes?.close();
    },
  };
}
