import { Worker } from 'node:worker_threads';
import type { Wish } from '../arguments.ts';
import type { Sample } from '../judging.ts';
import { planChunks } from '../plan.ts';
import type { Answer, Order, WorkerSetup } from './messages.ts';

/** Rows are short-lived: a small nursery would copy them repeatedly before they are freed. */
const resourceLimits = { maxYoungGenerationSizeMb: 192 };

/**
 * Fills the tables with several threads. Each takes the next chunk after it has written one. Resolves when all is committed.
 *
 * @param stored receives the number of written results
 */
export async function fill(
  wish: Wish,
  databaseUrl: string,
  threads: number,
  stored: (results: number) => void,
): Promise<Sample> {
  const chunks = planChunks(wish);
  const sum: Sample = { seen: 0, judged: 0, differing: 0 };
  const work = () =>
    new Promise<void>((resolve, reject) => {
      const workerData: WorkerSetup = { databaseUrl, seed: wish.seed };
      const worker = new Worker(new URL('worker.ts', import.meta.url), { workerData, resourceLimits });
      worker.on('message', (answer: Answer) => {
        if (!answer.ready) {
          for (const key of ['seen', 'judged', 'differing'] as const) sum[key] += answer.sample[key];
          return;
        }
        stored(answer.results);
        const order: Order = chunks.next().value ?? null;
        worker.postMessage(order);
      });
      worker.once('error', reject);
      worker.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`a thread ended with ${code}`))));
    });
  await Promise.all(Array.from({ length: threads }, work));
  return sum;
}
