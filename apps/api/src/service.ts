import { randomInt } from 'node:crypto';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { createArtifactStore } from '@inferboard/db/artifacts/artifact-store';
import { createDatabase, type Database } from '@inferboard/db/client';
import { type CatalogueFollower, followCatalogue } from '@inferboard/db/follow-catalogue';
import { pendingMigrations } from '@inferboard/db/migrate';
import type { Replica } from '@inferboard/db/replica';
import { OutboundRefusal } from '@inferboard/outbound/failures';
import { createPolicy, type Policy } from '@inferboard/outbound/policy';
import { createKeyring } from '@inferboard/outbound/sealed-secrets';
import { noTelemetry, type Telemetry } from '@inferboard/telemetry/telemetry';
import { type AnswerCache, createAnswerCache } from './answer-cache/answer-cache.ts';
import { answerEarly } from './answer-cache/early.ts';
import { createApp } from './app.ts';
import { artifactStoreOf } from './artifact-settings.ts';
import { removeLeftovers } from './bodies/temp-folder.ts';
import { ensureAdmin } from './bootstrap.ts';
import type { Deps, Log } from './deps.ts';
import { type Env, publicUrlOf, SettingsError, telemetryOf } from './env.ts';
import { startIntake } from './intake/intake.ts';
import { listen, listenForProbes } from './listen.ts';
import { createMetrics } from './metrics.ts';
import { createSchemeReader } from './middleware/client-scheme.ts';
import { bodyReceiver } from './middleware/limit-body.ts';
import { migrateDatabase, openDatabase, openReadReplica, type Release, releaseAll } from './open-database.ts';
import { createPriceReader } from './prices-in-use.ts';
import { createProbeApp } from './probe-app.ts';
import { createRateLimits } from './rate-limits.ts';
import { loadSampleParts } from './sample.ts';
import { readSecretKey } from './secret-key.ts';
import { loadSite } from './site.ts';
import { admitSite } from './site-key.ts';
import { startSite } from './site-service.ts';
import type { SupervisedChild } from './supervise-child.ts';
import { startWorkerProcess, workerSettings } from './worker-process.ts';

export interface Service {
  /** Where it answers; null for a worker alone. */
  url: string | null;
  /** The port at which it listens; null for a worker alone. */
  port: number | null;
  /** The admin key that this start generated; null if it generated none. */
  adminKey: string | null;
  /** Resolves with the reason when it cannot go on: its database has ended and does not start again. */
  lost: Promise<Error>;
  /** Finishes what is under way, for a few seconds, and releases everything. */
  stop(): Promise<void>;
}

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

/** @throws SettingsError if temporary files cannot be written */
async function prepareBodies(releases: Release[]): Promise<void> {
  try {
    await removeLeftovers(tmpdir());
    await bodyReceiver.prepare();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new SettingsError(
      `Cannot start: TMPDIR, where large bodies are stored while they arrive, cannot be written to: ${why}`,
    );
  }
  releases.push(() => bodyReceiver.close());
}

function openAnswers(
  { CACHE_MB: mb }: Env,
  { primary, replica, catalogue }: { primary: Database; replica: Replica | null; catalogue: CatalogueFollower },
): AnswerCache | null {
  return mb === 0 ? null : createAnswerCache({ primary, replica, catalogue, bytesMax: mb * 1024 ** 2 });
}

/** The database that the first of several processes opened. */
export interface OpenedDatabase {
  url: string;
  /** True of the process that prepares it: migrations, the admin's key, sample data. The others start after it. */
  prepares: boolean;
}

/** What one of several processes that share a port gets from the first of them, which runs the worker. */
export interface Membership {
  /** Null for a site apart, which has none. */
  database: OpenedDatabase | null;
  /** Counts the processes, so that each asks another read replica first. */
  number: number;
}

/**
 * Starts the whole product in this process: database, migrations, admin, site, sample data, and last the port, so that
 * everything is there for the first request.
 */
