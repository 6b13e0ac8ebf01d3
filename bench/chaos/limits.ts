// Effects of one client on all others: far above its rate limit, with connections that never end, and with oversized bodies.
// npm run chaos:limits -- [--seconds 10] [--rounds 6] [--sockets 200] [--port 9258]
// Exits with 1 if a limit is missed.
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { describeMachine } from '../support.ts';
import { createBars, quantile } from './bars.ts';
import { type Client, countWords, createClient, isAnswered, type Outcome, wordOf } from './client.ts';
import { bombsOf, startDrip } from './floods.ts';
import { openPlace } from './place.ts';
import { createAccount, rssOf, startService, watchMemory } from './processes.ts';
import { startTraffic } from './traffic.ts';
import { createWild } from './wild.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    // With 1500 requests, a single stall of the machine of 300 ms would determine the p99.
    rounds: { type: 'string', default: '6' },
    sockets: { type: 'string', default: '200' },
    port: { type: 'string', default: '9258' },
  },
});
const [seconds, rounds, sockets, port] = [values.seconds, values.rounds, values.sockets, values.port].map(Number) as [
  number,
  number,
  number,
  number,
];
/** The budget of each key per minute. A board costs 5, so a key can request 20 per second and submit 4. */
const [reads, writes] = [6000, 240];
const excess = 10;
/** Rate of the well-behaved key: half of its limit, each request costs 1. */
const victimRate = 50;
const growth_MiB = 200;
/** Number of oversized bodies of each kind, eight at a time. */
const bombings = 3;
/** The flood runs at ten times its limit, so it uses up a second of saved budget in a tenth of a second. */
const savedFor_ms = Math.max(1000, 200 * seconds);

