import { availableParallelism } from 'node:os';
import { flatOut } from './loads.ts';
import { type Run, runLoad } from './run.ts';

const workers = 2;
/** The server and each worker have a core. */
const coresMin = workers + 1;
const leastRatio = 1.8;

/** From the first token to the last, s. */
const durationOf = ({ truth: { writes_ms } }: Run) =>
  ((writes_ms.at(-1) ?? Number.NaN) - (writes_ms[0] ?? Number.NaN)) / 1000;
const rateOf = (run: Run) => run.truth.tokens / durationOf(run);
/** CPU time of the workers per event, us. */
const cpuOf = ({ self, truth }: Run) => (1e6 * self.cpu_s) / truth.tokens;

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? Number.NaN;

/** Medians of the rounds. */
export interface WorkersCompared {
  /** Events per second of two workers to those of one. */
  ratio: number;
  leastRatio: number;
  /** Null if it is not, on a machine where one of the workers shares its core with the server. */
  isHeld: boolean | null;
  /** Share of a core that the server took with two workers. */
  serverShare: number;
  /** CPU time per event of one worker and of two, us. */
  cpu_us: [one: number, two: number];
}

/**
 * Compares the events per second of two workers with those of one, as fast as the server writes. On a machine with two cores
 * the second worker shares its core with the server, and the ratio is below two by at least the share of the server.
 */
export async function compareWorkers(binary: string, folder: string, rounds: number): Promise<WorkersCompared> {
  const hasCores = availableParallelism() >= coresMin;
  const cores = hasCores ? `1-${workers}` : `0-${workers - 1}`;
  const one: Run[] = [];
  const two: Run[] = [];
  for (let round = 0; round < rounds; round++) {
    one.push(await runLoad(binary, folder, flatOut(1, '1')));
    two.push(await runLoad(binary, folder, flatOut(workers, cores)));
  }
  const ratio = median(two.map((run, round) => rateOf(run) / rateOf(one[round] ?? run)));
  return {
    ...{ ratio, leastRatio, isHeld: ratio >= leastRatio ? true : hasCores ? false : null },
    serverShare: median(two.map((run) => run.server_cpu_s / durationOf(run))),
    cpu_us: [median(one.map(cpuOf)), median(two.map(cpuOf))],
  };
}
