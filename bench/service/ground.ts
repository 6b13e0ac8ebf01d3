import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sessionSettings } from '../../packages/db/src/connection/client.ts';
import { freePort } from '../../tests/support/server.ts';
import { type Service, startService } from '../chaos/processes.ts';
import type { Wish } from './arguments.ts';
import type { BareLoad, Statement } from './bare-clients.ts';
import { type Child, startChild } from './child.ts';
import { type Cost, measure } from './cost.ts';
import type { Generated } from './database.ts';
import type { Load } from './http-clients.ts';
import type { Asked } from './http-connection.ts';
import { type Pressed, together } from './press.ts';
import type { Verdicts } from './verdicts.ts';

export const rounds = 3;
/** Clients of the service, and connections of the bare driver. */
export const clients = 8;

/** The shared setup of all Shows. */
export interface Ground {
  database: Generated;
  verdicts: Verdicts;
  /** Duration of a round. */
  round_ms: number;
  /** Starts the API and the site on the generated database, without rate limits. */
  start(settings?: Record<string, string>): Promise<Service>;
  /** Starts the complete product with the sample data on a new database in an empty folder. */
  startProduct(dataDir: string, settings: Record<string, string>): Promise<Service>;
  http: Child<Load, Pressed>;
  bare: readonly Child<BareLoad, Pressed>[];
  /** Folder for logs. */
  folder: string;
  end(): Promise<void>;
}

export async function openGround(
  database: Generated,
  verdicts: Verdicts,
  { seconds, processes }: Pick<Wish, 'seconds' | 'processes'>,
): Promise<Ground> {
  const folder = await mkdtemp(join(tmpdir(), 'inferboard-service-'));
  const http = startChild<Load, Pressed>('http-clients.ts');
  const bare = Array.from({ length: processes }, () => startChild<BareLoad, Pressed>('bare-clients.ts'));
  const started: Service[] = [];
  const startWith = async (settings: Record<string, string>) => {
    const service = await startService(folder, await freePort(), settings);
    started.push(service);
    return service;
  };
  return {
    ...{ database, verdicts, round_ms: seconds * 1000, http, bare, folder },
    start: (settings = {}) =>
      startWith({
        DATABASE_URL: database.url,
        ROLES: 'api,site',
        LOG_LEVEL: 'info',
        PROCESSES: String(processes),
        ...settings,
      }),
    startProduct: (dataDir, settings) =>
      startWith({ DATA_DIR: dataDir, ROLES: 'api,worker,site', SAMPLE_DATA: 'seeds', ...settings }),
    end: async () => {
      for (const service of started) await service.end('SIGTERM');
      await Promise.all([http, ...bare].map((child) => child.end()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Runs a function once per round, after a shorter warm-up round that is not counted.
 *
 * @param one receives its maximum duration
 */
export async function inRounds<Round>({ round_ms }: Ground, one: (ms: number) => Promise<Round>): Promise<Round[]> {
  await one(round_ms / 2);
  const all: Round[] = [];
  for (let round = 0; round < rounds; round += 1) all.push(await one(round_ms));
  return all;
}

/** Options of a round. Default: eight clients that start over after the last request and expect 200. */
interface Round {
  clients?: number;
  isOnce?: boolean;
  ms?: number;
  status?: number | null;
}

/** One round of requests to the service. Prints failures with the service's last errors. */
export async function askService(
  { http, database, round_ms }: Ground,
  service: Service,
  requests: readonly Asked[],
  round: Round = {},
): Promise<Cost> {
  const load = { url: service.url, requests, clients, isOnce: false, ms: round_ms, status: 200, ...round };
  const cost = await measure({ own: [service.pid], database: database.postmaster }, () => http.run(load));
  if (cost.failed > 0) {
    const errors = service
      .log()
      .split('\n')
      .filter((line) => /error/i.test(line));
    console.error([`${cost.failed} requests failed: ${cost.fault}`, ...errors.slice(-5)].join('\n    '));
  }
  return cost;
}

/** Database access of bare clients. */
export const bareOf = ({ url }: Generated): Pick<BareLoad, 'databaseUrl' | 'session'> => ({
  databaseUrl: url,
  session: sessionSettings,
});

/**
 * One round of bare statements by as many processes as the API has. The statements of an item form one transaction.
 *
 * @throws Error if one fails
 */
export async function askBare(
  { bare, database, round_ms }: Ground,
  work: readonly (readonly Statement[])[],
  round: Omit<Round, 'status'> = {},
): Promise<Cost> {
  const load = { ...bareOf(database), isOnce: false, ms: round_ms, ...round };
  const connections = round.clients ?? clients;
  const used = bare.slice(0, connections);
  const cost = await measure({ own: used.map(({ pid }) => pid), database: database.postmaster }, async () => {
    const parts = used.map((child, place) => {
      const ofChild = <T>(all: readonly T[]) => all.filter((_, at) => at % used.length === place);
      const own = {
        work: load.isOnce ? ofChild(work) : work,
        clients: ofChild(Array.from({ length: connections })).length,
      };
      return child.run({ ...load, ...own });
    });
    return together(await Promise.all(parts));
  });
  if (cost.fault !== null) throw new Error(cost.fault);
  return cost;
}

/** The service's JSON response to a single request. */
export async function readAnswer<Answer>({ url }: Service, path: string): Promise<Answer> {
  const response = await fetch(`${url}${path}`);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text.slice(0, 300)}`);
  return JSON.parse(text) as Answer;
}
