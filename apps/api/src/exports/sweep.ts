import { Session } from 'node:inspector/promises';
import { getHeapStatistics } from 'node:v8';

/** What the heap may grow by while exports are made. */
const growthMax_bytes = 40 * 1024 * 1024;

const heapBytes = () => getHeapStatistics().total_heap_size;

/** How small the heap was, at most as large as it is after a sweep. */
let floor_bytes = Number.POSITIVE_INFINITY;
let sweeping: Promise<unknown> | null = null;

async function collectGarbage(): Promise<void> {
  const session = new Session();
  session.connect();
  try {
    await session.post('HeapProfiler.collectGarbage');
  } finally {
    session.disconnect();
  }
}

async function sweep(): Promise<void> {
  const bytes = heapBytes();
  floor_bytes = Math.min(floor_bytes, bytes);
  if (bytes - floor_bytes < growthMax_bytes) return;
  sweeping ??= collectGarbage().finally(() => {
    floor_bytes = heapBytes();
    sweeping = null;
  });
  await sweeping;
}

/**
 * What `chunks` yields, on a heap that is swept whenever they have made it grow. Of millions of rows a few outlive the young
 * garbage each time, and V8 would let the heap grow to four times what is alive before it looks at the old: a pause of
 * some tens of milliseconds for every ten thousand rows or so keeps the process as small as it was.
 */
export async function* swept<T>(chunks: AsyncGenerator<T>): AsyncGenerator<T> {
  for await (const chunk of chunks) {
    yield chunk;
    await sweep();
  }
}
