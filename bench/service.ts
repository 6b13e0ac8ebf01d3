// Compares the service with its bare components; the limits are from the issue "Fast and simple":
// npm run bench:service -- --results 200k|2m|10m [--json FILE] [--only 1,3] [--dir DIR] [--seconds 1.5] [--processes 2]
// Generates the database once for each size and keeps it. Prints each figure as held or missed; exits with 1 if one is missed.
import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { readWish, type Wish } from './service/arguments.ts';
import { openGenerated } from './service/database.ts';
import { type Ground, openGround } from './service/ground.ts';
import { watchMemory } from './service/processes.ts';
import { showRepeated } from './service/show-1-repeated.ts';
import { showBoards } from './service/show-2-boards.ts';
import { showWrites } from './service/show-3-writes.ts';
import { showMemory, startOften } from './service/show-4-memory.ts';
import { showFairness } from './service/show-5-fairness.ts';
import { createVerdicts, type Verdicts } from './service/verdicts.ts';
import { describeMachine } from './support.ts';

/** All Shows on one service, which starts first and whose memory is sampled. */
async function measureAll(ground: Ground, { shows }: Wish): Promise<void> {
  const begun = performance.now();
  const started = await startOften(ground);
  const { service } = started;
  const watched = watchMemory(service.pid);
  let most = 0;
  const work: [show: number, measure: () => Promise<void>][] = [
    [1, () => showRepeated(ground, service)],
    [2, () => showBoards(ground, service)],
    [3, () => showWrites(ground, service)],
    [
      5,
      async () => {
        most = await showFairness(ground, service);
      },
    ],
  ];
  const asked = work.filter(([show]) => shows.includes(show));
  const seconds = [`starts ${secondsSince(begun)} s`];
  for (const [show, measure] of asked) {
    const from = performance.now();
    await measure().catch((error: unknown) => describeUnfinished(ground, show, error));
    seconds.push(`Show ${show} ${secondsSince(from)} s`);
  }
  most = Math.max(most, watched.stop());
  await service.end('SIGTERM');
  const from = performance.now();
  if (shows.includes(4)) {
    await showMemory(ground, started, asked.length === work.length ? most : null);
    seconds.push(`Show 4 ${secondsSince(from)} s`);
  }
  console.log(`\nTook ${seconds.join(', ')}, all ${secondsSince(begun)} s`);
}

/** A failed Show does not stop the others. */
function describeUnfinished({ verdicts }: Ground, show: number, error: unknown): void {
  console.error(error);
  verdicts.atLeast(1, { name: `Show ${show} measured to its end`, value: 0, unit: '' });
}

const secondsSince = (from: number) => ((performance.now() - from) / 1000).toFixed(0);

function conclude({ all }: Verdicts): void {
  const missed = all.filter(({ verdict }) => verdict === 'missed').length;
  const held = all.filter(({ verdict }) => verdict === 'held').length;
  console.log(`\n${held} held, ${missed} missed`);
  if (missed > 0) process.exitCode = 1;
}

const wish = readWish(process.argv.slice(2));
const database = await openGenerated(wish.results, wish.dir, console.log);
const verdicts = createVerdicts(console.log);
const ground = await openGround(database, verdicts, wish);
const close = async () => {
  await ground.end();
  await database.end();
};
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void close().finally(() => process.exit(130)));
try {
  describeMachine();
  console.log(
    `${database.results} results, ${wish.processes} API processes, rounds of ${wish.seconds} s, medians of 3`,
  );
  await measureAll(ground, wish);
  conclude(verdicts);
  if (wish.json !== null) {
    const machine = { node: process.version, cores: cpus().length, cpu: cpus()[0]?.model ?? '' };
    await writeFile(
      wish.json,
      `${JSON.stringify({ ...machine, results: database.results, figures: verdicts.all }, null, 2)}\n`,
    );
  }
} finally {
  await close();
}
