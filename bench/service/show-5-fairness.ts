import { setTimeout as sleep } from 'node:timers/promises';
import { findMetric, metricNames } from '../../packages/core/src/metrics/index.ts';
import { isWalked } from '../../packages/core/src/ranking/walked.ts';
import type { Service } from '../chaos/processes.ts';
import type { Statement } from './bare-clients.ts';
import { startChild } from './child.ts';
import { type Cost, median, over } from './cost.ts';
import { askBare, askService, type Ground, rounds } from './ground.ts';
import type { Load } from './http-clients.ts';
import type { Asked } from './http-connection.ts';
import type { Pressed } from './press.ts';
import { largest, memoryOf } from './processes.ts';
import { neverAsked } from './show-2-boards.ts';
import { ownVersions } from './submissions.ts';

/** Limits from the issue for lookups during the slowest board, and for memory independent of the requested metrics. */
const bars = { p99OfIdle: 3, growth: 1.1 } as const;

const slowClients = 50;
/** Duration of the search for the slowest board. */
const search_ms = 20_000;
/** No round over all metrics starts after this time: with very many points, some rounds take seconds. */
const metrics_ms = 60_000;

/** Bounds that match everything or nothing, to make each request of a board unique and uncached. */
const ofAll = 'min_req_s=0.000000001';
const ofNone = 'max_req_s=0.000000001';

/** Candidates for slow boards: each queries the points differently, by metrics of each kind first. */
function candidates(): string[] {
  const kinds = [true, false].map((walked) =>
    metricNames.filter((name) => isWalked(findMetric(name) as never) === walked),
  );
  const [walked = [], sorted = []] = kinds;
  const metrics = [walked[0], sorted[0], ...walked.slice(1), ...sorted.slice(1)].filter((name) => name !== undefined);
  const filters = [
    ofNone,
    `${ofAll}&limit=200`,
    `${ofNone}&include=provisional&include=quarantined`,
    `${ofAll}&tool=llmperf`,
    `${ofNone}&tool=vllm`,
    `${ofAll}&since=2024-01-01T00:00:00Z`,
    `${ofAll}&min_load_level=100`,
    `${ofNone}&trust=verified`,
  ];
  return metrics.flatMap((metric) => filters.map((filter) => `/v1/leaderboard?rank_by=${metric}&${filter}`));
}

/** The slowest board among those that the time allows; each is requested once. */
async function findSlowest({ url }: Service): Promise<{ path: string; ms: number; tried: number }> {
  const begun = performance.now();
  let slowest = { path: '/v1/leaderboard', ms: 0, tried: 0 };
  let tried = 0;
  for (const path of candidates()) {
    if (performance.now() - begun > search_ms) break;
    const start = performance.now();
    const response = await fetch(url + neverAsked(path));
    await response.arrayBuffer();
    const ms = performance.now() - start;
    tried += 1;
    if (response.status === 200 && ms > slowest.ms) slowest = { path, ms, tried };
  }
  return { ...slowest, tried };
}

/** One system with all its points in a single statement. */
const lookup = (id: string): Statement => ({
  text: `select to_json(s) as system, (
      select json_agg(to_json(t)) from points p join point_statistics t on t.point_id = p.id and t.stands
      where p.system_id = s.id) as points
    from systems s where s.id = $1`,
  values: [id],
});

interface Lookups {
  idle: Cost[];
  loaded: Cost[];
  bareIdle: Cost[];
  bareLoaded: Cost[];
  /** Slow boards per second. */
  slowPerSecond: number[];
}

