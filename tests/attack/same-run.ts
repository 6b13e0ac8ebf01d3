import { type Attack, type Family, holds } from './attack.ts';
import { consoleOf, resultFileOf, servedFacts, servedRun } from './reports.ts';
import type { Account } from './world.ts';

type Wrapping = [name: string, wrap: (run: ReturnType<typeof servedRun>) => string];

const wrappings: Wrapping[] = [
  ['as the file that the tool wrote', resultFileOf],
  ['as that file, indented', (run) => JSON.stringify(JSON.parse(resultFileOf(run)), null, 2)],
  ['as console text between other lines', (run) => `$ vllm bench serve\n${consoleOf(run)}\ndone\n`],
  ['twice in one paste', (run) => `${consoleOf(run)}\n${consoleOf(run)}`],
  ['as console text and file in one paste', (run) => `${consoleOf(run)}\n${resultFileOf(run)}\n`],
];

/** One run, submitted as several. */
export const sameRun: Family = async (world) => {
  const run = servedRun(world.random, 16);
  const send = (account: Account, name: string, artifact: string) =>
    world.submit(account, artifact, servedFacts(world, name));
  const isOne = async (account: Account, name: string) => {
    const version = servedFacts(world, name).engine_version;
    const sent = (await world.resultsOf(account)).filter(({ system }) => system.engine.version === version);
    const counted = sent.filter(({ copy_of }) => copy_of === null);
    holds(counted.length === 1, `${counted.length} of ${sent.length} results count`);
    const entries = await world.board({ rank_by: 'output_tok_s', engine_version: version, include: 'provisional' });
    const counts = entries.map(({ statistics }) => statistics.n);
    holds(
      counts.every((n) => n === 1),
      `n = ${counts.join(' and ')}`,
    );
    return `n = 1 of ${sent.length} results`;
  };
  const vouched = await world.vouched();
  await world.stored(vouched, consoleOf(run), servedFacts(world, 'vouched'));
  const stranger = await world.stranger();
  const other = servedRun(world.random, 16);
  await world.stored(stranger, consoleOf(other), servedFacts(world, 'new'));
  return wrappings.map(
    ([name, wrap]): Attack => ({
      name: `a run of console text again, ${name}`,
      must: 'n = 1',
      attempt: async () => {
        const said: string[] = [];
        for (const [account, of, place] of [
          [vouched, run, 'vouched'],
          [stranger, other, 'new'],
        ] as const) {
          const { status, text } = await send(account, place, wrap(of));
          holds(status < 300 || status === 422, `${status} ${text.slice(0, 200)}`);
          said.push(`${await isOne(account, place)}`);
        }
        return said.join('; ');
      },
    }),
  );
};
