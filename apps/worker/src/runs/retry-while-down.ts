import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseDown } from '@inferboard/db/connection/errors';

const pause_ms = 250;

/** Retries database work that must not be lost while the database is temporarily unavailable. The signal aborts it. */
export async function retryWhileDown<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseDown(error) || signal.aborted) throw error;
      await sleep(pause_ms, undefined, { signal }).catch(() => undefined);
    }
  }
}
