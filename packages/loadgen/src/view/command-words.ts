import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The package that npx was started with, from the folder that npx installed it to; null if it is not stated. */
function readNpxPackage(folder: string): string | null {
  try {
    const { _npx } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      _npx?: { packages?: string[] };
    };
    return _npx?.packages?.[0] ?? null;
  } catch {
    return null;
  }
}

/**
 * The words that start a command of the client in the way in which this process was started: `npm run measure --`,
 * `npx inferboard submit`, `npx ./inferboard-cli-0.1.0.tgz submit` or `inferboard submit`.
 *
 * @param script path of the file that Node runs
 */
export function commandWords(
  command: string,
  script: string = process.argv[1] ?? '',
  npxPackage: (folder: string) => string | null = readNpxPackage,
): string {
  if (/[\\/]loadgen[\\/]src[\\/]cli[\\/]main\.ts$/.test(script))
    return command === 'measure' ? 'npm run measure --' : `npx inferboard ${command}`;
  const [, folder] = /^(.*)[\\/]node_modules[\\/]\.bin[\\/]inferboard$/.exec(script) ?? [];
  if (folder === undefined) return `inferboard ${command}`;
  if (!/[\\/]_npx[\\/][^\\/]+$/.test(folder)) return `npx inferboard ${command}`;
  const started = npxPackage(folder);
  return started === null ? `inferboard ${command}` : `npx ${started} ${command}`;
}
