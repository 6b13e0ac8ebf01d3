import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { startLayout } from '../../tests/support/infra/layout.ts';
import { type Bars, quantile } from './bars.ts';
import { countWords, createClient, isAnswered, wordOf } from './client.ts';
import { createAccount, startService } from './processes.ts';
import { requestOf, type Sent, startTraffic } from './traffic.ts';

export interface StopResult {
  sent: number;
  /** By outcome; `other` are complete responses with a status other than 2xx. */
  counts: Record<'refused' | 'unanswered' | 'broken' | 'other', number>;
  /** Some of those outcomes in words, with their times. */
  examples: string[];
  took_ms: number[];
  /** Duration of the traffic, ms. */
  lasted_ms: number;
  ends: { code: number | null; took_ms: number }[];
}

function createResult(): { result: StopResult; record(sent: Sent): void } {
  const counts = { refused: 0, unanswered: 0, broken: 0, other: 0 };
  const result: StopResult = { sent: 0, counts, examples: [], took_ms: [], lasted_ms: 0, ends: [] };
  const record = ({ path, outcome, took_ms }: Sent) => {
    result.sent += 1;
    result.took_ms.push(took_ms);
    if (isAnswered(outcome) && outcome.status >= 200 && outcome.status < 300) return;
    counts[isAnswered(outcome) ? 'other' : outcome.kind] += 1;
    result.examples.push(`${wordOf(outcome)} of ${path.split('?')[0]}`);
  };
  return { result, record };
}

export function describeTraffic(bars: Bars, { sent, took_ms, examples, lasted_ms }: StopResult, rate: number): void {
  bars.print('requests', sent);
  // Lower if this machine cannot sustain the rate; the figure would then not describe the stated load.
  bars.atLeast('requests a second, to the last answer', (sent / lasted_ms) * 1000, 0.9 * rate);
  bars.print('from due to answered, p50', quantile(took_ms, 0.5), 'ms');
  bars.print('from due to answered, p99', quantile(took_ms, 0.99), 'ms');
  if (examples.length > 0) console.log(`    ${countWords(examples)}`);
}

interface StopOptions {
  databaseUrl: string;
  stops: number;
  /** Requests per second. */
  rate: number;
  drain_s: string;
}

/** Processes of the production layout, stopped and started in sequence. */
export async function stopBehindProxy({ nginx, databaseUrl, stops, rate, drain_s }: StopOptions & { nginx: string }) {
  const layout = await startLayout(nginx, databaseUrl, { all: { DRAIN_S: drain_s, RATE_LIMIT_READS: 'off' } });
  const ca = readFileSync(layout.certificate, 'utf8');
  const client = createClient(layout.url, { ca });
  try {
    const { result, record } = createResult();
    const made = await client.ask({
      path: '/v1/accounts',
      method: 'POST',
      headers: { authorization: `Bearer ${layout.adminKey}`, 'content-type': 'application/json' },
      body: '{"name":"traffic"}',
    });
    if (!isAnswered(made) || made.status !== 201) throw new Error(`no account: ${wordOf(made)}`);
    const { key } = (JSON.parse(made.text) as { key: { key: string } }).key;
    const names = [...layout.processes.keys()].filter((name) => !name.startsWith('worker'));
    const begun = performance.now();
    const traffic = startTraffic(rate, (turn) => ({ client, asked: requestOf(turn, key, 1, 'glances') }), record);
    await sleep(2000);
    for (let stop = 0; stop < stops; stop += 1) {
      const { code, ended_ms } = await layout.restart(names[stop % names.length] ?? '');
      result.ends.push({ code, took_ms: ended_ms });
    }
    await traffic.stop();
    result.lasted_ms = performance.now() - begun;
    return result;
  } finally {
    client.close();
    await layout.stop();
  }
}

/** One process without a proxy: over persistent connections, and one request in ten over a new one. */
export async function stopDirectly({
  folder,
  databaseUrl,
  port,
  stops,
  rate,
  drain_s,
}: StopOptions & { folder: string; port: number }): Promise<StopResult> {
  const settings = { DATABASE_URL: databaseUrl, DRAIN_S: drain_s, ROLES: 'api,site' };
  let service = await startService(folder, port, settings);
  const [steady, fresh] = [createClient(service.url), createClient(service.url, { keepAlive: false })];
  try {
    const { result, record } = createResult();
    const key = await createAccount(service.url, 'direct');
    const choose = (turn: number) => ({
      client: turn % 10 === 0 ? fresh : steady,
      asked: requestOf(turn, key, 2, 'glances'),
    });
    for (let stop = 0; stop < stops; stop += 1) {
      // Names and records of each turn are used once.
      const offset = stop * 1_000_000;
      const begun = performance.now();
      const traffic = startTraffic(rate, (turn) => choose(offset + turn), record);
      await sleep(2000);
      result.ends.push(await service.end('SIGTERM'));
      await traffic.stop();
      result.lasted_ms += performance.now() - begun;
      service = await startService(folder, port, settings);
    }
    return result;
  } finally {
    for (const client of [steady, fresh]) client.close();
    await service.end('SIGTERM');
  }
}
