import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, isAnswered, wordOf } from './client.ts';
import { recordOf, submissionOf } from './records.ts';

export interface Acknowledged {
  /** The acknowledged writes. */
  id: string;
  body: string;
}

export interface Written {
  /** By idempotency key. */
  acknowledged: Map<string, Acknowledged>;
  attempts: number;
  /** Outcomes of the attempts that were retried. */
  failures: string[];
  /** Responses that must never occur: neither a success nor a retryable error. */
  wrong: string[];
  /** Idempotency keys whose retry returned a different submission. */
  changed: string[];
  /** From the first attempt to the acknowledgement, for writes with more than one attempt. */
  retried_ms: number[];
}

/** Statuses after which a client sends the same request again. */
const again = new Set([409, 429, 500, 502, 503, 504]);
/** Pause of a client between two submissions. */
const pause_ms = 50;

/**
 * Clients that submit with an idempotency key and retry on the next process until acknowledged, as behind a load balancer. Every
 * tenth acknowledged submission is sent once more.
 */
export function startWriters(clients: readonly Client[], key: string, count: number) {
  const written: Written = {
    acknowledged: new Map(),
    attempts: 0,
    failures: [],
    wrong: [],
    changed: [],
    retried_ms: [],
  };
  let stopping = false;
  let turn = 0;

  const attempt = async (name: string, body: string): Promise<string | null> => {
    turn += 1;
    written.attempts += 1;
    const outcome = await clients[turn % clients.length]?.ask(submissionOf(key, name, body));
    if (outcome === undefined) throw new Error('no clients');
    if (isAnswered(outcome) && (outcome.status === 201 || outcome.status === 200))
      return (JSON.parse(outcome.text) as { id: string }).id;
    written.failures.push(wordOf(outcome));
    if (isAnswered(outcome) && !again.has(outcome.status))
      written.wrong.push(`${outcome.status} ${outcome.text.slice(0, 200)}`);
    return null;
  };

  const submit = async (name: string, body: string): Promise<void> => {
    const begun = performance.now();
    for (let attempts = 1; ; attempts += 1) {
      const id = await attempt(name, body);
      if (id !== null) {
        const before = written.acknowledged.get(name);
        if (before !== undefined && before.id !== id) written.changed.push(name);
        written.acknowledged.set(name, { id, body });
        if (attempts > 1) written.retried_ms.push(performance.now() - begun);
        return;
      }
      await sleep(50 + 200 * Math.random());
    }
  };

  const run = async (client: number) => {
    for (let i = 0; !stopping; i += 1) {
      const [name, body] = [`chaos-${client}-${i}`, recordOf(client * 1_000_000 + i)];
      await submit(name, body);
      if (i % 10 === 0) await submit(name, body);
      await sleep(pause_ms);
    }
  };
  const done = Promise.all(Array.from({ length: count }, (_, client) => run(client)));
  return {
    written,
    /** Resolves when all started writes are acknowledged. */
    stop: async (): Promise<Written> => {
      stopping = true;
      await done;
      return written;
    },
  };
}
