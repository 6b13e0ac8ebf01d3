import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

/** Scope and location of a run. */
export interface Wish {
  results: number;
  /** Folder of the generated database; null for one in the system's temporary folder. */
  dir: string | null;
  /** File for the figures; null for none. */
  json: string | null;
  /** Shows to measure; empty for all. */
  shows: readonly number[];
  /** Duration of one round of one request. */
  seconds: number;
  /** Number of API processes and of bare processes. */
  processes: number;
}

const units = { k: 1e3, m: 1e6 } as const;

/**
 * Parses "200k" as 200,000 and "2m" as 2,000,000.
 *
 * @throws Error if it is not such a number, or below 20k
 */
export function readSize(text: string): number {
  const [, count, unit] = /^(\d+)([km])$/i.exec(text) ?? [];
  const results = Number(count) * units[unit?.toLowerCase() as keyof typeof units];
  if (!(results >= 20_000 && results < 2 ** 31))
    throw new Error(`--results ${text}: use 20k or more, such as 200k or 2m.`);
  return results;
}

const allShows = [1, 2, 3, 4, 5];

/**
 * Parses `--results 200k --dir DIR --json FILE --only 1,3 --seconds 1.5 --processes 2`. By default, it uses as many processes as
 * `npm start`.
 *
 * @throws Error that names the argument
 */
export function readWish(args: readonly string[]): Wish {
  const { values } = parseArgs({
    args: [...args],
    options: {
      results: { type: 'string', default: '200k' },
      dir: { type: 'string' },
      json: { type: 'string' },
      only: { type: 'string' },
      processes: { type: 'string', default: String(Math.min(availableParallelism(), 8)) },
      seconds: { type: 'string', default: '1.5' },
    },
  });
  const shows = values.only === undefined ? allShows : values.only.split(',').map(Number);
  if (!shows.every((show) => allShows.includes(show)))
    throw new Error(`--only ${values.only}: use numbers from 1 to 5.`);
  const seconds = Number(values.seconds);
  if (!(seconds > 0 && seconds <= 60)) throw new Error(`--seconds ${values.seconds}: use more than 0 and at most 60.`);
  const processes = Number(values.processes);
  if (!(Number.isInteger(processes) && processes >= 1 && processes <= 8))
    throw new Error(`--processes ${values.processes}: use a whole number from 1 to 8.`);
  return {
    results: readSize(values.results),
    dir: values.dir ?? null,
    json: values.json ?? null,
    shows,
    seconds,
    processes,
  };
}
