// The process that measures, apart from the API so that neither disturbs the other. Its parent tells it the settings in
// its first message, so that no secret stands in an environment, and ends it by SIGTERM or by ending itself.
import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { readNamedSources } from '@inferboard/core/plans/datasets';
import { createDatabase } from '@inferboard/db/client';
import { createDatasetShelf } from '@inferboard/loadgen/prompts/datasets/dataset-shelf';
import { downloadBytes } from '@inferboard/outbound/download';
import { createPolicy, type Policy } from '@inferboard/outbound/policy';
import { createKeyring } from '@inferboard/outbound/sealed-secrets';
import type { Log } from './deps.ts';
import { SettingsSchema } from './settings.ts';
import { startWorker, type Worker } from './worker.ts';

const log: Log = (level, message, details) => {
  if (level === 'info') console.log(message);
  else console.error(JSON.stringify({ time: new Date().toISOString(), level, message, ...details }));
};

/** Fetches a data set by the rules for all that we call. */
function fetchDataset(outbound: Policy) {
  return async (address: string, bytesMax: number) => {
    const { status, content } = await downloadBytes(address, { limits: { bodyBytesMax: bytesMax } }, outbound);
    if (content === null) throw new Error(`it answers ${status}`);
    return content.bytes;
  };
}

async function start(message: unknown): Promise<Worker> {
  const { databaseUrl, secretKey, earlierKeys, allowCidrs, publicUrl, datasets } = SettingsSchema.parse(message);
  const database = createDatabase(databaseUrl, { poolSize: 6 });
  const outbound = createPolicy({ contact: publicUrl, allowCidrs });
  const worker = startWorker(
    {
      database,
      outbound,
      loadDataset: createDatasetShelf(readNamedSources(datasets), fetchDataset(outbound)),
      keyring: secretKey === null ? null : await createKeyring(secretKey, earlierKeys),
      publicUrl,
      workerId: randomUUID(),
      log,
    },
    // A run keeps a core busy at high loads, and shares it badly.
    Math.max(1, Math.floor(availableParallelism() / 2)),
  );
  return {
    stop: async () => {
      await worker.stop();
      await database.close();
    },
  };
}

let worker: Promise<Worker> | null = null;
let stopping = false;

function stop(): void {
  if (stopping) return;
  stopping = true;
  Promise.resolve(worker)
    .then((started) => started?.stop())
    .then(
      () => process.exit(0),
      (error: unknown) => {
        log('error', 'while stopping', { error: String(error) });
        process.exit(1);
      },
    );
}

process.once('message', (message) => {
  worker = start(message);
  worker.catch((error: unknown) => {
    log('error', 'the worker cannot start', { error: String(error) });
    process.exit(1);
  });
});
process.on('SIGINT', stop);
process.on('SIGTERM', stop);
process.once('disconnect', stop);
