import { type Family, holds } from './attack.ts';
import { around, ownSystem, report } from './reports.ts';
import type { Account, World } from './world.ts';

/** Three runs with different figures. */
const runs = ({ random }: World, rate: number) => {
  const [rates, times] = [around(random, rate, 3), around(random, 80, 3)];
  return rates.map((output_tok_s, place) => ({
    repetition: place + 1,
    metrics: { output_tok_s, ttft_ms_mean: times[place] ?? 80 },
  }));
};

const trustsOf = async (world: World, submission: string) =>
  (await world.get(`/v1/submissions/${submission}`)).results.map(({ trust }: { trust: string }) => trust);

/** Attempts to gain trust by false replication. */
export const replication: Family = async (world) => {
  const send = (account: Account, name: string, rate: number) =>
    world.stored(account, report(ownSystem(world, name), runs(world, rate)));
  const [one, other] = [await world.vouched(), await world.vouched()];
  const honest = await send(one, 'replicated', 5000);
  await send(other, 'replicated', 5040);
  const alone = await send(one, 'alone', 5000);
  const entry = async (name: string) => {
    const { version } = ownSystem(world, name).engine;
    const [found] = await world.board({ rank_by: 'output_tok_s', engine_version: version });
    return { value: found?.value, trust: found?.trust, n: found?.statistics.n };
  };
  const before = await entry('replicated');
  const isUnmoved = async () => {
    const now = await entry('replicated');
    holds(before.trust === 'replicated', `the honest claim is ${before.trust}`);
    holds(JSON.stringify(now) === JSON.stringify(before), `from ${before.value} to ${now.value} ${now.trust}`);
    return `the honest claim stands at ${now.value}, ${now.trust}`;
  };
  return [
    {
      name: 'two fresh accounts 0.5 % apart, three runs each',
      must: 'not replicated',
      attempt: async () => {
        const sent = [await world.stranger(), await world.stranger()];
        const ids: string[] = [];
        for (const [place, account] of sent.entries())
          ids.push((await send(account, 'fresh', 5000 * (1 + 0.005 * place))).id);
        const trusts = (await Promise.all(ids.map((id) => trustsOf(world, id)))).flat();
        holds(!trusts.includes('replicated'), `${trusts.join(', ')}`);
        const entries = await world.board({
          rank_by: 'output_tok_s',
          engine_version: ownSystem(world, 'fresh').engine.version,
          include: 'provisional',
        });
        holds(
          entries.every(({ trust }) => trust !== 'replicated'),
          'replicated on the board',
        );
        return [...new Set(trusts)].join(', ');
      },
    },
    {
      name: 'a fresh account agrees with an honest claim, three runs',
      must: 'neither is replicated',
      attempt: async () => {
        const sent = await send(await world.stranger(), 'alone', 5010);
        const trusts = [...(await trustsOf(world, sent.id)), ...(await trustsOf(world, alone.id))];
        holds(!trusts.includes('replicated'), trusts.join(', '));
        return [...new Set(trusts)].join(', ');
      },
    },
    {
      name: 'a lie at a point whose honest claim is replicated, vouched',
      must: 'the lie is self_reported',
      attempt: async () => {
        const sent = await send(await world.vouched(), 'replicated', 9000);
        const trusts = await trustsOf(world, sent.id);
        holds(
          trusts.every((trust: string) => trust === 'self_reported'),
          `the lie is ${trusts.join(', ')}`,
        );
        holds((await trustsOf(world, honest.id)).includes('replicated'), 'the honest claim lost its trust');
        return `the lie is self_reported; ${await isUnmoved()}`;
      },
    },
    {
      name: 'the same lie by a new account',
      must: 'the lie is self_reported',
      attempt: async () => {
        const sent = await send(await world.stranger(), 'replicated', 14_000);
        const trusts = await trustsOf(world, sent.id);
        holds(
          trusts.every((trust: string) => trust === 'self_reported'),
          `the lie is ${trusts.join(', ')}`,
        );
        return `the lie is self_reported; ${await isUnmoved()}`;
      },
    },
  ];
};
