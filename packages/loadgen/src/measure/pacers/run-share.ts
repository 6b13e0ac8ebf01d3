import { createTransport } from '../../wire/create-transport.ts';
import { openControl } from '../control.ts';
import { Engine } from '../engine.ts';
import { Meter } from '../meter.ts';
import { openTable } from '../records/request-table.ts';
import type { Interim, ShareJob, ThreadResult } from '../thread-messages.ts';
import { RunClock } from './run-clock.ts';

/** One thread's share of a run, its connections open. */
export interface Share {
  /** Runs it, from a time of the system's monotonic clock in ms on. */
  run(at: number): Promise<ThreadResult>;
  cancel(): void;
}

/** A timer is never later than this on a machine with a core to spare. */
const spinMs = 2;

/** Resolves at zero of the clock. */
async function waitForZero(clock: RunClock): Promise<void> {
  const wait = -clock.now() - spinMs;
  if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
  while (clock.now() < 0) await new Promise((resolve) => setImmediate(resolve));
}

/** Makes everything that can be made before the clock starts. Rejects where not one connection can be opened. */
export async function prepareShare(job: ShareJob, onInterim?: (interim: Interim) => void): Promise<Share> {
  const clock = new RunClock();
  const meter = new Meter();
  const transport = createTransport(job.target, clock, {}, job.usesConnectionsOnce);
  await transport.open(job.connections);
  const table = openTable(job.table, job.rows);
  const engine = new Engine({ ...job, table, control: openControl(job.control), onInterim }, transport, clock, meter);
  return {
    cancel: () => engine.cancel(),
    run: async (at) => {
      clock.startAt(at);
      await waitForZero(clock);
      meter.start();
      await engine.run();
      const reading = meter.stop();
      if (job.watchesCloses) await transport.watchCloses();
      transport.close();
      return {
        chunks: engine.log.take(),
        words: engine.words,
        isSimulated: engine.isSimulated,
        hasDocuments: job.hasDocuments,
        isFailing: engine.isFailing,
        meter: reading,
        connectionsOpened: transport.openedCount(),
        usesConnectionsOnce: transport.usesOnce(),
      };
    },
  };
}
