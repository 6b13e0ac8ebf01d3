import { builtInPrices } from '@inferboard/core/prices/price-list';
import { inDatabase } from '@inferboard/db/artifacts/artifact-store';
import { createDatabase } from '@inferboard/db/client';
import { followCatalogue } from '@inferboard/db/follow-catalogue';
import { pendingMigrations } from '@inferboard/db/migrate';
import { useTestDatabase } from '@inferboard/db/testing/index';
import { createPolicy } from '@inferboard/outbound/policy';
import { createKeyring } from '@inferboard/outbound/sealed-secrets';
import { noTelemetry } from '@inferboard/telemetry/telemetry';
import { afterAll, beforeAll } from 'vitest';
import { createAnswerCache } from '../answer-cache/answer-cache.ts';
import { createApp } from '../app.ts';
import { ensureAdmin } from '../bootstrap.ts';
import type { Deps } from '../deps.ts';
import { createMetrics } from '../metrics.ts';
import { createSchemeReader } from '../middleware/client-scheme.ts';
import { createPriceReader } from '../prices-in-use.ts';
import { createRateLimits } from '../rate-limits.ts';
import { loadSampleData } from '../sample.ts';

export const adminKey = 'test-admin-key-0123456789abcdef';
export const baseUrl = 'http://inferboard.test';

export interface TestApp {
  /** `from` is the address of the peer; without one there is no socket. */
  request(path: string, init?: RequestInit, from?: string): Promise<Response>;
  /** JSON of a GET that must succeed. */
  get<T = Record<string, unknown>>(path: string): Promise<T>;
  /** POSTs an artifact as it lies. */
  submit(artifact: string | Uint8Array, query: Record<string, string>, key: string): Promise<Response>;
  /** A new account's key. */
  createAccount(name: string): Promise<string>;
  deps: Deps;
  /** Of the database, for whoever connects by itself. */
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

/** What tests look at in an answer, whatever kind it is; fields it lacks are undefined at run time. */
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
    system: { id: string; gpu: { id: string | null; name: string } };
    load: { mode: string; level: number | null };
    metrics: Record<string, number | null>;
    findings: Found[];
  }[];
}

/** The body of an answer. The test that reads it is the check of its shape. */
export async function answerOf(response: Response): Promise<Answer> {
  return (await response.json()) as Answer;
}

/** The API over a database of this test file's own; requests go in without a socket. */
export function useTestApp(
  options: {
    sampleData?: boolean;
    registration?: Deps['registration'];
    establishedAfterDays?: number;
    /** A minute's worth; null, as left away, for no limit. */
    reads?: number | null;
    writes?: number | null;
    trustedProxies?: string[];
    /** Networks that endpoints may be in. */
    allowCidrs?: string[];
  } = {},
): TestApp {
  const place = useTestDatabase();
  let app: ReturnType<typeof createApp> | undefined;
  let deps: Deps | undefined;
  beforeAll(async () => {
    const database = createDatabase(place.url, { poolSize: 5 });
    const catalogue = followCatalogue(database);
    const answers = createAnswerCache({ primary: database, replica: null, catalogue, bytesMax: 16 * 1024 ** 2 });
    deps = {
      database,
      artifacts: inDatabase,
      replica: null,
      answers,
      catalogue,
      publicUrl: baseUrl,
      registration: options.registration ?? 'closed',
      establishedAfterDays: options.establishedAfterDays ?? 14,
      intake: null,
      // Time stands still, so that what is left is the same however long a test takes.
      prices: createPriceReader(builtInPrices, () => {}),
      rateLimits: createRateLimits({
        now: () => 0,
        reads: options.reads ?? null,
        writes: options.writes ?? null,
        trustedProxies: options.trustedProxies ?? [],
      }),
      isEncrypted: createSchemeReader({ trustedProxies: options.trustedProxies ?? [], publicUrl: baseUrl }),
      metrics: createMetrics(database, { answers }),
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
  afterAll(() => deps?.database.close());

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
