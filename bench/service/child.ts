import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A process that executes commands in sequence. */
export interface Child<Order, Done> {
  readonly pid: number;
  run(order: Order): Promise<Done>;
  end(): Promise<void>;
}

type Reply<Done> = { done: Done } | { fault: string };

/** Starts a file of this folder that calls `obey`. */
export function startChild<Order, Done>(file: string): Child<Order, Done> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), { serialization: 'advanced' });
  const ended = once(child, 'exit');
  const { pid } = child;
  if (pid === undefined) throw new Error(`${file} did not start`);
  return {
    pid,
    run: async (order) => {
      const answered = once(child, 'message');
      child.send(order as object);
      const [reply] = (await Promise.race([
        answered,
        ended.then(() => Promise.reject(new Error(`${file} ended before it answered`))),
      ])) as [Reply<Done>];
      if ('fault' in reply) throw new Error(reply.fault);
      return reply.done;
    },
    end: async () => {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}

/** Executes the commands of the parent process until it disconnects. */
export function obey<Order, Done>(work: (order: Order) => Promise<Done>, close: () => Promise<void> = async () => {}) {
  process.on('message', async (order: Order) => {
    const reply: Reply<Done> = await work(order).then(
      (done) => ({ done }),
      (error: unknown) => ({ fault: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
    process.send?.(reply);
  });
  process.once('disconnect', () => void close().finally(() => process.exit(0)));
}
