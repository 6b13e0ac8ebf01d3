import type { Body } from '../acceptance/world.ts';
import { type Attack, type Family, holds } from './attack.ts';
import { bothSenders } from './outcome.ts';
import { consoleOf, ownSystem, report, resultFileOf, servedFacts, servedRun } from './reports.ts';
import type { Account, World } from './world.ts';

const everything = 'provisional,not_repetitions,quarantined,retracted';

/** Checks that every value on a board or on the system's page is the value of a single result. */
async function isNoAverage(world: World, account: Account, version: string): Promise<string> {
  const results = (await world.resultsOf(account)).filter(({ system }) => system.engine.version === version);
  holds(results.length > 0, 'nothing was stored');
  const stated = (metric: string) => new Set(results.map(({ metrics, derived }) => metrics[metric] ?? derived[metric]));
  let entries = 0;
  const metrics = ['output_tok_s', 'ttft_ms_mean', 'tpot_ms_mean', 'total_tok_s', 'output_tok_s_per_gpu'];
  for (const metric of metrics) {
    for (const include of [{}, { include: everything }] as Record<string, string>[]) {
      for (const { value, statistics } of await world.board({ rank_by: metric, engine_version: version, ...include })) {
        entries += 1;
        holds(stated(metric).has(value), `${metric} ${value} on a board is no result's figure`);
        holds(statistics.n === null || statistics.n === 1, `${metric} ${value} is a mean of ${statistics.n}`);
      }
    }
  }
  for (const id of new Set(results.map(({ system }) => system.id))) {
    const { points } = await world.get(`/v1/systems/${id}`);
    for (const { statistics } of points as Body[])
      for (const metric of metrics) {
        const mean = statistics[metric]?.mean;
        holds(mean === undefined || stated(metric).has(mean), `${metric} ${mean} of a system is no result's figure`);
      }
  }
  const statuses = [...new Set(results.map(({ status }) => status))].join(', ');
  return `${results.length} results, ${statuses}; ${entries} entries, each of one result`;
}

/** Runs that are not repetitions, in one paste. */
export const unpooled: Family = async (world) => {
  const { random } = world;
  const senders = await bothSenders(world);
  const attack = (name: string, tag: string, artifact: () => string, facts: Record<string, string> | null): Attack => ({
    ...{ name, must: 'no average of them anywhere' },
    attempt: async () => {
      const said: string[] = [];
      for (const [kind, account] of senders) {
        const version = `0.11.0+${world.run}.${tag}.${kind}`;
        const parameters: Record<string, string> = facts === null ? {} : { ...facts, engine_version: version };
        await world.stored(account, artifact().replaceAll(`.${tag}"`, `.${tag}.${kind}"`), parameters);
        said.push(`${kind}: ${await isNoAverage(world, account, version)}`);
      }
      return said.join('; ');
    },
  });
  const facts = servedFacts(world, '');
  const loads = Array.from({ length: 23 }, (_, place) => 1 + 3 * place);
  return [
    attack(
      '23 console blocks without a load',
      'blocks',
      () => loads.map((load) => consoleOf(servedRun(random, load), false)).join('\n'),
      facts,
    ),
    attack(
      'before and after a change, in one paste',
      'change',
      () => [1.8, 1].map((slow) => consoleOf(servedRun(random, 16, slow))).join('\n'),
      facts,
    ),
    attack(
      'before and after a change, as two files in one',
      'files',
      () => [1, 1.8].map((slow) => resultFileOf(servedRun(random, 16, slow))).join('\n'),
      facts,
    ),
    attack(
      '23 rows of the native format without a load',
      'rows',
      () =>
        report(
          ownSystem(world, 'rows'),
          loads.map((load) => ({
            load: { mode: 'unspecified' },
            metrics: { output_tok_s: 90 * load + random.next() },
          })),
        ),
      null,
    ),
    attack(
      'before and after, as native rows of one load',
      'two',
      () =>
        report(
          ownSystem(world, 'two'),
          [2000, 3100].map((rate) => ({ metrics: { output_tok_s: rate + random.next() } })),
        ),
      null,
    ),
  ];
};