const bars = createBars();
const place = await openPlace(port + 1);
const service = await startService(place.folder, port, {
  DATABASE_URL: place.url,
  SAMPLE_DATA: 'seeds',
  RATE_LIMIT_READS: String(reads),
  RATE_LIMIT_WRITES: String(writes),
});
const clients: Client[] = [];
const open = () => {
  const client = createClient(service.url, { timeout_ms: 60_000 });
  clients.push(client);
  return client;
};
const memory = watchMemory(service.pid);
try {
  describeMachine();
  const [calm, wild] = [await createAccount(service.url, 'calm'), await createAccount(service.url, 'wild')];
  const calmClient = open();
  const listed = await calmClient.ask({ path: '/v1/systems?limit=1', headers: { authorization: `Bearer ${calm}` } });
  if (!isAnswered(listed) || listed.status !== 200) throw new Error(`no systems: ${wordOf(listed)}`);
  const { data } = JSON.parse(listed.text) as { data: { id: string }[] };
  const path = `/v1/systems/${data[0]?.id}`;

  /** Latencies of the well-behaved key during an operation, ms. */
  const during = async (ms: number): Promise<{ times: number[]; words: string[] }> => {
    const seen = { times: [] as number[], words: [] as string[] };
    const asked = { path, headers: { authorization: `Bearer ${calm}` } };
    const traffic = startTraffic(
      victimRate,
      () => ({ client: calmClient, asked }),
      ({ outcome, took_ms }) => {
        seen.times.push(took_ms);
        seen.words.push(wordOf(outcome));
      },
    );
    await sleep(ms);
    await traffic.stop();
    return seen;
  };
  const serves = (name: string, { times, words }: { times: number[]; words: string[] }) => {
    bars.atMost(`${name}: answers to others that are not 200`, words.filter((word) => word !== '200').length, 0);
    bars.print(`${name}: p99 of others`, quantile(times, 0.99), 'ms');
  };

  const flood = createWild({
    url: service.url,
    key: wild,
    boards_s: (excess * reads) / 60 / 5,
    submissions_s: (excess * writes) / 60,
  });

  // Uses up the burst budget first, and warms up caches and code.
  flood.start();
  await during(8000);
  await flood.stop();
  const answers: string[] = [];
  let unexplained = 0;
  const times: Record<'alone' | 'saved' | 'beside', number[]> = { alone: [], saved: [], beside: [] };
  const words: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const alone = await during(seconds * 1000);
    flood.start();
    // The flooding key saved budget while it was idle; until that is used up, its requests are within its limit.
    const saved = await during(savedFor_ms);
    const beside = await during(seconds * 1000);
    const flooded = await flood.stop();
    answers.push(...flooded.words);
    unexplained += flooded.unexplained;
    times.alone.push(...alone.times);
    times.saved.push(...saved.times);
    times.beside.push(...beside.times);
    words.push(...alone.words, ...saved.words, ...beside.words);
  }
  await flood.close();
  console.log(
    `a key at ${excess} times its limit (${reads} reads and ${writes} writes a minute), another at half of its own`,
  );
  const refused = answers.filter((word) => word === '429').length;
  bars.print('answers to the first', countWords(answers));
  bars.atLeast('share of it that was 429', (100 * refused) / answers.length, 75, '%');
  bars.atMost('429 without RateLimit, RateLimit-Policy or Retry-After', unexplained, 0);
  bars.atMost('answers to the other that are not 200', words.filter((word) => word !== '200').length, 0);
  const p99 = { alone: quantile(times.alone, 0.99), beside: quantile(times.beside, 0.99) };
  bars.print(`p99 of the other alone, of ${times.alone.length}`, p99.alone, 'ms');
  bars.print(
    `p99 of the other while it uses up what it earned, of ${times.saved.length}`,
    quantile(times.saved, 0.99),
    'ms',
  );
  bars.print(`p99 of the other beside it, of ${times.beside.length}`, p99.beside, 'ms');
  bars.atMost('beside it over alone', p99.beside / p99.alone, 2);

  const calmMemory = rssOf(service.pid);
  let most = calmMemory;
  const describeGrowth = (name: string, before: number) => {
    const seen = memory.most();
    most = Math.max(most, seen);
    bars.print(`${name}: memory grew by`, seen - before, 'MiB');
  };
  for (const part of ['head', 'body', 'rest'] as const) {
    console.log(
      part === 'rest'
        ? `${sockets} connections that send 15 MiB of their 16, and of the rest a byte each second`
        : `${sockets} connections that send a byte of their ${part} each second`,
    );
    const slow = await createAccount(service.url, `slow ${part}`);
    memory.most();
    const before = rssOf(service.pid);
    const drip = startDrip(port, sockets, part, slow);
    // A request head must arrive within 20 s, checked every 5 s.
    const seen = await during(part === 'head' ? 30_000 : seconds * 1000);
    serves(part, seen);
    describeGrowth(part, before);
    bars.print(`${part}: connections ended, and with what`, `${drip.ended()}: ${countWords(drip.statuses())}`);
    if (part === 'head') bars.atLeast('connections ended within 30 s', drip.ended(), sockets);
    drip.stop();
  }

  const bomber = open();
  for (const { name, asked, expected } of bombsOf(await createAccount(service.url, 'bomber'))) {
    console.log(`${name}, 8 at a time, ${bombings} times`);
    memory.most();
    const before = rssOf(service.pid);
    const outcomes: Outcome[] = [];
    let done = false;
    const bombing = (async () => {
      for (let round = 0; round < bombings; round += 1)
        outcomes.push(...(await Promise.all(Array.from({ length: 8 }, () => bomber.ask(asked)))));
      done = true;
    })();
    const seen = { times: [] as number[], words: [] as string[] };
    while (!done) {
      const part = await during(500);
      seen.times.push(...part.times);
      seen.words.push(...part.words);
    }
    await bombing;
    serves(name, seen);
    bars.print(`${name}: answers`, countWords(outcomes.map(wordOf)));
    bars.atMost(`${name}: answers other than ${expected}`, outcomes.filter((it) => wordOf(it) !== expected).length, 0);
    describeGrowth(name, before);
  }
  console.log('all of it');
  bars.print('memory before', calmMemory, 'MiB');
  bars.atMost('memory grew by at most', most - calmMemory, growth_MiB, 'MiB');
  bars.atLeast('the process lives', service.isAlive() ? 1 : 0, 1);
} finally {
  memory.stop();
  for (const client of clients) client.close();
  await service.end('SIGTERM');
  await place.end();
}
bars.close();
