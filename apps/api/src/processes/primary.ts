import { type ChildProcess, fork } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Log } from '../deps.ts';
import type { Env } from '../startup/env.ts';
import { faultOfListener } from '../startup/listen.ts';
import { openDatabase, type Release, releaseAll } from '../startup/open-database.ts';
import { readSecretKey } from '../startup/secret-key.ts';
import type { OpenedDatabase, Service } from '../startup/service.ts';
import { StartFailure } from '../startup/start-failure.ts';
import { type SupervisedChild, superviseChild } from '../startup/supervise-child.ts';
import { startWorkerProcess, workerSettings } from '../startup/worker-process.ts';
import { collectFigures } from './collect-figures.ts';
import type { ToMember, ToPrimary } from './messages.ts';

const member = fileURLToPath(new URL('./member.ts', import.meta.url));

/** Time after draining for running requests and for releasing resources. */
const patience_ms = 15_000;

type Ready = Extract<ToPrimary, { type: 'ready' }>;

/** @throws StartFailure if the process exits before it is ready */
function untilReady(child: ChildProcess): Promise<Ready> {
  return new Promise((resolve, reject) => {
    const fail = () => reject(new StartFailure('the first process ended'));
    child.once('exit', fail);
    child.on('message', (message: ToPrimary) => {
      if (message.type !== 'ready') return;
      child.off('exit', fail);
      resolve(message);
    });
  });
}

/**
 * Checks that no other program listens: processes that share a port would also share it with a second installation.
 *
 * @throws Error with one line if the address cannot be used
 */
async function requireFreePort({ HOST: host, PORT: port }: Env): Promise<void> {
  const probe = createServer().listen(port, host);
  await once(probe, 'listening').catch((error: unknown) => {
    throw faultOfListener(error, { setting: 'PORT', port, host });
  });
  probe.close();
  await once(probe, 'close');
}

/**
 * Starts the service as several processes that share a port. This process opens the database, runs the worker and restarts exited
 * members; the members serve requests. The first member prepares the database before the others start.
 *
 * @throws StartFailure if the first member cannot start; it has logged the reason
 */
export async function startProcesses(env: Env, log: Log): Promise<Service> {
  const releases: Release[] = [];
  const members = new Set<ChildProcess>();
  // Random, so that installations with few processes do not all use the first read replica.
  const numberOfFirst = randomInt(2 ** 16);
  const start = (number: number, database: OpenedDatabase | null, port: number | null) => {
    const child = fork(member, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    members.add(child);
    child.once('exit', () => members.delete(child));
    collectFigures(child, members);
    child.send({ type: 'join', database, port, number: numberOfFirst + number } satisfies ToMember);
    return child;
  };
  try {
    await requireFreePort(env);
    const { promise: lost, resolve: lose } = Promise.withResolvers<Error>();
    const databaseUrl = env.API_URL === undefined ? await openDatabase(env, log, releases, lose) : null;
    const secretKey = databaseUrl === null ? null : await readSecretKey(env);
    const opened = (prepares: boolean) => (databaseUrl === null ? null : { url: databaseUrl, prepares });
    const first = start(1, opened(true), null);
    const children: SupervisedChild[] = [];
    releases.push(async () => {
      await Promise.all(children.map((child) => child.stop()));
    });
    const { url, port, adminKey, signInLink } = await untilReady(first);
    const patience = { patience_ms: env.DRAIN_S * 1000 + patience_ms, log };
    for (let number = 1; number <= env.PROCESSES; number += 1) {
      let started = number === 1 ? first : null;
      const again = () => {
        const child = started ?? start(number, opened(false), port);
        started = null;
        return child;
      };
      children.push(superviseChild(again, { name: `Process ${number}`, ...patience }));
    }
    if (databaseUrl !== null && env.ROLES.includes('worker'))
      children.push(startWorkerProcess(workerSettings(env, { databaseUrl, secretKey }), log));
    return { url, port, adminKey, signInLink, lost, stop: () => releaseAll(releases, log) };
  } catch (error) {
    await releaseAll(releases, log);
    throw error;
  }
}
