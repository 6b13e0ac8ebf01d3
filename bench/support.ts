// Shared by benchmarks: separate databases, and figures with their measuring conditions.
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtInPrices } from '@inferboard/core/prices/price-list';
import { createApp } from '../apps/api/src/app.ts';
import type { Deps } from '../apps/api/src/deps.ts';
import { createRateLimits } from '../apps/api/src/http/rate-limits.ts';
import { startIntake } from '../apps/api/src/intake/intake.ts';
import { createMetrics } from '../apps/api/src/metrics/metrics.ts';
import { createPriceReader } from '../apps/api/src/prices/prices-in-use.ts';
import { loadSampleData } from '../apps/api/src/sample-data/sample.ts';
import { ensureAdmin } from '../apps/api/src/startup/bootstrap.ts';
import { inDatabase } from '../packages/db/src/artifacts/artifact-store.ts';
import { followCatalogue } from '../packages/db/src/catalogue/follow-catalogue.ts';
import { createDatabase } from '../packages/db/src/connection/client.ts';
import { startEmbedded } from '../packages/db/src/embedded/start.ts';
import { migrate } from '../packages/db/src/migrations/migrate.ts';
import { createPolicy } from '../packages/outbound/src/policy.ts';

export const adminKey = 'bench-admin-key-0123456789abcdef';

export interface Bench {
  app: ReturnType<typeof createApp>;
  deps: Deps;
  /** URL of the database, for a service in a separate process. */
  databaseUrl: string;
  end(): Promise<void>;
}

/** The API on a new embedded database with the sample data, with fsync as in production. */
export async function openBench(): Promise<Bench> {
  const dataDir = await mkdtemp(join(tmpdir(), 'inferboard-bench-'));
  const embedded = await startEmbedded({ dataDir, log: () => {} });
  await migrate(embedded.url);
  const database = createDatabase(embedded.url);
  const publicUrl = 'http://localhost:8787';
  const intake = startIntake({ databaseUrl: embedded.url, publicUrl });
  const deps: Deps = {
    database,
    artifacts: inDatabase,
    replica: null,
    responseCache: null,
    catalogue: followCatalogue(database),
    publicUrl,
    registration: 'closed',
    establishedAfterDays: 14,
    intake,
    prices: createPriceReader(builtInPrices, () => {}),
    rateLimits: createRateLimits({ reads: null, writes: null, trustedProxies: [] }),
    isEncrypted: () => false,
    metrics: createMetrics(database),
    outbound: createPolicy({ contact: 'http://localhost:8787' }),
    keyring: null,
    pendingMigrations: async () => 0,
    isDraining: () => false,
    telemetry: noTelemetry,
    log: (level, message, details) => level === 'error' && console.error(message, details),
  };
  await ensureAdmin(database.db, adminKey);
  await loadSampleData(deps);
  return {
    app: createApp(deps),
    deps,
    databaseUrl: embedded.url,
    end: async () => {
      await intake.close();
      await database.close();
      await embedded.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export interface Timing {
  p50: number;
  p99: number;
}

/** Times two functions in turn, so that other work on the machine affects both. Milliseconds. */
export async function compare(
  rounds: number,
  subject: () => Promise<unknown>,
  baseline: () => Promise<unknown>,
): Promise<{ subject: Timing; baseline: Timing }> {
  const times = { subject: [] as number[], baseline: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, run] of [
      ['subject', subject],
      ['baseline', baseline],
    ] as const) {
      const start = performance.now();
      await run();
      // The first rounds warm caches and the compiler.
      if (round >= rounds / 10) times[name].push(performance.now() - start);
    }
  }
  const at = (values: number[], p: number) =>
    values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * p)] ?? 0;
  const timing = (values: number[]): Timing => ({ p50: at(values, 0.5), p99: at(values, 0.99) });
  return { subject: timing(times.subject), baseline: timing(times.baseline) };
}

export function report(title: string, what: { subject: Timing; baseline: Timing }, baselineName: string): void {
  const ms = (value: number) => `${value.toFixed(2)} ms`;
  const { subject, baseline } = what;
  console.log(
    `${title}: p50 ${ms(subject.p50)}, p99 ${ms(subject.p99)}; ${baselineName}: p50 ${ms(baseline.p50)}, p99 ${ms(baseline.p99)}; ratio of p50 ${(subject.p50 / baseline.p50).toFixed(2)}`,
  );
}

export function describeMachine(): void {
  console.log(`Node ${process.version}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(2)}`);
}

import { noTelemetry } from '@inferboard/telemetry/telemetry';
