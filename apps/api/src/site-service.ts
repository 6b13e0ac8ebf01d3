import { setTimeout as sleep } from 'node:timers/promises';
import { noTelemetry, type Telemetry } from '@inferboard/telemetry/telemetry';
import { askApi } from './ask-api.ts';
import type { Log } from './deps.ts';
import { type Env, publicUrlOf } from './env.ts';
import { listen, listenForProbes } from './listen.ts';
import { createMetrics } from './metrics.ts';
import { createSchemeReader } from './middleware/client-scheme.ts';
import { createRateLimits } from './rate-limits.ts';
import { metricsRoutes } from './routes/metrics.ts';
import type { Service } from './service.ts';
import { loadSite } from './site.ts';
import { createSiteApp, siteHealth } from './site-app.ts';

/** Starts the site alone: it asks the API over the network and knows neither database nor secret. */
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
    // What is changed through the site the API counts, by the visitor's address.
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
    lost: new Promise(() => {}),
    stop: async () => {
      draining = true;
      await sleep(env.DRAIN_S * 1000);
      await listener.close();
      await probes?.close();
    },
  };
}
