import { join } from 'node:path';
import { setSeed } from './seed.ts';

/** Sets the environment that test workers and the processes they start inherit. */
export function setEnvironment(): void {
  setSeed();
  // Node.js keeps the code that it compiled for the next process.
  process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../../node_modules/.cache/compiled');
  // Exact times of the first requests are tested separately.
  process.env.LOADGEN_WARM_UP ??= 'off';
}
