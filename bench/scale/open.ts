import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { builtInPrices } from '@inferboard/core/prices/price-list';
import { createApp } from '../../apps/api/src/app.ts';
import type { Deps } from '../../apps/api/src/deps.ts';
import { createRateLimits } from '../../apps/api/src/http/rate-limits.ts';
import { createMetrics } from '../../apps/api/src/metrics/metrics.ts';
import { createPriceReader } from '../../apps/api/src/prices/prices-in-use.ts';
import { inDatabase } from '../../packages/db/src/artifacts/artifact-store.ts';
import { followCatalogue } from '../../packages/db/src/catalogue/follow-catalogue.ts';
import { createDatabase } from '../../packages/db/src/connection/client.ts';
import { startEmbedded } from '../../packages/db/src/embedded/start.ts';
import { migrate } from '../../packages/db/src/migrations/migrate.ts';
import { createPolicy } from '../../packages/outbound/src/policy.ts';
import { markFile } from './fill/build.ts';

export interface Opened {
  app: ReturnType<typeof createApp>;
  deps: Deps;
  databaseUrl: string;
  close(): Promise<void>;
}

/**
 * The API on a generated directory, in this process and with fsync as in production.
 *
 * @throws Error if the directory is not a generated one, or incomplete
 */
export async function openBuilt(dir: string): Promise<Opened> {
  await access(join(dir, markFile)).catch(() => {
    throw new Error(`${dir} holds no finished generation: npm run bench:generate -- --dir ${dir}`);
  });
  const embedded = await startEmbedded({ dataDir: dir, log: () => {} });
  await migrate(embedded.url);
  const database = createDatabase(embedded.url, { statementTimeout_ms: 600_000 });
  const deps: Deps = {
    database,
    artifacts: inDatabase,
    replica: null,
    responseCache: null,
    catalogue: followCatalogue(database),
    publicUrl: 'http://localhost:8787',
    registration: 'closed',
    establishedAfterDays: 14,
    intake: null,
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
  return {
    app: createApp(deps),
    deps,
    databaseUrl: embedded.url,
    close: async () => {
      await database.close();
      await embedded.stop();
    },
  };
}

import { noTelemetry } from '@inferboard/telemetry/telemetry';
