import cluster from 'node:cluster';
import { AggregatorRegistry, type Registry } from 'prom-client';

/** What one process asks, and what the first answers. */
interface Asked {
  type: 'inferboard:figures';
  id: number;
}
interface Answered extends Asked {
  /** Null where not all processes answered in time. */
  text: string | null;
}

const isOf = (message: unknown): message is Asked =>
  typeof message === 'object' && message !== null && 'type' in message && message.type === 'inferboard:figures';

/** In the first process: answers each of the others with the figures of all, added up. */
export function answerFigures(): void {
  const all = new AggregatorRegistry();
  cluster.on('message', (worker, message: unknown) => {
    if (!isOf(message)) return;
    const send = (text: string | null) => worker.send({ ...message, text } satisfies Answered);
    all.clusterMetrics().then(send, () => send(null));
  });
}

/**
 * In one of several processes: the figures of all of them, in Prometheus' text format; in the only one, its own.
 * Where the first process cannot collect them, the figures of this one.
 */
export function createFigures(registry: Registry): () => Promise<string> {
  if (!cluster.isWorker) return () => registry.metrics();
  AggregatorRegistry.setRegistries([registry]);
  // Answers the first process when it collects.
  new AggregatorRegistry();
  const waiting = new Map<number, (text: string | null) => void>();
  let last = 0;
  process.on('message', (message: unknown) => {
    if (!isOf(message)) return;
    waiting.get(message.id)?.((message as Answered).text);
    waiting.delete(message.id);
  });
  return async () => {
    last += 1;
    const answered = new Promise<string | null>((resolve) => waiting.set(last, resolve));
    process.send?.({ type: 'inferboard:figures', id: last } satisfies Asked);
    return (await answered) ?? registry.metrics();
  };
}
