import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Load } from './loads.ts';
import { onCore, startMock } from './mock.ts';
import type { ServerTruth } from './truth.ts';

const source = fileURLToPath(new URL('./bare-reader.c', import.meta.url));
/** Below the ports of `runLoad`. */
let nextPort = 18_300;

/** Result of a C program that only reads the events of a load: what the machine allows. */
export interface BareRun {
  truth: ServerTruth;
  events: number;
  itl_p50_ms: number;
  /** Share of the time in which it did not wait for events. */
  busy_ratio: number;
  cpu_s: number;
}

/** Compiles the program. */
export function buildBareReader(folder: string): string {
  const binary = join(folder, 'bare-reader');
  execFileSync('cc', ['-O2', '-o', binary, source], { stdio: 'inherit' });
  return binary;
}

/** Runs a load of constant concurrency with the C program in place of the generator, on the same cores. */
export async function runBare(reader: string, mockBinary: string, folder: string, load: Load): Promise<BareRun> {
  if (load.pace.mode !== 'closed')
    throw new Error(`${load.name}: the C program reads loads of constant concurrency only.`);
  const { concurrency } = load.pace;
  const port = nextPort++;
  const mock = await startMock(mockBinary, folder, load, port);
  try {
    const words = [port, concurrency, load.requests / concurrency, load.tokens].map(String);
    const [command, args] = onCore(1, [reader, ...words]);
    const said = execFileSync(command, args, { encoding: 'utf8', timeout: 120_000 });
    return { ...(JSON.parse(said) as Omit<BareRun, 'truth'>), truth: await mock.truth() };
  } finally {
    await mock.stop();
  }
}
