import type { Sample } from './judging.ts';
import type { Chunk } from './plan.ts';

/** What a worker is started with. */
export interface WorkerSetup {
  databaseUrl: string;
  seed: number;
}

/** A chunk to make; null when there are no more. */
export type Order = Chunk | null;

/** A worker's answer: it can take a chunk, having stored so many results since the last answer; or all is committed. */
export type Answer = { ready: true; results: number } | { ready: false; sample: Sample };
