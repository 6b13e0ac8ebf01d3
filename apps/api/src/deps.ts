import type { Database } from '@inferboard/db/client';
import type { Principal } from '@inferboard/db/queries/account';
import type { Policy } from '@inferboard/outbound/policy';
import type { Keyring } from '@inferboard/outbound/sealed-secrets';
import type { Env } from './env.ts';
import type { Intake } from './intake/intake.ts';
import type { Metrics } from './metrics.ts';
import type { Counted } from './middleware/limit-rate.ts';
import type { RateLimits } from './rate-limits.ts';

/** Everything the service is made of, built once where the process starts and handed over. */
export interface Deps {
  database: Database;
  /** Base of the links that are handed out, without a trailing slash. */
  publicUrl: string;
  registration: Env['REGISTRATION'];
  rateLimits: RateLimits;
  /** Where large submissions are read and stored; null for this thread. */
  intake: Intake | null;
  metrics: Metrics;
  /** What may be called on behalf of others. */
  outbound: Policy;
  /** Seals the credentials of endpoints; null where they are not taken. */
  keyring: Keyring | null;
  /** Migrations that are still to run; 0 when the database is current. */
  pendingMigrations(): Promise<number>;
  /** True once the process is shutting down. */
  isDraining(): boolean;
  log: Log;
}

export type Log = (level: 'info' | 'error', message: string, details?: Record<string, unknown>) => void;

/** What middleware leaves for handlers. */
export interface Variables {
  requestId: string;
  principal: Principal | null;
  /** Quotas the request was counted against; unset where it was not. */
  counted: Counted[] | undefined;
  /** Asks the API in this process, unseen by limits and figures. */
  ask(path: string, headers: Record<string, string>): Promise<Response>;
}

export interface AppContext {
  Variables: Variables;
}
