import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { createDatabase } from '@inferboard/db/client';
import { migrate, pendingMigrations } from '@inferboard/db/migrate';
import { warmPointIndex } from '@inferboard/db/point-index/point-index';
import { OutboundRefusal } from '@inferboard/outbound/failures';
import { createPolicy, type Policy } from '@inferboard/outbound/policy';
import { createKeyring } from '@inferboard/outbound/sealed-secrets';
import { createApp } from './app.ts';
import { ensureAdmin } from './bootstrap.ts';
import type { Deps, Log } from './deps.ts';
import { type Env, SettingsError } from './env.ts';
import { startIntake } from './intake/intake.ts';
import { createMetrics } from './metrics.ts';
import { openDatabase, type Release, releaseAll } from './open-database.ts';
import { createRateLimits } from './rate-limits.ts';
import { rankByDefault } from './routes/leaderboard.ts';
import { loadSampleData } from './sample.ts';
import { readSecretKey } from './secret-key.ts';
import { loadSite } from './site.ts';
import { lingerOnUnread, refuseMalformed, refuseRequest, requireHost } from './wire.ts';
import { startWorkerProcess, type WorkerProcess } from './worker-process.ts';

export interface Service {
  /** Where it answers; null for a worker alone. */
  url: string | null;
  /** The admin key, on the one start that generated it. */
  adminKey: string | null;
  /** Finishes what is under way, for a few seconds, and lets go of everything. */
  stop(): Promise<void>;
}

/** How long requests under way may take once we are told to stop. */
const drainMs = 8000;

/** @throws SettingsError where a network is not one */
function openPolicy({ ENDPOINT_ALLOW_CIDRS: allowCidrs }: Env, contact: string): Policy {
  try {
    return createPolicy({ contact, allowCidrs });
  } catch (error) {
    if (error instanceof OutboundRefusal)
      throw new SettingsError(`Cannot start: ENDPOINT_ALLOW_CIDRS: ${error.message}`);
    throw error;
  }
}

/** Waits for the port. The adapter's own server would answer unreadable requests with an empty body. */
function listen(app: ReturnType<typeof createApp>, env: Env, publicUrl: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const options = { hostname: env.HOST, errorHandler: refuseRequest(publicUrl), autoCleanupIncoming: false };
    const answer = requireHost(getRequestListener(app.fetch, options), publicUrl);
    const server = createServer({ requireHostHeader: false }, answer);
    refuseMalformed(server, publicUrl);
    lingerOnUnread(server);
    server.once('error', (error: NodeJS.ErrnoException) => {
      const inUse = error.code === 'EADDRINUSE';
      reject(inUse ? new Error(`Cannot start: PORT ${env.PORT} on ${env.HOST} is in use by another program.`) : error);
    });
    server.listen(env.PORT, env.HOST, () => resolve(server));
  });
}

async function closeServer(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    const impatient = setTimeout(() => server.closeAllConnections(), drainMs);
    server.close(() => {
      clearTimeout(impatient);
      resolve();
    });
    server.closeIdleConnections();
  });
}

/**
 * Starts the whole product in this process: database, migrations, admin, site, sample data, and last the port, so that
 * whoever reaches it finds everything there.
 */
export async function startService(env: Env, log: Log): Promise<Service> {
  const releases: Release[] = [];
  try {
    const databaseUrl = await openDatabase(env, log, releases);
    await migrate(databaseUrl);
    const database = createDatabase(databaseUrl);
    releases.push(() => database.close());
    const adminKey = await ensureAdmin(database.db, env.ADMIN_KEY);
    const shownHost = env.HOST === '127.0.0.1' || env.HOST === '0.0.0.0' ? 'localhost' : env.HOST;
    const publicUrl = env.PUBLIC_URL ?? `http://${shownHost}:${env.PORT}`;
    const intake = startIntake({ databaseUrl, publicUrl });
    releases.push(() => intake.close());

    const serves = env.ROLES.some((role) => role !== 'worker');
    const secretKey = await readSecretKey(env);
    let draining = false;
    let worker: WorkerProcess | null = null;
    const deps: Deps = {
      database,
      publicUrl,
      intake,
      registration: env.REGISTRATION,
      rateLimits: createRateLimits({
        reads: env.RATE_LIMIT_READS,
        writes: env.RATE_LIMIT_WRITES,
        trustedProxies: env.TRUSTED_PROXIES,
      }),
      metrics: createMetrics(database),
      outbound: openPolicy(env, publicUrl),
      keyring: secretKey === null ? null : await createKeyring(secretKey, env.SECRET_KEY_EARLIER),
      pendingMigrations: () => pendingMigrations(database.sql),
      isDraining: () => draining,
      log,
    };
    if (env.SAMPLE_DATA && serves) await loadSampleData(deps);
    const site = env.ROLES.includes('site') ? await loadSite(deps.publicUrl) : null;
    releases.push(async () => worker?.stop());
    const server = serves ? await listen(createApp(deps, site), env, deps.publicUrl) : null;
    if (server !== null) releases.push(() => closeServer(server));
    if (env.ROLES.includes('worker')) {
      const { ENDPOINT_ALLOW_CIDRS: allowCidrs, DATASETS: datasets } = env;
      const settings = { databaseUrl, secretKey, earlierKeys: env.SECRET_KEY_EARLIER, allowCidrs, publicUrl, datasets };
      worker = startWorkerProcess(settings, log);
    }
    // Over millions of points the first board would wait for it; a stop does not.
    if (serves)
      warmPointIndex(database.db, rankByDefault).catch((error: unknown) => {
        if (!draining) log('error', 'The points could not be read ahead.', { error: String(error) });
      });
    const port = server === null ? env.PORT : (server.address() as AddressInfo).port;
    return {
      url: serves ? (env.PUBLIC_URL ?? `http://${shownHost}:${port}`) : null,
      adminKey,
      stop: () => {
        draining = true;
        // Beside the requests that are finished, not after them.
        worker?.stop();
        return releaseAll(releases, log);
      },
    };
  } catch (error) {
    await releaseAll(releases, log);
    throw error;
  }
}
