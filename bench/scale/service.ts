import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../apps/api/src/main.ts', import.meta.url));

export interface Running {
  url: string;
  stop(): Promise<void>;
}

/** The API in a process of its own, without limits on how often one may ask. */
export async function startService(databaseUrl: string, adminKey: string): Promise<Running> {
  const child: ChildProcess & { stdout: NodeJS.ReadableStream } = spawn(process.execPath, [main], {
    env: {
      DATABASE_URL: databaseUrl,
      ADMIN_KEY: adminKey,
      PORT: '0',
      ROLES: 'api',
      SAMPLE_DATA: 'false',
      RATE_LIMIT_READS: 'off',
      RATE_LIMIT_WRITES: 'off',
      PROCESSES: '1',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stop = async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
  };
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^Inferboard is ready: (\S+)/.exec(line)?.[1];
    if (url !== undefined) {
      // Whatever else it prints is read and thrown away.
      child.stdout.resume();
      return { url, stop };
    }
  }
  throw new Error('the service ended before it was ready');
}
