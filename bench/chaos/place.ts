import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Embedded, startEmbedded } from '../../packages/db/src/embedded/start.ts';

/** A separate database, durable as in production, for stress tests. */
export interface Place {
  /** Folder for the data and logs. */
  folder: string;
  url: string;
  /** Process id of the running server. */
  pid(): number;
  /** Starts it again after a kill, at the same address. */
  restart(): Promise<void>;
  /** Stops it and deletes everything, also on Ctrl-C, because a started server outlives this process. */
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
