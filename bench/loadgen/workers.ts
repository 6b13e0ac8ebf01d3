import { availableParallelism } from 'node:os';
import { flatOut } from './loads.ts';
import { type Run, runLoad } from './run.ts';

const workers = 2;
/** The server and each worker have a core. */
const coresMin = workers + 1;
const leastRatio = 1.8;

/** Events per second from the first token to the last. */
function rateOf({ truth: { writes_ms, tokens } }: Run): number {
  return (1000 * tokens) / ((writes_ms.at(-1) ?? Number.NaN) - (writes_ms[0] ?? Number.NaN));
}

/**
 * Compares the events per second of two workers with those of one, as fast as the server writes. Returns the median ratio of the
 * rounds and whether it is high enough; null on a machine with fewer cores than that takes.
 */
export async function compareWorkers(binary: string, folder: string, rounds: number) {
  if (availableParallelism() < coresMin) return null;
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const one = rateOf(await runLoad(binary, folder, flatOut(1)));
    ratios.push(rateOf(await runLoad(binary, folder, flatOut(workers))) / one);
  }
  const ratio = ratios.toSorted((a, b) => a - b)[Math.floor((rounds - 1) / 2)] ?? Number.NaN;
  return { ratio, leastRatio, isHeld: ratio >= leastRatio };
}