export async function startService(
  env: Env,
  log: Log,
  telemetry: Telemetry = noTelemetry,
  membership: Membership | null = null,
): Promise<Service> {
  const releases: Release[] = [];
  try {
    const serves = env.ROLES.some((role) => role !== 'worker');
    if (serves) await prepareBodies(releases);
    const artifactStore = artifactStoreOf(env);
    const { promise: lost, resolve: lose } = Promise.withResolvers<Error>();
    const opened = membership?.database ?? null;
    const isShared = membership !== null;
    const prepares = opened === null || opened.prepares;
    const databaseUrl = opened?.url ?? (await openDatabase(env, log, releases, lose));
    const database = createDatabase(databaseUrl);
    releases.push(() => database.close());
    if (prepares) await migrateDatabase(env, databaseUrl, database, log);
    const replica = await openReadReplica(env, database, {
      first: membership?.number ?? randomInt(2 ** 16),
      log,
      releases,
    });
    const admin = serves && prepares ? await ensureAdmin(database.db, env.ADMIN_KEY) : null;
    if (admin?.revoked === true)
      log('error', 'ADMIN_KEY gives no access: this key was revoked, or belongs to another account. Set another one.');
    const publicUrl = publicUrlOf(env, env.PORT);
    const intake = serves
      ? startIntake({ databaseUrl, publicUrl, artifactStore, traces: telemetryOf(env).traces })
      : null;
    if (intake !== null) releases.push(() => intake.close());

    const secretKey = await readSecretKey(env);
    let draining = false;
    let worker: SupervisedChild | null = null;
    const catalogue = followCatalogue(database, (leftOut) => log('warn', `Left out of the catalogue: ${leftOut}`));
    const answers = openAnswers(env, { primary: database, replica, catalogue });
    const deps: Deps = {
      database,
      artifacts: createArtifactStore(artifactStore),
      replica,
      answers,
      catalogue,
      publicUrl,
      intake,
      registration: env.REGISTRATION,
      establishedAfterDays: env.ESTABLISHED_AFTER_DAYS,
      prices: createPriceReader(env.PRICES, log),
      rateLimits: createRateLimits({
        reads: env.RATE_LIMIT_READS,
        writes: env.RATE_LIMIT_WRITES,
        trustedProxies: env.TRUSTED_PROXIES,
      }),
      isEncrypted: createSchemeReader({ trustedProxies: env.TRUSTED_PROXIES, publicUrl }),
      metrics: createMetrics(database, { replica, intake, answers, isShared }),
      outbound: openPolicy(env, publicUrl),
      keyring: secretKey === null ? null : await createKeyring(secretKey, env.SECRET_KEY_EARLIER),
      pendingMigrations: () => pendingMigrations(database.sql),
      isDraining: () => draining,
      figuresElsewhere: env.PROBE_PORT !== undefined,
      log,
      telemetry,
    };
    if (serves && prepares) await loadSampleParts(deps, env.SAMPLE_DATA);
    const site = env.ROLES.includes('site') ? await loadSite(deps.publicUrl) : null;
    releases.push(async () => worker?.stop());
    const at = { host: env.HOST, isShared, publicUrl, isDraining: deps.isDraining };
    const probes = await listenForProbes(env, createProbeApp(deps), at);
    if (probes !== null) releases.push(() => probes.close());
    const app = serves ? admitSite(createApp(deps, site), env.SITE_KEY) : null;
    const listener = app === null ? null : await listen(app.fetch, { ...at, port: env.PORT, early: answerEarly(deps) });
    if (listener !== null) releases.push(() => listener.close());
    if (env.ROLES.includes('worker') && !isShared)
      worker = startWorkerProcess(workerSettings(env, { databaseUrl, secretKey }), log);
    return {
      url: listener === null ? null : publicUrlOf(env, listener.port),
      port: listener?.port ?? null,
      adminKey: admin?.generated ?? null,
      lost,
      stop: async () => {
        draining = true;
        // Beside the requests that are finished, not after them.
        worker?.stop();
        // Balancers that ask /readyz turn away before the port closes.
        await sleep(serves ? env.DRAIN_S * 1000 : 0);
        await releaseAll(releases, log);
      },
    };
  } catch (error) {
    await releaseAll(releases, log);
    throw error;
  }
}

/** Starts what the roles ask for: a site that has an API to ask runs without anything else of ours. */
export function startRoles(
  env: Env,
  log: Log,
  telemetry: Telemetry = noTelemetry,
  membership: Membership | null = null,
): Promise<Service> {
  return env.API_URL === undefined
    ? startService(env, log, telemetry, membership)
    : startSite({ ...env, API_URL: env.API_URL }, log, telemetry, membership !== null);
}