async function measureLookups(ground: Ground, service: Service, slow: string): Promise<Lookups> {
  const { database, round_ms } = ground;
  const ids = (
    await database.sql<
      { id: string }[]
    >`select id from systems where engine_version is null or engine_version !~ ${ownVersions} order by md5(id) limit 20000`
  ).map(({ id }) => id);
  const found: Lookups = { idle: [], loaded: [], bareIdle: [], bareLoaded: [], slowPerSecond: [] };
  const crowd = startChild<Load, Pressed>('http-clients.ts');
  let next = 0;
  const some = () => {
    const part = Math.ceil(ids.length / (2 * rounds));
    const from = (part * next++) % ids.length;
    return ids.slice(from, from + part);
  };
  const alone = { clients: 1, ms: 1.5 * round_ms };
  const asService = () =>
    askService(
      ground,
      service,
      some().map((id): Asked => ({ path: `/v1/systems/${id}` })),
      alone,
    );
  const asBare = () =>
    askBare(
      ground,
      some().map((id) => [lookup(id)]),
      alone,
    );
  for (let round = 0; round < rounds; round += 1) {
    found.idle.push(await asService());
    found.bareIdle.push(await asBare());
    const requests = Array.from({ length: 20_000 }, () => ({ path: neverAsked(slow) }));
    const pace = { clients: slowClients, ms: 4 * round_ms, isOnce: true };
    const pressing = crowd.run({ url: service.url, requests, status: null, ...pace });
    await sleep(round_ms / 2);
    found.loaded.push(await asService());
    found.bareLoaded.push(await asBare());
    const { times, took_ms } = await pressing;
    found.slowPerSecond.push((times.length / took_ms) * 1000);
  }
  await crowd.end();
  return found;
}

async function showLookups(ground: Ground, service: Service): Promise<void> {
  const { verdicts } = ground;
  const slowest = await findSlowest(service);
  verdicts.print({ name: `the slowest of ${slowest.tried} boards: ${slowest.path}`, value: slowest.ms, unit: 'ms' });
  const { idle, loaded, bareIdle, bareLoaded, slowPerSecond } = await measureLookups(ground, service, slowest.path);
  verdicts.print({ name: `answers to ${slowClients} clients of it`, value: median(slowPerSecond), unit: '/s' });
  const p99 = (costs: readonly Cost[]) => over(costs, (cost) => cost.p99_ms);
  const times = (under: readonly Cost[], rest: readonly Cost[]) =>
    median(under.map((cost, round) => cost.p99_ms / (rest[round]?.p99_ms ?? Number.NaN)));
  const bare = { name: 'one statement', unit: 'ms' };
  verdicts.print({
    name: 'lookup by id, idle, p99',
    value: p99(idle),
    unit: 'ms',
    bare: { ...bare, value: p99(bareIdle) },
  });
  const beside = `lookup by id beside ${slowClients} clients of it, p99`;
  verdicts.print({ name: beside, value: p99(loaded), unit: 'ms', bare: { ...bare, value: p99(bareLoaded) } });
  verdicts.atMost(bars.p99OfIdle, {
    name: `${beside}, times idle`,
    value: times(loaded, idle),
    unit: '',
    bare: { ...bare, value: times(bareLoaded, bareIdle), unit: '' },
  });
}

/** Uncached boards by some metrics in turn, then the memory of the responding process. */
async function rankBy({ url, pid }: Service, metrics: readonly string[]): Promise<number> {
  for (const metric of metrics) {
    const response = await fetch(url + neverAsked(`/v1/leaderboard?rank_by=${metric}&${ofAll}`));
    await response.arrayBuffer();
  }
  await sleep(2000);
  return largest(await memoryOf(pid));
}

/** @returns the maximum memory of this process */
async function showMetrics(ground: Ground): Promise<number> {
  const service = await ground.start({ PROCESSES: '1' });
  const one = metricNames.map(() => 'output_tok_s');
  let before = 0;
  for (let round = 0; round < rounds; round += 1) before = await rankBy(service, one);
  const after: number[] = [];
  const begun = performance.now();
  while (after.length < rounds && performance.now() - begun < metrics_ms)
    after.push(await rankBy(service, metricNames));
  await service.end('SIGTERM');
  const bare = { name: `as many boards by one metric`, value: before, unit: 'MB' };
  const last = after.at(-1) ?? Number.NaN;
  ground.verdicts.print({
    name: `memory after all ${metricNames.length} metrics, ${after.length} times`,
    value: last,
    unit: 'MB',
    bare,
  });
  ground.verdicts.atMost(bars.growth, {
    name: 'memory after all metrics, times that after one',
    value: last / before,
    unit: '',
    bare,
  });
  return Math.max(...after);
}

/**
 * Lookups during many requests of a slow board, and memory while boards of all metrics are requested.
 *
 * @returns the maximum memory of the process that responded for all metrics
 */
export async function showFairness(ground: Ground, service: Service): Promise<number> {
  ground.verdicts.show(5, 'a fair process');
  await showLookups(ground, service);
  return showMetrics(ground);
}
