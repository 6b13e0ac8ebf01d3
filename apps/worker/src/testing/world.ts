import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expandPlan } from '@inferboard/core/plans/expand';
import { readPlan } from '@inferboard/core/plans/read-plan';
import { isEnded, type RunState } from '@inferboard/core/plans/run-state';
import { insertAccount } from '@inferboard/db/accounts/account';
import type { Database } from '@inferboard/db/connection/client';
import { transact } from '@inferboard/db/connection/transaction';
import { type EndpointFacts, insertEndpoint, verifyEndpoint } from '@inferboard/db/runs/endpoint';
import { insertRun } from '@inferboard/db/runs/run-create';
import { createKeyring, seal } from '@inferboard/outbound/sealed-secrets';
import type { WorkerSettings } from '../settings.ts';

export const secretKey = 'worker-test-key-0123456789';

/** Creates an account with the given name. */
export async function addAccount({ db }: Database, name: string): Promise<string> {
  const account = await insertAccount(db, name);
  if (account === null) throw new Error(`there is an account ${name}`);
  return account.id;
}

export interface GivenEndpoint {
  accountId: string;
  name: string;
  port: number;
  credential?: string;
  /** Path of the metrics. */
  metrics?: string;
  verified?: boolean;
  facts?: EndpointFacts;
}

/** Creates an endpoint on a loopback port, which the workers' policy allows. */
export async function addEndpoint({ db }: Database, given: GivenEndpoint): Promise<string> {
  const { accountId, name, port, credential, metrics, verified = true, facts = {} } = given;
  const keyring = await createKeyring(secretKey);
  const row = await insertEndpoint(
    db,
    {
      ...{ accountId, name, model: 'fake-model', proofToken: 'token' },
      baseUrl: `http://127.0.0.1:${port}/v1`,
      metricsUrl: metrics === undefined ? null : `http://127.0.0.1:${port}${metrics}`,
      facts: {
        gpu: 'h100-sxm',
        gpu_count: 1,
        quantization: 'bf16',
        engine: 'vllm',
        engine_version: '0.11.0',
        ...facts,
      },
    },
    credential === undefined ? null : (id) => seal(keyring, { table: 'endpoints', id }, credential),
  );
  if (typeof row === 'string') throw new Error(row);
  if (verified) await verifyEndpoint(db, row.id, 'proof');
  return row.id;
}

/** Queues a run as the API does. */
export async function addRun(
  { db }: Database,
  of: { accountId: string; endpointId: string },
  asked: Record<string, unknown>,
): Promise<string> {
  const plan = { ...readPlan(asked), seed: 7 };
  const id = await transact(db, (tx) =>
    insertRun(tx, { ...of, scheduleId: null, request: asked, seed: 7, expanded: expandPlan(plan) }),
  );
  if (id === null) throw new Error('the endpoint is gone');
  return id;
}

export interface WorkerProcess {
  child: ChildProcess;
  output(): string;
  stop(): Promise<void>;
  kill(): Promise<void>;
}

/** The built worker: it reads few files, so it starts in a fraction of the time. */
const main = fileURLToPath(new URL('../../../api/dist/worker.js', import.meta.url));

/** Starts a worker process as the service does. */
export function startWorkerProcess(databaseUrl: string, settings: Partial<WorkerSettings> = {}): WorkerProcess {
  const child = fork(main, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], execArgv: [] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const workerSettings: WorkerSettings = {
    ...{
      databaseUrl,
      secretKey,
      earlierKeys: [],
      allowCidrs: ['127.0.0.0/8'],
      publicUrl: 'http://localhost:8787',
      datasets: '',
    },
    ...settings,
  };
  child.send(workerSettings);
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  };
  return { child, output: () => output, stop: () => end('SIGTERM'), kill: () => end('SIGKILL') };
}

interface SeenRun {
  state: RunState;
  pointsDone: number;
  attempt: number;
  failureCode: string | null;
  failureMessage: string | null;
}

export async function seeRun({ sql }: Database, id: string): Promise<SeenRun> {
  const [row] = await sql<SeenRun[]>`
    select state, points_done as "pointsDone", attempt, failure_code as "failureCode", failure_message as "failureMessage"
    from runs where id = ${id}`;
  if (row === undefined) throw new Error(`there is no run ${id}`);
  return row;
}

/** Waits until a run meets a condition; by default, until it is over. */
export async function waitForRun(
  database: Database,
  id: string,
  { timeout_ms = 300_000, until = ({ state }: SeenRun) => isEnded(state) } = {},
): Promise<SeenRun> {
  const deadline = performance.now() + timeout_ms;
  for (;;) {
    const run = await seeRun(database, id);
    if (until(run)) return run;
    if (performance.now() > deadline) throw new Error(`run ${id} is still ${JSON.stringify(run)}`);
    await sleep(20);
  }
}
