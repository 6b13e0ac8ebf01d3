import type { ArtifactStore } from '@inferboard/db/artifacts/artifact-store';
import type { Database } from '@inferboard/db/client';
import type { CatalogueFollower } from '@inferboard/db/follow-catalogue';
import type { Principal } from '@inferboard/db/queries/account';
import type { Replica } from '@inferboard/db/replica';
import type { Policy } from '@inferboard/outbound/policy';
import type { Keyring } from '@inferboard/outbound/sealed-secrets';
import type { Log } from '@inferboard/telemetry/log';
import type { Telemetry } from '@inferboard/telemetry/telemetry';
import type { Answer } from './answer-cache/answer.ts';
import type { AnswerCache } from './answer-cache/answer-cache.ts';
import type { Env } from './env.ts';
import type { Intake } from './intake/intake.ts';
import type { Metrics } from './metrics.ts';
import type { Origin } from './middleware/client-address.ts';
import type { Counted } from './middleware/limit-rate.ts';
import type { PriceReader } from './prices-in-use.ts';
import type { RateLimits } from './rate-limits.ts';

/** Everything the service is made of, built once where the process starts and handed over. */
export interface Deps {
  database: Database;
  /** Where the bytes of artifacts lie. */
  artifacts: ArtifactStore;
  /** A copy for reads that may lag; null where there is none. */
  replica: Replica | null;
  /** Finished answers; null where none are kept. */
  answers: AnswerCache | null;
  /** Keeps the catalogue of this process as operators left it. */
  catalogue: CatalogueFollower;
  /** Base of the links that are handed out, without a trailing slash. */
  publicUrl: string;
  registration: Env['REGISTRATION'];
  /** The age from which an account of open registration may be established. */
  establishedAfterDays: number;
  rateLimits: RateLimits;
  /** What an hour of each GPU costs, where the reader states no price. */
  prices: PriceReader;
  /** Whether a request came by HTTPS, to us or to the proxy before us. */
  isEncrypted: (origin: Origin) => boolean;
  /** Where large submissions are read and stored; null for this thread. */
  intake: Intake | null;
  metrics: Metrics;
  /** Whether `/metrics` is at a port of its own, and not where everybody asks. */
  figuresElsewhere?: boolean;
  /** What may be called on behalf of others. */
  outbound: Policy;
  /** Seals the credentials of endpoints; null where they are not taken. */
  keyring: Keyring | null;
  /** Migrations that are still to run; 0 when the database is current. */
  pendingMigrations(): Promise<number>;
  /** True once the process is shutting down. */
  isDraining(): boolean;
  log: Log;
  /** Lines and traces of requests. */
  telemetry: Telemetry;
}

export type { Log };

/** What middleware leaves for handlers. */
export interface Variables {
  requestId: string;
  /** Of the trace that the request is part of. */
  traceId: string;
  principal: Principal | null;
  /** Quotas the request was counted against; unset where it was not. */
  counted: Counted[] | undefined;
  /** What the cache keeps of the answer; unset where it keeps none. */
  answer: Answer | undefined;
  /** Asks the API in this process, unseen by limits and figures. */
  ask(path: string, headers: Record<string, string>): Promise<Response>;
}

export interface AppContext {
  Variables: Variables;
}
