import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from '../chaos/processes.ts';
import type { BareLoad } from './bare-clients.ts';
import { startChild } from './child.ts';
import { median } from './cost.ts';
import { bareOf, type Ground, rounds } from './ground.ts';
import type { Pressed } from './press.ts';
import { largest, memoryOf } from './processes.ts';
import { bareWalk } from './walk.ts';

/** Limits from the issue for the start time, and for memory in MB. */
const bars = { firstBoard_s: 0.3, atRest: 350, underLoad: 600, product: 600 } as const;

/** Time until the memory of an idle process is stable. */
const rest_ms = 10_000;

/** Figures of the starts of the service. */
export interface Started {
  service: Service;
  firstBoard_s: number;
  atRest: number;
  /** The walk of the same board as the first statement of a process, and the memory of that process. */
  bareFirst_s: number;
  bareMemory: number;
}

async function timeFirst({ url }: Service, path: string): Promise<number> {
  const start = performance.now();
  const response = await fetch(url + path);
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`${path}: ${response.status}`);
  return (performance.now() - start) / 1000;
}

async function timeBareFirst({ database }: Ground, service: Service): Promise<{ seconds: number; memory: number }> {
  const walk = await bareWalk(database.sql, service, '/v1/leaderboard');
  if (walk === null) return { seconds: Number.NaN, memory: Number.NaN };
  const child = startChild<BareLoad, Pressed>('bare-clients.ts');
  const load = { ...bareOf(database), work: [[walk.statement]], clients: 1, isOnce: true, ms: 60_000 };
  const { times } = await child.run(load);
  const memory = largest(await memoryOf(child.pid));
  await child.end();
  return { seconds: (times[0] ?? Number.NaN) / 1000, memory };
}

/** Starts the service three times and requests the first board of each. The last one is then idle and keeps running. */
export async function startOften(ground: Ground): Promise<Started> {
  const first: number[] = [];
  for (let round = 1; ; round += 1) {
    const service = await ground.start();
    first.push(await timeFirst(service, '/v1/leaderboard'));
    if (round < rounds) {
      await service.end('SIGTERM');
      continue;
    }
    await sleep(rest_ms);
    const atRest = largest(await memoryOf(service.pid));
    const bare = await timeBareFirst(ground, service);
    return { service, firstBoard_s: median(first), atRest, bareFirst_s: bare.seconds, bareMemory: bare.memory };
  }
}

/** Memory of the product with the sample data, its own PostgreSQL and the worker. */
async function measureProduct({ folder, startProduct }: Ground, processes: number): Promise<number> {
  const dataDir = await mkdtemp(join(folder, 'product-'));
  const service = await startProduct(dataDir, { PROCESSES: String(processes) });
  try {
    for (const path of ['/v1/leaderboard', '/']) await timeFirst(service, path);
    await sleep(rest_ms);
    return (await memoryOf(service.pid)).reduce((sum, { own }) => sum + own, 0);
  } finally {
    await service.end('SIGTERM');
    await rm(dataDir, { recursive: true, force: true });
  }
}

/**
 * The first board after a start, and memory.
 *
 * @param most maximum memory of one API process over all measurements; null if none was taken
 */
export async function showMemory(ground: Ground, started: Started, most: number | null): Promise<void> {
  const { verdicts } = ground;
  const { length: processes } = ground.bare;
  verdicts.show(4, 'start and memory');
  const { firstBoard_s, bareFirst_s, atRest, bareMemory } = started;
  const walk = { name: 'bare walk, first statement', value: bareFirst_s, unit: 's' };
  verdicts.atMost(bars.firstBoard_s, { name: 'first board after a start', value: firstBoard_s, unit: 's', bare: walk });
  const bare = { name: 'process with the driver alone', value: bareMemory, unit: 'MB' };
  verdicts.atMost(bars.atRest, { name: 'API process at rest', value: atRest, unit: 'MB', bare });
  if (most !== null)
    verdicts.atMost(bars.underLoad, { name: 'API process under all of this', value: most, unit: 'MB', bare });
  const name = 'whole product with the sample, one API process';
  verdicts.atMost(bars.product, { name, value: await measureProduct(ground, 1), unit: 'MB', bare });
  if (processes === 1) return;
  const several = await measureProduct(ground, processes);
  verdicts.print({ name: `the same with ${processes} API processes`, value: several, unit: 'MB', bare });
}
