// Mixed traffic for a long time: memory growth, the slowest responses and failures.
// npm run soak -- [--minutes 30] [--share 0.7] [--port 9262]
// The rate is a fraction of the measured capacity of the service. Exits with 1 if a limit is missed.
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createBars, quantile } from '../chaos/bars.ts';
import { countWords, createClient, isAnswered, wordOf } from '../chaos/client.ts';
import { openPlace } from '../chaos/place.ts';
import { createAccount, rssOf, startService } from '../chaos/processes.ts';
import { requestOf, startTraffic } from '../chaos/traffic.ts';
import { describeMachine } from '../support.ts';
import { measureCapacity } from './capacity.ts';
import { type Sample, slopeOf } from './slope.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    share: { type: 'string', default: '0.7' },
    port: { type: 'string', default: '9262' },
  },
});
const [minutes, share, port] = [values.minutes, values.share, values.port].map(Number) as [number, number, number];
if (!(minutes > 0 && minutes <= 24 * 60)) throw new Error('--minutes: from more than 0 to 1440');
if (!(share > 0 && share < 1)) throw new Error('--share: more than 0 and less than 1');

const minute_ms = 60_000;
const total_ms = minutes * minute_ms;
/** Compilers and caches fill up at first, so this period does not predict an hourly slope. */
const warm_ms = Math.min(5 * minute_ms, total_ms / 4);
const window_ms = minutes >= 10 ? 5 * minute_ms : total_ms / 4;
/** Below this value, the slope is mostly noise from garbage collection cycles. */
const judgedFrom_minutes = 20;

const bars = createBars();
const place = await openPlace(port + 1);
const service = await startService(place.folder, port, {
  DATABASE_URL: place.url,
  ROLES: 'api,site',
  SAMPLE_DATA: 'seeds',
});
const client = createClient(service.url);
try {
  describeMachine();
  const key = await createAccount(service.url, 'soak');
  await measureCapacity(client, key, { run: 1, ms: 5000 });
  const capacity = await measureCapacity(client, key, { run: 2, ms: 10_000 });
  const rate = capacity * share;
  console.log(`${minutes} minutes at ${share} of the capacity measured first, by a client on the same machine`);
  bars.print('capacity', capacity, 'requests/s');
  bars.print('sent at', rate, 'requests/s');

  const windows: { times: number[]; errors: string[] }[] = [];
  /** Number of held-back submissions; must be 0. Lists omit them, so the load on lists would be too low. */
  let heldBack = 0;
  const begun = performance.now();
  const traffic = startTraffic(
    rate,
    (turn) => ({ client, asked: requestOf(turn, key, 3) }),
    ({ path, due_ms, outcome, took_ms }) => {
      const part = Math.floor(due_ms / window_ms);
      windows[part] ??= { times: [], errors: [] };
      windows[part].times.push(took_ms);
      if (isAnswered(outcome) && outcome.status === 201 && !outcome.text.includes('"status":"accepted"')) heldBack += 1;
      if (!isAnswered(outcome) || outcome.status > 299)
        windows[part].errors.push(`${wordOf(outcome)} of ${path.split('?')[0]}`);
    },
  );
  const samples: Sample[] = [];
  for (let minute = 1; performance.now() - begun < total_ms && service.isAlive(); ) {
    await sleep(Math.min(1000, total_ms / 100));
    const sample = { at_ms: performance.now() - begun, MiB: rssOf(service.pid) };
    samples.push(sample);
    if (sample.at_ms < minute * minute_ms) continue;
    const failed = windows.reduce((sum, window) => sum + window.errors.length, 0);
    console.error(`${minute} of ${minutes} minutes: ${failed} errors, ${sample.MiB.toFixed(0)} MiB`);
    minute += 1;
  }
  await traffic.stop();

  const full = windows.slice(0, Math.max(1, Math.floor(total_ms / window_ms)));
  for (const [part, { times, errors }] of full.entries()) {
    const from = ((part * window_ms) / minute_ms).toFixed(1);
    const to = (((part + 1) * window_ms) / minute_ms).toFixed(1);
    bars.print(`minutes ${from} to ${to}: p50 of ${times.length}`, quantile(times, 0.5), 'ms');
    bars.print(`minutes ${from} to ${to}: p99, ${errors.length} errors`, quantile(times, 0.99), 'ms');
  }
  const errors = windows.flatMap((window) => window.errors);
  if (errors.length > 0) console.log(`    ${countWords(errors)}`);
  bars.atMost('errors', errors.length, 0);
  bars.atMost('submissions that do not count', heldBack, 0);
  const p99s = full.map(({ times }) => quantile(times, 0.99));
  bars.atMost('p99 of the last part over that of the second', (p99s.at(-1) ?? 0) / (p99s[1] ?? p99s[0] ?? 0), 2);

  const judged = samples.filter(({ at_ms }) => at_ms > warm_ms);
  const { MiB_h, r2 } = slopeOf(judged);
  bars.print('memory at the start', samples[0]?.MiB ?? Number.NaN, 'MiB');
  bars.print('memory at the end', samples.at(-1)?.MiB ?? Number.NaN, 'MiB');
  const name = `memory slope after ${(warm_ms / minute_ms).toFixed(1)} minutes, of ${judged.length}, R² ${r2.toFixed(2)}`;
  if (minutes >= judgedFrom_minutes) bars.atMost(name, MiB_h, 100, 'MiB/h');
  else bars.print(`${name}, too short to judge`, MiB_h, 'MiB/h');
} finally {
  client.close();
  await service.end('SIGTERM');
  await place.end();
}
bars.close();
