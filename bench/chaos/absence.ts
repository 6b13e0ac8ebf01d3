import { setTimeout as sleep } from 'node:timers/promises';
import type { Asked, Client, Outcome } from './client.ts';
import { isAnswered } from './client.ts';
import { recordOf, submissionOf } from './records.ts';
import type { Written } from './writers.ts';

const reads: readonly string[] = ['/v1/results?limit=2', '/v1/leaderboard', '/v1/systems', '/readyz'];

const nameOf = (number: number) => `absent-${number}`;
const bodyOf = (number: number) => recordOf(900_000_000 + number);

/** Kinds of requests that must first fail and then succeed again. Their numbers are above those of the writers. */
const requestsOf = (key: string, number: number): Asked[] => [
  ...reads.map((path) => ({ path })),
  submissionOf(key, nameOf(number), bodyOf(number)),
];

/** Sends every kind of request to every process for a while; returns the responses. */
export async function absent(
  clients: readonly Client[],
  key: string,
  { kill, during_ms }: { kill: number; during_ms: number },
): Promise<{ path: string; outcome: Outcome }[]> {
  const seen: Promise<{ path: string; outcome: Outcome }>[] = [];
  const begun = performance.now();
  while (performance.now() - begun < during_ms) {
    for (const client of clients)
      for (const asked of requestsOf(key, kill))
        seen.push(client.ask(asked).then((outcome) => ({ path: asked.path, outcome })));
    await sleep(200);
  }
  return Promise.all(seen);
}

/** Milliseconds from now until a process responds to every kind of request with success. Records the acknowledged writes. */
export async function backAfter(client: Client, key: string, kill: number, { acknowledged, changed }: Written) {
  const begun = performance.now();
  for (const asked of requestsOf(key, kill)) {
    for (;;) {
      const outcome = await client.ask(asked);
      if (isAnswered(outcome) && outcome.status < 300) {
        if (asked.method === 'POST') {
          const { id } = JSON.parse(outcome.text) as { id: string };
          const before = acknowledged.get(nameOf(kill));
          if (before !== undefined && before.id !== id) changed.push(nameOf(kill));
          acknowledged.set(nameOf(kill), { id, body: bodyOf(kill) });
        }
        break;
      }
      if (performance.now() - begun > 60_000) return Number.POSITIVE_INFINITY;
      await sleep(25);
    }
  }
  return performance.now() - begun;
}
