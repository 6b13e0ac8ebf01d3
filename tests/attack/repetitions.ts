import { type Family, holds } from './attack.ts';
import { isKeptOut } from './outcome.ts';
import { around, ownSystem, report, requestsOf } from './reports.ts';
import type { Account, World } from './world.ts';

type Row = Record<string, unknown>;

/** Rows that claim to be repetitions of a rate. */
function rows({ random }: World, rate: number, count: number, numbered: boolean) {
  return around(random, rate, count).map((output_tok_s, place) => ({
    ...(numbered && { repetition: place + 1 }),
    metrics: { output_tok_s },
  }));
}

/** The board entry of a point that a rival has, and the other claims on it. */
async function rivalAt(world: World, version: string) {
  const entries = await world.board({ rank_by: 'output_tok_s', engine_version: version });
  holds(entries.length === 1, `${entries.length} entries at the rival's point`);
  const [{ value, statistics, system }] = entries as [(typeof entries)[0]];
  const { points } = await world.get(`/v1/systems/${system.id}`);
  const claims: Row[] = points.find(({ status }: Row) => status === 'accepted').claims;
  return { value, n: statistics.n, disagreeing: claims.filter(({ agreement }) => agreement === 'disagreeing').length };
}

/** Rows with which another account tries to change a rival's average. */
export const repetitions: Family = async (world) => {
  const rival = await world.vouched();
  const isMoved = async (version: string, before: { value: number; n: number }) => {
    const now = await rivalAt(world, version);
    holds(now.value === before.value && now.n === before.n, `from ${before.value} (n ${before.n}) to ${now.value}`);
    holds(now.disagreeing === 1, `${now.disagreeing} claims disagree`);
    return `still ${now.value}, n ${now.n}, ${now.disagreeing} disagreeing`;
  };
  const make = async (name: string, results: Row[], level = 64) => {
    const system = ownSystem(world, name);
    const of = report(system, results, { level });
    await world.stored(rival, of);
    const { version } = system.engine;
    return { system, version, before: await rivalAt(world, version) };
  };
  const stated = await make('rows', rows(world, 5000, 3, true));
  const numbered = await make('numbered', rows(world, 5000, 3, true));
  const recorded = await make('recorded', [{ requests: requestsOf(world.random, 60) }], 1);
  const flood = async (account: Account, to: typeof stated, isNumbered: boolean, level = 64, scale = 1) => {
    for (const [rate, count] of [
      [500 * scale, 300],
      [9000 * scale, 3000],
    ] as const) {
      const reply = await world.submit(account, report(to.system, rows(world, rate, count, isNumbered), { level }));
      holds(reply.status < 500, `${reply.status} ${reply.text.slice(0, 200)}`);
    }
  };
  return [
    {
      name: '300 "repetitions" at 500 and 3,000 at 9,000 where a rival stands at 5,000',
      must: 'still 5,000, n as it was, one disagreeing claim',
      attempt: async () => {
        await flood(await world.stranger(), stated, false);
        return isMoved(stated.version, stated.before);
      },
    },
    {
      name: 'the same, numbered 1 to 300',
      must: 'still 5,000, n as it was, one disagreeing claim',
      attempt: async () => {
        await flood(await world.stranger(), numbered, true);
        return isMoved(numbered.version, numbered.before);
      },
    },
    {
      name: 'the same by a vouched account, where the rival has records',
      must: 'still what it was, n as it was, one disagreeing claim',
      attempt: async () => {
        await flood(await world.vouched(), recorded, true, 1, 0.02);
        return isMoved(recorded.version, recorded.before);
      },
    },
    {
      name: 'one row a hundred times, and a hundred rows that differ by a last digit',
      must: 'counts once, ranks nowhere',
      attempt: async () => {
        const stranger = await world.stranger();
        const system = ownSystem(world, 'echo');
        const same = Array.from({ length: 100 }, () => ({ metrics: { output_tok_s: 6000.5, ttft_ms_mean: 81.25 } }));
        const near = same.map(({ metrics }, place) => ({
          metrics: { ...metrics, output_tok_s: metrics.output_tok_s + place / 1e6 },
        }));
        isKeptOut(await world.submit(stranger, report(system, same)));
        const said = isKeptOut(await world.submit(stranger, report(system, near)));
        const entries = await world.board({ rank_by: 'output_tok_s', engine_version: system.engine.version });
        holds(entries.length === 0, 'it stands on a board');
        return said;
      },
    },
  ];
};
