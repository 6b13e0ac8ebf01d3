import type { Service } from '../chaos/processes.ts';
import { randomOf } from '../scale/chance.ts';
import { makeQuestions } from '../scale/questions.ts';
import { type Cost, cpuOfBoth, median, over } from './cost.ts';
import { askBare, askService, type Ground, inRounds } from './ground.ts';
import type { Asked } from './http-connection.ts';
import { bareWalk, type Walk } from './walk.ts';

/** Limits from the issue for uncached boards. */
const bars = { ofBareCpu: 2, perSecond: 250, perSecondFiltered: 600, p99OfP50: 5, pageCpu_ms: 15 } as const;

/** Number of boards of each kind; each request to the service has different bounds. */
const boardsOfKind = 40;
/** If preparing a kind's bare walks takes longer than this, a quarter of them suffices. */
const search_ms = 15_000;
/** More than the service can respond to in a second. */
const mostPerSecond = 3000;

let asked = 0;

/** The same board with new bounds: each is slightly above the known one. */
export function neverAsked(path: string): string {
  asked += 1;
  const url = new URL(path, 'http://localhost');
  for (const [name, value] of url.searchParams)
    if (/^(?:min|max)_/.test(name)) url.searchParams.set(name, (Number(value) * (1 + asked * 1e-9)).toPrecision(15));
  return url.pathname + url.search;
}

interface Kind {
  name: string;
  perSecond: number;
  paths: string[];
  walks: Walk[];
}

async function prepareKinds({ database }: Ground, service: Service): Promise<Kind[]> {
  const boards = makeQuestions([], []).filter(({ name }) => name.startsWith('leaderboard'));
  const kinds: Kind[] = [];
  for (const [place, { name, path }] of boards.entries()) {
    const random = randomOf(7, place);
    const kind: Kind = {
      name: name.replace('leaderboard', 'board'),
      perSecond: name.endsWith('bounds') ? bars.perSecond : bars.perSecondFiltered,
      ...{ paths: [], walks: [] },
    };
    const begun = performance.now();
    const wanted = () => (performance.now() - begun < search_ms ? boardsOfKind : boardsOfKind / 4);
    for (let turn = 0; kind.walks.length < wanted() && turn < 4 * boardsOfKind; turn += 1) {
      const next = path(random);
      const walk = await bareWalk(database.sql, service, next);
      if (walk === null) continue;
      kind.paths.push(next);
      kind.walks.push(walk);
    }
    kinds.push(kind);
  }
  return kinds;
}

function requestsOf(paths: readonly string[], count: number): Asked[] {
  return Array.from({ length: count }, (_, place) => ({ path: neverAsked(paths[place % paths.length] ?? '/') }));
}

async function measureKind(ground: Ground, service: Service, { name, perSecond, paths, walks }: Kind): Promise<void> {
  const { verdicts } = ground;
  const work = walks.map(({ statement }) => [statement]);
  const found = await inRounds(ground, async (ms) => ({
    ours: await askService(ground, service, requestsOf(paths, (mostPerSecond * ms) / 1000), { isOnce: true, ms }),
    bare: await askBare(ground, work, { ms }),
  }));
  const [ours, bare] = [found.map((round) => round.ours), found.map((round) => round.bare)];
  const least_ms = over(bare, cpuOfBoth);
  const cpu = { name: 'bare walk', value: least_ms, unit: 'ms' };
  const ofBare = median(ours.map((cost, round) => cpuOfBoth(cost) / cpuOfBoth(bare[round] ?? cost)));
  verdicts.atMost(bars.ofBareCpu, {
    name: `${name}: CPU of API and PostgreSQL, times bare`,
    value: ofBare,
    unit: '',
    bare: cpu,
  });
  verdicts.print({
    name: `${name}: CPU of the API for each`,
    value: over(ours, (cost) => cost.own_ms),
    unit: 'ms',
    bare: { ...cpu, value: over(bare, (cost) => cost.own_ms) },
  });
  verdicts.print({
    name: `${name}: CPU of PostgreSQL for each`,
    value: over(ours, (cost) => cost.database_ms),
    unit: 'ms',
    bare: { ...cpu, value: over(bare, (cost) => cost.database_ms) },
  });
  verdicts.atLeast(perSecond, {
    name,
    value: over(ours, (cost) => cost.perSecond),
    unit: '/s',
    bare: { ...cpu, value: over(bare, (cost) => cost.perSecond), unit: '/s' },
  });
  const tail = (costs: readonly Cost[]) => over(costs, ({ p99_ms, p50_ms }) => p99_ms / p50_ms);
  verdicts.atMost(bars.p99OfP50, {
    name: `${name}: p99, times p50`,
    value: tail(ours),
    unit: '',
    bare: { ...cpu, value: tail(bare), unit: '' },
  });
  const same = walks.filter(({ isSame }) => isSame).length;
  verdicts.print({
    name: `${name}: bare walks that return the same entries, of ${walks.length}`,
    value: same,
    unit: '',
  });
}

/** The first page from a service without a response cache. */
async function measurePage(ground: Ground): Promise<void> {
  const { database, verdicts } = ground;
  const service = await ground.start({ CACHE_MB: '0' });
  const walk = await bareWalk(database.sql, service, '/v1/leaderboard');
  const found = await inRounds(ground, async (ms) => ({
    ours: await askService(ground, service, [{ path: '/' }], { ms }),
    bare: walk === null ? [] : [await askBare(ground, [[walk.statement]], { ms })],
  }));
  const [ours, bare] = [found.map((round) => round.ours), found.flatMap((round) => round.bare)];
  await service.end('SIGTERM');
  const least = { name: 'bare walk of its board', value: over(bare, cpuOfBoth), unit: 'ms' };
  verdicts.atMost(bars.pageCpu_ms, {
    name: '/ uncached: CPU of API and PostgreSQL',
    value: over(ours, cpuOfBoth),
    unit: 'ms',
    bare: least,
  });
}

/** Uncached boards, compared with bare walks that return the same rows. */
export async function showBoards(ground: Ground, service: Service): Promise<void> {
  ground.verdicts.show(2, 'boards never asked before, 8 clients');
  for (const kind of await prepareKinds(ground, service)) await measureKind(ground, service, kind);
  await measurePage(ground);
}
