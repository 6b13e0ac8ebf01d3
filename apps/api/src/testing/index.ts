import { extendCatalogue } from '@inferboard/core/catalogue/additions/extend';
import { builtInPrices } from '@inferboard/core/prices/price-list';
import { inDatabase } from '@inferboard/db/artifacts/artifact-store';
import { followCatalogue } from '@inferboard/db/catalogue/follow-catalogue';
import { createDatabase } from '@inferboard/db/connection/client';
import { pendingMigrations } from '@inferboard/db/migrations/migrate';
import { useTestDatabase } from '@inferboard/db/testing/index';
import { createPolicy } from '@inferboard/outbound/policy';
import { createKeyring } from '@inferboard/outbound/sealed-secrets';
import { noTelemetry } from '@inferboard/telemetry/telemetry';
import { afterAll, beforeAll } from 'vitest';
import { createApp } from '../app.ts';
import type { Deps } from '../deps.ts';
import { createRateLimits } from '../http/rate-limits.ts';
import { createMetrics } from '../metrics/metrics.ts';
import { createSchemeReader } from '../middleware/client-scheme.ts';
import { createPriceReader } from '../prices/prices-in-use.ts';
import { createResponseCache } from '../response-cache/response-cache.ts';
import { loadSampleData } from '../sample-data/sample.ts';
import { ensureAdmin } from '../startup/bootstrap.ts';

export const adminKey = 'test-admin-key-0123456789abcdef';
export const baseUrl = 'http://inferboard.test';

export interface TestApp {
  /** `from` is the peer's address; without it there is no socket. */
  request(path: string, init?: RequestInit, from?: string): Promise<Response>;
  /** JSON of a GET request that must succeed. */
  get<T = Record<string, unknown>>(path: string): Promise<T>;
  /** POSTs an artifact unchanged. */
  submit(artifact: string | Uint8Array, query: Record<string, string>, key: string): Promise<Response>;
  /** Creates an account; returns its key. */
  createAccount(name: string): Promise<string>;
  deps: Deps;
  /** The database URL, for tests with their own connection. */
  databaseUrl: string;
}

const stored = <T>(read: () => T | undefined): T => {
  const value = read();
  if (value === undefined) throw new Error('the test app is there inside tests and hooks only');
  return value;
};

interface Found {
  code: string;
  message: string;
  hint: string;
  parameter: string;
  severity: string;
  status: string;
}

/** The response fields that tests check, of any route; missing fields are undefined at run time. */
export interface Answer {
  id: string;
  code: string;
  status: string;
  notes: string | null;
  errors: Found[];
  artifact: { bytes: number; sha256: string };
  links: { self: string; page: string; artifact: string; leaderboard: string };
  results: {
    status: string;
    system: { id: string; label: string; gpu: { id: string | null; name: string } };
    load: { mode: string; level: number | null };
    metrics: Record<string, number | null>;
    findings: Found[];
  }[];
}

/** The body of a response. Its shape is checked only by the test that reads it. */
export async function answerOf(response: Response): Promise<Answer> {
  return (await response.json()) as Answer;
}

/** The API with a separate database for this test file; requests need no socket. */
export function useTestApp(
  options: {
    sampleData?: boolean;
    registration?: Deps['registration'];
    establishedAfterDays?: number;
    /** Limit per minute; null or omitted for no limit. */
    reads?: number | null;
    writes?: number | null;
    trustedProxies?: string[];
    /** Networks in which endpoints are allowed. */
    allowCidrs?: string[];
  } = {},
): TestApp {
  const place = useTestDatabase();
  let app: ReturnType<typeof createApp> | undefined;
  let deps: Deps | undefined;
  beforeAll(async () => {
    const database = createDatabase(place.url, { poolSize: 5 });
    const catalogue = followCatalogue(database);
    const responseCache = createResponseCache({
      primary: database,
      replica: null,
      catalogue,
      bytesMax: 16 * 1024 ** 2,
    });
    deps = {
      database,
      artifacts: inDatabase,
      replica: null,
      responseCache,
      catalogue,
      publicUrl: baseUrl,
      registration: options.registration ?? 'closed',
      establishedAfterDays: options.establishedAfterDays ?? 14,
      intake: null,
      // A stopped clock, so that the remaining quota does not depend on the test's duration.
      prices: createPriceReader(builtInPrices, () => {}),
      rateLimits: createRateLimits({
        now: () => 0,
        reads: options.reads ?? null,
        writes: options.writes ?? null,
        trustedProxies: options.trustedProxies ?? [],
      }),
      isEncrypted: createSchemeReader({ trustedProxies: options.trustedProxies ?? [], publicUrl: baseUrl }),
      metrics: createMetrics(database, { responseCache }),
      outbound: createPolicy({ contact: baseUrl, allowCidrs: options.allowCidrs ?? [] }),
      keyring: await createKeyring('a master key for tests alone'),
      pendingMigrations: () => pendingMigrations(database.sql),
      isDraining: () => false,
      telemetry: noTelemetry,
      log: (level, message, details) => {
        if (level === 'error') console.error(message, details);
      },
    };
    await ensureAdmin(database.db, adminKey);
    if (options.sampleData) await loadSampleData(deps);
    app = createApp(deps);
  });
  afterAll(async () => {
    await deps?.database.close();
    // Other test files run in the same process and must not see additions of this one.
    extendCatalogue([]);
  });

  const request = async (path: string, init?: RequestInit, from?: string) =>
    stored(() => app).request(path, init, from === undefined ? {} : { incoming: { socket: { remoteAddress: from } } });
  return {
    get databaseUrl() {
      return place.url;
    },
    get deps() {
      return stored(() => deps);
    },
    request,
    get: async <T>(path: string) => {
      const response = await request(path);
      if (response.status !== 200) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`);
      return (await response.json()) as T;
    },
    submit: (artifact, query, key) =>
      request(`/v1/submissions?${new URLSearchParams(query)}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
        body: typeof artifact === 'string' ? artifact : Uint8Array.from(artifact),
      }),
    createAccount: async (name) => {
      const response = await request('/v1/accounts', {
        method: 'POST',
        headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name }),
      });
      const { key } = (await response.json()) as { key: { key: string } };
      return key.key;
    },
  };
}
