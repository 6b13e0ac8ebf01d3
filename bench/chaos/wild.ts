import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** A key far above its rate limit: for boards, and to submit. */
export interface Wild {
  url: string;
  key: string;
  boards_s: number;
  submissions_s: number;
}

export interface Flooded {
  /** The outcome of each request. */
  words: string[];
  /** Rate limit errors that do not name the limit or the retry time. */
  unexplained: number;
}

export type ToWild = 'start' | 'stop' | 'close';

/**
 * Floods from a separate thread, so that its CPU time does not affect concurrent measurements.
 *
 * @returns `stop` resolves when all sent requests have responses
 */
export function createWild(wild: Wild) {
  const thread = new Worker(new URL('./wild-thread.ts', import.meta.url), { workerData: wild });
  const post = (word: ToWild) => thread.postMessage(word);
  return {
    start: () => post('start'),
    stop: async (): Promise<Flooded> => {
      post('stop');
      const [flooded] = await once(thread, 'message');
      return flooded;
    },
    close: async () => {
      post('close');
      await once(thread, 'exit');
    },
  };
}
