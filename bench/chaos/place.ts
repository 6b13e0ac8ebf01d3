import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Embedded, startEmbedded } from '../../packages/db/src/embedded/start.ts';

/** A database of its own, durable as in production, for processes that are to be tried hard. */
export interface Place {
  /** For logs too. */
  folder: string;
  url: string;
  /** Of the server as it runs now. */
  pid(): number;
  /** Starts it again after it was killed, at the same address. */
  restart(): Promise<void>;
  /** Stops it and removes everything. Ctrl-C does so too: a server that was started outlives us. */
  end(): Promise<void>;
}

export async function openPlace(port: number): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'inferboard-chaos-'));
  const start = () => startEmbedded({ dataDir: folder, log: () => {}, port });
  let database: Embedded = await start();
  const end = async () => {
    await database.stop();
    await rm(folder, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void end().finally(() => process.exit(130)));
  return {
    folder,
    url: database.url,
    pid: () => database.pid,
    restart: async () => {
      database = await start();
    },
    end,
  };
}
