import { setTimeout as sleep } from 'node:timers/promises';
import type { Asked, Client, Outcome } from './client.ts';
import { recordOf, submissionOf } from './records.ts';

/** Reads of a round, and how often each; what is left of the round is named submissions. */
type Mix = readonly (readonly [path: string, count: number])[];
const round = 20;

/** What visitors and their tools ask: 17 of twenty are reads of the API and of pages. */
const visits: Mix = [
  ['/v1/results?limit=5', 6],
  ['/v1/leaderboard?rank_by=decode_tok_s', 4],
  ['/v1/systems?limit=5', 2],
  ['/v1/best?rank_by=decode_tok_s', 1],
  ['/', 1],
  ['/glossary', 1],
  ['/healthz', 2],
];
/** Mostly what costs little: for rates that matter more than what is asked. One of twenty is a submission, one a page. */
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
 * @param run tells the names and records of one measurement from those of another
 */
export function requestOf(turn: number, key: string, run: number, mix: keyof typeof reads = 'visits'): Asked {
  // 7 and 20 have no common divisor: every place comes once a round, and not in blocks.
  const path = reads[mix][(turn * 7) % round];
  if (path !== undefined) return { path };
  return submissionOf(key, `traffic-${run}-${turn}`, recordOf(run * 10_000_000 + turn));
}

export interface Sent {
  path: string;
  /** When it was due, in ms since the traffic began. */
  due_ms: number;
  outcome: Outcome;
  /** From when it was due to the end of its answer. */
  took_ms: number;
}

/**
 * Sends at a constant rate whatever the answers do, until told to stop. One that could not leave in time leaves late and is
 * timed from when it was due.
 *
 * @param perSecond requests
 * @param choose the client and the request of a turn
 */
export function startTraffic(
  perSecond: number,
  choose: (turn: number) => { client: Client; asked: Asked },
  told: (sent: Sent) => void,
): { stop(): Promise<void> } {
  const begun = performance.now();
  const open = new Set<Promise<void>>();
  let stopping = false;
  const send = async (turn: number) => {
    const due_ms = (turn / perSecond) * 1000;
    const { client, asked } = choose(turn);
    const outcome = await client.ask(asked);
    told({ path: asked.path, due_ms, outcome, took_ms: performance.now() - begun - due_ms });
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
