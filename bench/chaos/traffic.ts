import { setTimeout as sleep } from 'node:timers/promises';
import type { Asked, Client, Outcome } from './client.ts';
import { recordOf, submissionOf } from './records.ts';

/** Reads of a round and their counts; the rest of the round are submissions with idempotency keys. */
type Mix = readonly (readonly [path: string, count: number])[];
const round = 20;

/** Typical traffic: 17 of 20 requests are reads of the API and of pages. */
const visits: Mix = [
  ['/v1/results?limit=5', 6],
  ['/v1/leaderboard?rank_by=decode_tok_s', 4],
  ['/v1/systems?limit=5', 2],
  ['/v1/best?rank_by=decode_tok_s', 1],
  ['/', 1],
  ['/glossary', 1],
  ['/healthz', 2],
];
/** Mostly cheap requests, for tests where the rate matters. One of 20 is a submission, one a page. */
const glances: Mix = [
  ['/healthz', 8],
  ['/v1/results?limit=1', 7],
  ['/v1/leaderboard?rank_by=decode_tok_s&limit=1', 3],
  ['/glossary', 1],
];
const laidOut = (mix: Mix) => mix.flatMap(([path, count]) => Array.from({ length: count }, () => path));
const reads = { visits: laidOut(visits), glances: laidOut(glances) };

/**
 * The request of a turn.
 *
 * @param run distinguishes the names and records of different measurements
 */
export function requestOf(turn: number, key: string, run: number, mix: keyof typeof reads = 'visits'): Asked {
  // 7 and 20 are coprime: every position occurs once per round, spread out.
  const path = reads[mix][(turn * 7) % round];
  if (path !== undefined) return { path };
  return submissionOf(key, `traffic-${run}-${turn}`, recordOf(run * 10_000_000 + turn));
}

export interface Sent {
  path: string;
  /** When it was due, in ms since the traffic began. */
  due_ms: number;
  outcome: Outcome;
  /** From its due time to the end of its response. */
  took_ms: number;
}

/**
 * Sends at a constant rate, independent of the responses, until stopped. A late request is timed from its due time.
 *
 * @param perSecond requests
 * @param choose selects the client and the request of a turn
 */
export function startTraffic(
  perSecond: number,
  choose: (turn: number) => { client: Client; asked: Asked },
  onAnswer: (sent: Sent) => void,
): { stop(): Promise<void> } {
  const begun = performance.now();
  const open = new Set<Promise<void>>();
  let stopping = false;
  const send = async (turn: number) => {
    const due_ms = (turn / perSecond) * 1000;
    const { client, asked } = choose(turn);
    const outcome = await client.ask(asked);
    onAnswer({ path: asked.path, due_ms, outcome, took_ms: performance.now() - begun - due_ms });
  };
  const run = async () => {
    for (let turn = 0; !stopping; ) {
      for (; (turn / perSecond) * 1000 <= performance.now() - begun && !stopping; turn += 1) {
        const sent = send(turn);
        open.add(sent);
        sent.finally(() => open.delete(sent));
      }
      await sleep(2);
    }
  };
  const running = run();
  return {
    stop: async () => {
      stopping = true;
      await running;
      await Promise.all(open);
    },
  };
}
