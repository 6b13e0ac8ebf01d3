import type { Service } from '../chaos/processes.ts';
import { type Cost, over } from './cost.ts';
import { askService, type Ground, rounds } from './ground.ts';
import type { Asked } from './http-connection.ts';
import { keepWriting, ownVersions } from './submissions.ts';

/** Limits from the issue for cached responses, by kind of request. */
const bars = { again: 8000, shareOfBare: 0.5, unchanged: 15_000, besideWrites: 2000, writesPerSecond: 5 } as const;

const plain = { 'accept-encoding': 'identity' };

async function pathsOf({ database: { sql } }: Ground): Promise<[name: string, path: string][]> {
  const [system] = await sql<{ id: string }[]>`
    select id from systems where engine_version !~ ${ownVersions} order by md5(id) limit 1`;
  return [
    ['board', '/v1/leaderboard'],
    ['best', '/v1/best'],
    ['system', `/v1/systems/${system?.id}`],
    ['/', '/'],
    ['report page', `/systems/${system?.id}`],
  ];
}

async function withTag(service: Service, path: string): Promise<Asked> {
  const response = await fetch(`${service.url}${path}`, { headers: plain });
  await response.arrayBuffer();
  const tag = response.headers.get('etag');
  if (tag === null) throw new Error(`${path} has no ETag`);
  return { path, headers: { ...plain, 'if-none-match': tag } };
}

interface Rows {
  alive: Cost[];
  again: Map<string, Cost[]>;
  unchanged: Map<string, Cost[]>;
  besideWrites: Map<string, Cost[]>;
}

const keep = (into: Map<string, Cost[]>, name: string, cost: Cost) => into.set(name, [...(into.get(name) ?? []), cost]);

async function measureRounds(ground: Ground, service: Service, paths: readonly [string, string][]): Promise<Rows> {
  const rows: Rows = { alive: [], again: new Map(), unchanged: new Map(), besideWrites: new Map() };
  for (let round = 0; round < rounds; round += 1) {
    rows.alive.push(await askService(ground, service, [{ path: '/healthz', headers: plain }]));
    for (const [name, path] of paths)
      keep(rows.again, name, await askService(ground, service, [{ path, headers: plain }]));
    for (const [name, path] of paths)
      keep(rows.unchanged, name, await askService(ground, service, [await withTag(service, path)], { status: 304 }));
    const writing = keepWriting(service, bars.writesPerSecond);
    for (const [name, path] of paths)
      keep(rows.besideWrites, name, await askService(ground, service, [{ path, headers: plain }]));
    await writing.stop();
  }
  return rows;
}

/** Requests per second of cached responses, compared with those of `/healthz`. */
export async function showRepeated(ground: Ground, service: Service): Promise<void> {
  const { verdicts } = ground;
  verdicts.show(1, 'repeated answers, 8 clients');
  const paths = await pathsOf(ground);
  // Compile the code and fill the cache before timing.
  for (const [, path] of [['', '/healthz'], ...paths] as const)
    await askService(ground, service, [{ path }], { ms: 300 });
  const { alive, again, unchanged, besideWrites } = await measureRounds(ground, service, paths);
  const bare = { name: '/healthz', value: over(alive, (cost) => cost.perSecond), unit: '/s' };
  const rateOf = (costs: readonly Cost[] = []) => over(costs, (cost) => cost.perSecond);
  for (const [name] of paths) {
    const value = rateOf(again.get(name));
    verdicts.atLeast(bars.again, { name, value, unit: '/s', bare });
    const share = { name: `${name}, share of /healthz`, value: value / bare.value, unit: '', bare };
    verdicts.atLeast(bars.shareOfBare, share);
  }
  // Rates depend on other load on the cores; these figures hardly do.
  const cpu: [of: string, figure: (cost: Cost) => number][] = [
    ['the API', (cost) => cost.own_ms * 1000],
    ['PostgreSQL', (cost) => cost.database_ms * 1000],
    ['the clients', (cost) => (cost.clientsBusy / cost.perSecond) * 1e6],
  ];
  for (const [of, figure] of cpu) {
    const unit = 'µs';
    for (const [name] of paths) {
      const value = over(again.get(name) ?? [], figure);
      verdicts.print({
        name: `${name}: CPU of ${of} for each`,
        value,
        unit,
        bare: { ...bare, value: over(alive, figure), unit },
      });
    }
    const value = over(unchanged.get('board') ?? [], figure);
    verdicts.print({ name: `board, unchanged (304): CPU of ${of} for each`, value, unit });
  }
  for (const [name] of paths)
    verdicts.atLeast(bars.unchanged, {
      name: `${name}, unchanged (304)`,
      value: rateOf(unchanged.get(name)),
      unit: '/s',
      bare,
    });
  for (const [name] of paths) {
    const figure = `${name}, beside ${bars.writesPerSecond} writes/s`;
    verdicts.atLeast(bars.besideWrites, { name: figure, value: rateOf(besideWrites.get(name)), unit: '/s', bare });
  }
  // If the clients use almost a whole core, they limit the measurement.
  const busy = Math.max(...[...again.values(), ...unchanged.values()].flat().map((cost) => cost.clientsBusy));
  verdicts.print({ name: 'share of a core that the clients used at most', value: busy, unit: '' });
}
