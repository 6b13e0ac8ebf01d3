import type { Sample } from '../judging.ts';
import type { Chunk } from '../plan.ts';

/** Start parameters of a worker. */
export interface WorkerSetup {
  databaseUrl: string;
  seed: number;
}

/** A chunk to make; null when there are no more. */
export type Order = Chunk | null;

/** A worker's message: ready for a chunk, with the number of results stored since the last message; or all is committed. */
export type Answer = { ready: true; results: number } | { ready: false; sample: Sample };
