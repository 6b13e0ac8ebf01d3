import cluster, { type Worker } from 'node:cluster';
import { fileURLToPath } from 'node:url';
import type { Log } from '../deps.ts';
import type { Env } from '../env.ts';
import { openDatabase, type Release, releaseAll } from '../open-database.ts';
import { readSecretKey } from '../secret-key.ts';
import type { OpenedDatabase, Service } from '../service.ts';
import { type SupervisedChild, superviseChild } from '../supervise-child.ts';
import { startWorkerProcess, workerSettings } from '../worker-process.ts';
import { answerFigures } from './figures.ts';
import { StartFailure } from './member.ts';
import { isReady, type JoinMessage, type ReadyMessage } from './messages.ts';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));

/** Beyond the time for draining: answers under way, and what else is released. */
const patience_ms = 15_000;

function forkOne(database: OpenedDatabase | null): Worker {
  const worker = cluster.fork();
  worker.send({ type: 'inferboard:join', database } satisfies JoinMessage);
  return worker;
}

/** @throws StartFailure if it ends before it is ready */
function untilReady(worker: Worker): Promise<ReadyMessage> {
  return new Promise((resolve, reject) => {
    const fail = () => reject(new StartFailure('the first process ended'));
    worker.on('message', (message: unknown) => {
      if (!isReady(message)) return;
      worker.off('exit', fail);
      resolve(message);
    });
    worker.once('exit', fail);
  });
}

/**
 * Starts the product as several processes that share a port: this one opens the database, runs the worker and starts
 * again what ends; the others answer. The first of them prepares the database before the others start.
 *
 * @throws StartFailure if the first that answers cannot start; it has written why
 */
export async function startProcesses(env: Env, log: Log): Promise<Service> {
  const releases: Release[] = [];
  try {
    const { promise: lost, resolve: lose } = Promise.withResolvers<Error>();
    const url = env.API_URL === undefined ? await openDatabase(env, log, releases, lose) : null;
    const secretKey = url === null ? null : await readSecretKey(env);
    cluster.setupPrimary({ exec: main });
    answerFigures();
    let preparing: Worker | null = forkOne(url === null ? null : { url, prepares: true });
    const children: SupervisedChild[] = [];
    releases.push(async () => {
      await Promise.all(children.map((child) => child.stop()));
    });
    const { url: address, adminKey } = await untilReady(preparing);
    for (let number = 1; number <= env.PROCESSES; number += 1) {
      const fork = () => {
        const worker = preparing ?? forkOne(url === null ? null : { url, prepares: false });
        preparing = null;
        return worker.process;
      };
      const patience = env.DRAIN_S * 1000 + patience_ms;
      children.push(superviseChild(fork, { name: `Process ${number}`, patience_ms: patience, log }));
    }
    if (url !== null && env.ROLES.includes('worker'))
      children.push(startWorkerProcess(workerSettings(env, { databaseUrl: url, secretKey }), log));
    return { url: address, adminKey, lost, stop: () => releaseAll(releases, log) };
  } catch (error) {
    await releaseAll(releases, log);
    throw error;
  }
}
