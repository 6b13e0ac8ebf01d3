import { parentPort, workerData } from 'node:worker_threads';
import { describeError } from '../wire/socket-connection.ts';
import { collectGarbage } from './collect-garbage.ts';
import { prepareShare, type Share } from './pacers/run-share.ts';
import { becomeRealtime } from './realtime.ts';
import type { FromThread, Interim, ThreadJob, ToThread } from './thread-messages.ts';
import { warmUp } from './warm-up.ts';

async function main(job: ThreadJob): Promise<void> {
  const port = parentPort;
  if (port === null) throw new Error('this file runs in a worker thread');
  const say = (message: FromThread, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer);
  if (job.warmsUp) await warmUp(job);
  // Not during the warm-up, which keeps a core busy.
  if (job.isRealtime) becomeRealtime();
  let share: Share;
  try {
    const onInterim = (interim: Interim) =>
      say({ kind: 'interim', ...interim }, [interim.rows.buffer, interim.stamps.buffer]);
    share = await prepareShare(job, job.isWatched ? onInterim : undefined);
  } catch (error) {
    say({ kind: 'unreachable', detail: error instanceof Error ? describeError(error) : String(error) });
    port.close();
    return;
  }
  const go = new Promise<number>((resolve) => {
    port.on('message', (message: ToThread) => {
      if (message.kind === 'go') resolve(message.at);
      else share.cancel();
    });
  });
  collectGarbage();
  say({ kind: 'ready' });
  const result = await share.run(await go);
  say({ kind: 'result', ...result }, [result.chunks.offsets.buffer, result.chunks.stamps.buffer]);
  port.close();
}

await main(workerData as ThreadJob);
