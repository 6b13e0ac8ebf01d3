import type { Database } from '@inferboard/db/client';
import type { Principal } from '@inferboard/db/queries/account';
import type { Env } from './env.ts';

/** Everything the service is made of, built once where the process starts and handed over. */
export interface Deps {
  database: Database;
  /** Base of the links that are handed out, without a trailing slash. */
  publicUrl: string;
  registration: Env['REGISTRATION'];
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
}

export interface AppContext {
  Variables: Variables;
}
