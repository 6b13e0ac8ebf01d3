import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** V8's own collector, which it hands out only where a flag says so. */
function findCollector(): (options: { type: 'minor' }) => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: { type: 'minor' }) => void;
  setFlagsFromString('--no-expose-gc');
  return collect;
}

let collect: ReturnType<typeof findCollector> | null = null;

/**
 * Frees what this thread made lately and holds no more. What a connection brings lies beside the heap, where it counts for
 * nothing until 64 MiB have gathered and all of the heap is gone through: a thousand objects that take two milliseconds so.
 */
export function collectYoung(): void {
  collect ??= findCollector();
  collect({ type: 'minor' });
}
