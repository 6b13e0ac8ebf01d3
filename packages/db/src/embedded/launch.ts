import { type ChildProcess, spawn } from 'node:child_process';
import { open, readFile, rename, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Binaries } from './binaries.ts';
import { dirArgument, type Paths } from './cluster.ts';
import { type Owner, serverEnv } from './owner.ts';
import { type Postmaster, readPostmaster, stopPostmaster } from './postmaster.ts';

const START_PATIENCE_MS = 300_000;
const LOG_BYTES_MAX = 10 * 1024 * 1024;

function settings(port: number, fsync: boolean): string[] {
  const values: Record<string, string | number> = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    port,
    max_connections: 200,
    shared_buffers: '128MB',
    synchronous_commit: 'on',
    fsync: fsync ? 'on' : 'off',
    full_page_writes: fsync ? 'on' : 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    // The caller receives failed statements and logs them with the request; here they would only fill the disk.
    log_min_messages: 'log',
  };
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}

export interface LaunchOptions {
  readonly binaries: Binaries;
  readonly owner: Owner;
  readonly fsync: boolean;
  /** 0 for any free port. */
  readonly port: number;
}

export type Launch = { readonly server: Postmaster } | { readonly reason: string; readonly retry: boolean };

/**
 * Tries once to start the server; `retry` indicates a transient cause. The server runs in a separate session, so that Ctrl-C
 * reaches this process first and it can drain.
 */
export async function launch(paths: Paths, { binaries, owner, fsync, port }: LaunchOptions): Promise<Launch> {
  const size = (await stat(paths.log).catch(() => null))?.size ?? 0;
  if (size > LOG_BYTES_MAX) await rename(paths.log, `${paths.log}.1`);
  const log = await open(paths.log, 'a', 0o600);
  try {
    const offset = (await log.stat()).size;
    const args = ['-D', await dirArgument(paths.cluster, owner), ...settings(port || (await findFreePort()), fsync)];
    const child = spawn(binaries.postgres, args, {
      ...owner,
      cwd: paths.cluster,
      env: serverEnv(),
      stdio: ['ignore', log.fd, log.fd],
      detached: true,
      windowsHide: true,
    });
    let spawnError: string | null = null;
    child.once('error', (error) => {
      spawnError = error.message;
    });
    child.unref();
    const server = await waitUntilReady(child, paths.cluster);
    if (server) return { server };
    const output = (await readFile(paths.log)).subarray(offset).toString('utf8');
    return {
      reason: spawnError ?? /(?:FATAL|PANIC): +(.*)/.exec(output)?.[1] ?? 'it stopped without output',
      retry: /lock file ".*" already exists|shared memory block .* still in use|Address already in use/.test(output),
    };
  } finally {
    await log.close();
  }
}

/** Null if the child process ended. Replaying the log after a crash can take long, so it waits as long as the child runs. */
async function waitUntilReady(child: ChildProcess, clusterDir: string): Promise<Postmaster | null> {
  const deadline = performance.now() + START_PATIENCE_MS;
  while (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
    const server = await readPostmaster(clusterDir);
    if (server?.pid === child.pid && server.status === 'ready') return server;
    if (performance.now() > deadline) {
      await stopPostmaster(child.pid, clusterDir, null);
      return null;
    }
    await sleep(10);
  }
  return null;
}
