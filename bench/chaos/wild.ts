import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** A key that asks far more than it may: for boards, and to submit. */
export interface Wild {
  url: string;
  key: string;
  boards_s: number;
  submissions_s: number;
}

export interface Flooded {
  /** What became of each request. */
  words: string[];
  /** Refusals for going too fast that do not say of what, or until when. */
  unexplained: number;
}

export type ToWild = 'start' | 'stop' | 'close';

/**
 * Floods from a thread of its own: where times are taken beside, the work of asking so much is not among them.
 *
 * @returns `stop` resolves when all that was asked was answered
 */
export function createWild(wild: Wild) {
  const thread = new Worker(new URL('./wild-thread.ts', import.meta.url), { workerData: wild });
  const tell = (word: ToWild) => thread.postMessage(word);
  return {
    start: () => tell('start'),
    stop: async (): Promise<Flooded> => {
      tell('stop');
      const [flooded] = await once(thread, 'message');
      return flooded;
    },
    close: async () => {
      tell('close');
      await once(thread, 'exit');
    },
  };
}
