import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseDown } from '@inferboard/db/errors';

const pause_ms = 250;

/** Does what the database must not miss, again and again while it is away for a moment; the signal ends that. */
export async function whileAway<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseDown(error) || signal.aborted) throw error;
      await sleep(pause_ms, undefined, { signal }).catch(() => undefined);
    }
  }
}
