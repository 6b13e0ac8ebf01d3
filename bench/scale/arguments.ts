import { parseArgs } from 'node:util';

/** Size and location of the generated data. */
export interface Wish {
  /** Data directory of the embedded Postgres; created if missing. */
  dir: string;
  results: number;
  systems: number;
  seed: number;
}

function toCount(name: string, text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > 2 ** 31 - 1) {
    throw new Error(`--${name} ${text}: a whole number above 0 is wanted, such as 200000.`);
  }
  return count;
}

/**
 * Parses `--results N --systems N --seed N --dir DIR`; by default, there is one system for 50 results.
 *
 * @throws Error that names the argument
 */
export function readWish(args: readonly string[]): Wish {
  const { values } = parseArgs({
    args: [...args],
    options: {
      results: { type: 'string', default: '10000000' },
      systems: { type: 'string' },
      seed: { type: 'string', default: '1' },
      dir: { type: 'string' },
    },
  });
  if (values.dir === undefined) throw new Error('--dir is missing: a folder that is empty or not there yet.');
  const results = toCount('results', values.results);
  const systems = values.systems === undefined ? Math.ceil(results / 50) : toCount('systems', values.systems);
  if (systems > results)
    throw new Error(`--systems ${systems} is more than --results ${results}: each has one at least.`);
  return { dir: values.dir, results, systems, seed: toCount('seed', values.seed) };
}
