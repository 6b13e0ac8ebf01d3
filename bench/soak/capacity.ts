import { type Client, isAnswered } from '../chaos/client.ts';
import { requestOf } from '../chaos/traffic.ts';

/** Number of clients that send their next request at once: enough that the service never waits for one. */
const clientsAtOnce = 16;

/**
 * Requests per second of the same mix at full load. The client runs on the same machine and uses part of its CPU.
 *
 * @throws Error if a request fails
 */
export async function measureCapacity(client: Client, key: string, { run, ms }: { run: number; ms: number }) {
  const begun = performance.now();
  let turn = 0;
  const ask = async () => {
    while (performance.now() - begun < ms) {
      turn += 1;
      const asked = requestOf(turn, key, run);
      const outcome = await client.ask(asked);
      if (!isAnswered(outcome) || outcome.status > 299)
        throw new Error(`${asked.path}: ${JSON.stringify(outcome).slice(0, 300)}`);
    }
  };
  await Promise.all(Array.from({ length: clientsAtOnce }, ask));
  return (turn / (performance.now() - begun)) * 1000;
}
