import type { Principal } from '@inferboard/db/accounts/account';
import type { ArtifactStore } from '@inferboard/db/artifacts/artifact-store';
import type { CatalogueFollower } from '@inferboard/db/catalogue/follow-catalogue';
import type { Database } from '@inferboard/db/connection/client';
import type { Replica } from '@inferboard/db/connection/replica';
import type { Policy } from '@inferboard/outbound/policy';
import type { Keyring } from '@inferboard/outbound/sealed-secrets';
import type { Log } from '@inferboard/telemetry/log';
import type { Telemetry } from '@inferboard/telemetry/telemetry';
import type { RateLimits } from './http/rate-limits.ts';
import type { Intake } from './intake/intake.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { Origin } from './middleware/client-address.ts';
import type { Counted } from './middleware/limit-rate.ts';
import type { PriceReader } from './prices/prices-in-use.ts';
import type { BufferedResponse } from './response-cache/buffered-response.ts';
import type { ResponseCache } from './response-cache/response-cache.ts';
import type { Env } from './startup/env.ts';

/** All services and settings of the application, built once at the start of the process. */
export interface Deps {
  database: Database;
  /** Where the bytes of artifacts are stored. */
  artifacts: ArtifactStore;
  /** A replica for reads that may lag; null if there is none. */
  replica: Replica | null;
  /** Cached responses; null if nothing is cached. */
  responseCache: ResponseCache | null;
  /** Keeps the catalogue of this process up to date with the operators' changes. */
  catalogue: CatalogueFollower;
  /** Base URL of links in responses, without a trailing slash. */
  publicUrl: string;
  registration: Env['REGISTRATION'];
  /** The age from which an account from open registration may be established. */
  establishedAfterDays: number;
  rateLimits: RateLimits;
  /** The price of a GPU-hour, by GPU, if the client sends no price. */
  prices: PriceReader;
  /** Whether a request used HTTPS, to this process or to the proxy in front of it. */
  isEncrypted: (origin: Origin) => boolean;
  /** Where large submissions are parsed and stored; null: in this thread. */
  intake: Intake | null;
  metrics: Metrics;
  /** Whether `/metrics` is on a separate port instead of the public one. */
  figuresElsewhere?: boolean;
  /** Which URLs the service may call for users. */
  outbound: Policy;
  /** Encrypts the credentials of endpoints; null if credentials are not accepted. */
  keyring: Keyring | null;
  /** Number of pending migrations; 0 when the database is current. */
  pendingMigrations(): Promise<number>;
  /** True while the process shuts down. */
  isDraining(): boolean;
  log: Log;
  /** Request logs and traces. */
  telemetry: Telemetry;
}

export type { Log };

/** Values that middleware sets for handlers. */
export interface Variables {
  requestId: string;
  /** The id of the request's trace. */
  traceId: string;
  principal: Principal | null;
  /** Quotas that the request was counted against; unset if it was not counted. */
  counted: Counted[] | undefined;
  /** Size of the request body, once a middleware has read it. */
  bodyBytes: number | undefined;
  /** True if the response depends on the current day, so that it is not cached. */
  isOfToday: boolean | undefined;
  /** The cacheable response; unset if it is not cached. */
  cacheableResponse: BufferedResponse | undefined;
  /** Sends a request to the API in this process, without rate limits and metrics. */
  ask(path: string, headers: Record<string, string>): Promise<Response>;
}

export interface AppContext {
  Variables: Variables;
}
