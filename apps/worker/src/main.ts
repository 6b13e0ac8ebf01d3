// The measuring process, separate from the API so that neither disturbs the other. The parent sends the settings in its first
// message, which keeps secrets out of the environment. The process ends on SIGTERM or when its parent ends.
import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { readNamedSources } from '@inferboard/core/plans/datasets';
import { createArtifactStore } from '@inferboard/db/artifacts/artifact-store';
import { followCatalogue } from '@inferboard/db/catalogue/follow-catalogue';
import { createDatabase } from '@inferboard/db/connection/client';
import { observeStatements } from '@inferboard/db/connection/observe-statements';
import { createDatasetCache } from '@inferboard/loadgen/prompts/datasets/dataset-cache';
import { downloadBytes } from '@inferboard/outbound/download';
import { observeExchanges } from '@inferboard/outbound/observe-exchanges';
import { createPolicy, type Policy } from '@inferboard/outbound/policy';
import { createKeyring } from '@inferboard/outbound/sealed-secrets';
import { createLogs } from '@inferboard/telemetry/log';
import { exchangeObserver, statementObserver } from '@inferboard/telemetry/observers';
import { quietly } from '@inferboard/telemetry/settings';
import { startTracing } from '@inferboard/telemetry/start-tracing';
import { SettingsSchema } from './settings.ts';
import { startWorker, type Worker } from './worker.ts';

const role = 'worker';
let { log } = createLogs(quietly.log, role);

/** Fetches a dataset under the outbound policy. */
function fetchDataset(outbound: Policy) {
  return async (address: string, bytesMax: number) => {
    const { status, content } = await downloadBytes(address, { limits: { bodyBytesMax: bytesMax } }, outbound);
    if (content === null) throw new Error(`HTTP status ${status}`);
    return content.bytes;
  };
}

async function start(message: unknown): Promise<Worker> {
  const settings = SettingsSchema.parse(message);
  const {
    databaseUrl,
    artifactStore,
    secretKey,
    earlierKeys,
    allowCidrs,
    publicUrl,
    datasets,
    telemetry,
    establishedAfterDays,
    runThreads,
    shareWaitS,
  } = settings;
  ({ log } = createLogs(telemetry.log, role));
  const tracing = await startTracing(telemetry.traces, 'inferboard-worker');
  if (tracing.isOn) {
    observeStatements(statementObserver(tracing));
    observeExchanges(exchangeObserver(tracing));
  }
  const database = createDatabase(databaseUrl, { poolSize: 6 });
  const outbound = createPolicy({ contact: publicUrl, allowCidrs });
  const worker = startWorker(
    {
      database,
      catalogue: followCatalogue(database, (leftOut) => log('warn', `Not added to the catalogue: ${leftOut}`)),
      artifacts: createArtifactStore(artifactStore),
      outbound,
      loadDataset: createDatasetCache(readNamedSources(datasets), fetchDataset(outbound)),
      keyring: secretKey === null ? null : await createKeyring(secretKey, earlierKeys),
      publicUrl,
      workerId: randomUUID(),
      establishedAfterDays,
      runThreads,
      shareWaitS,
      warmsUp: process.env.LOADGEN_WARM_UP !== 'off', // Only tests turn it off.
      log,
      tracing,
    },
    // A run at high load saturates a core, and measurements suffer if runs share one.
    Math.max(1, Math.floor(availableParallelism() / 2)),
  );
  return {
    stop: async () => {
      await worker.stop();
      await database.close();
      await tracing.stop();
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
        log('error', 'an error occurred during the shutdown', { error: String(error) });
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
