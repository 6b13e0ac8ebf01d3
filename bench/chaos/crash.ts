// Data after processes are killed during writes: one of two APIs repeatedly, then the database.
// npm run chaos:crash -- [--api-kills 50] [--database-kills 10] [--clients 8] [--least 2000] [--port 9250]
// Exits with 1 if a limit is missed.
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { describeMachine } from '../support.ts';
import { absent, backAfter } from './absence.ts';
import { createBars, greatest, quantile } from './bars.ts';
import { type Client, countWords, createClient, isAnswered, wordOf } from './client.ts';
import { openPlace } from './place.ts';
import { createAccount, killDatabase, type Service, startService } from './processes.ts';
import { compareStored } from './stored.ts';
import { startWriters } from './writers.ts';

const { values } = parseArgs({
  options: {
    'api-kills': { type: 'string', default: '50' },
    'database-kills': { type: 'string', default: '10' },
    clients: { type: 'string', default: '8' },
    least: { type: 'string', default: '2000' },
    port: { type: 'string', default: '9250' },
  },
});
const [apiKills, databaseKills] = [Number(values['api-kills']), Number(values['database-kills'])];
const port = Number(values.port);
/** Downtime of the database. */
const absence_ms = 2000;

const place = await openPlace(port + 2);
const services: Service[] = [];
const startApi = (number: number) => startService(place.folder, port + number, { DATABASE_URL: place.url });
const bars = createBars();
try {
  describeMachine();
  for (const number of [0, 1]) services.push(await startApi(number));
  const serviceAt = (number: number): Service => {
    const service = services[number % services.length];
    if (service === undefined) throw new Error('no service');
    return service;
  };
  const key = await createAccount(serviceAt(0).url, 'writer');
  const clients: Client[] = services.map(({ url }) => createClient(url));
  const writers = startWriters(clients, key, Number(values.clients));
  const { acknowledged } = writers.written;
  const until = async (count: number) => {
    while (acknowledged.size < count) await sleep(10);
  };
  const share = Math.ceil(Number(values.least) / (apiKills + databaseKills));

  const ready_ms: number[] = [];
  const survivors: string[] = [];
  for (let kill = 0; kill < apiKills; kill += 1) {
    await until(acknowledged.size + share);
    await sleep(200 * Math.random());
    await serviceAt(kill).end('SIGKILL');
    const asked = clients[(kill + 1) % 2]?.ask({ path: '/v1/results?limit=1' });
    const number = kill % services.length;
    services[number] = await startApi(number);
    ready_ms.push(serviceAt(kill).ready_ms);
    const outcome = await asked;
    if (outcome !== undefined) survivors.push(wordOf(outcome));
  }
  console.log(`one of two APIs killed ${apiKills} times under ${values.clients} writing clients`);
  bars.print('ready again, p50', quantile(ready_ms, 0.5), 'ms');
  bars.atMost('ready again, slowest', greatest(ready_ms), 10_000, 'ms');
  bars.atMost('reads the other did not answer', survivors.filter((word) => word !== '200').length, 0);

  const [back_ms, databaseReady_ms, statuses]: [number[], number[], string[]] = [[], [], []];
  let [unhelpful, dead, slowest_ms] = [0, 0, 0];
  for (let kill = 0; kill < databaseKills; kill += 1) {
    await until(acknowledged.size + share);
    await killDatabase(place.pid());
    const seen = await absent(clients, key, { kill, during_ms: absence_ms });
    statuses.push(...seen.map(({ outcome }) => wordOf(outcome)));
    for (const { outcome } of seen) {
      const helps = isAnswered(outcome) && outcome.status === 503 && outcome.headers['retry-after'] !== undefined;
      if (!helps) unhelpful += 1;
      slowest_ms = Math.max(slowest_ms, outcome.ms);
    }
    const begun = performance.now();
    await place.restart();
    databaseReady_ms.push(performance.now() - begun);
    back_ms.push(...(await Promise.all(clients.map((client) => backAfter(client, key, kill, writers.written)))));
    dead += services.filter(({ isAlive }) => !isAlive()).length;
  }
  const killed = performance.now();
  const written = await writers.stop();
  const settled_ms = performance.now() - killed;
  if (databaseKills > 0) {
    console.log(`the database killed ${databaseKills} times, away for ${absence_ms / 1000} s and its start`);
    bars.print('answers while it was away', countWords(statuses));
    bars.atMost('answers other than 503 with Retry-After', unhelpful, 0);
    bars.print('slowest of them', slowest_ms, 'ms');
    bars.atMost('database ready again, slowest', greatest(databaseReady_ms), 10_000, 'ms');
    bars.atMost('reads and writes of both APIs after it was back, slowest', greatest(back_ms), 5000, 'ms');
    bars.atMost('APIs that died of it', dead, 0);
  }

  console.log('what was written');
  const stored = await compareStored(place.url, written.acknowledged, clients[0]);
  bars.atLeast('submissions acknowledged, each under a name', written.acknowledged.size, Number(values.least));
  bars.atMost('acknowledged and lost', stored.lost, 0);
  bars.atMost('stored twice, or never asked for', stored.surplus, 0);
  bars.atMost('results beside one for each', stored.resultsBeside, 0);
  bars.atMost('artifacts with other bytes than were sent, of 200', stored.otherBytes, 0);
  bars.atMost('repetitions answered with another submission', written.changed.length, 0);
  bars.print('attempts', written.attempts);
  bars.print('of them in vain', countWords(written.failures));
  bars.atMost('in vain with a status that asks for no other attempt', written.wrong.length, 0);
  for (const wrong of new Set(written.wrong)) console.log(`    ${wrong}`);
  bars.print('until acknowledged, of those tried again: p50', quantile(written.retried_ms, 0.5), 'ms');
  bars.atMost('the slowest, the absences of the database included', greatest(written.retried_ms), 20_000, 'ms');
  bars.print('until the last was acknowledged after the last kill', settled_ms, 'ms');
  for (const client of clients) client.close();
} finally {
  for (const service of services) await service.end('SIGTERM');
  await place.end();
}
bars.close();
