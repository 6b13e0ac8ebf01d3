import { Agent, get } from 'node:http';

export interface Answer {
  /** Bytes on the wire, with the compression that a browser requests. */
  bytes: number;
  headers: Record<string, string | string[] | undefined>;
}

/** Sends requests over a limited number of persistent connections. */
export interface Client {
  ask(path: string): Promise<Answer>;
  close(): void;
}

/** @param connections maximum number of open connections */
export function createClient(url: string, connections: number): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  return {
    close: () => agent.destroy(),
    ask: (path) =>
      new Promise((resolve, reject) => {
        const options = { agent, headers: { 'accept-encoding': 'gzip', 'x-bench': '1' } };
        const request = get(url + path, options, (response) => {
          let bytes = 0;
          response.on('data', (chunk: Buffer) => {
            bytes += chunk.length;
          });
          response.on('error', reject);
          response.on('end', () => {
            if (response.statusCode === 200) resolve({ bytes, headers: response.headers });
            else reject(new Error(`${path}: ${response.statusCode}`));
          });
        });
        request.on('error', reject);
      }),
  };
}

/** Repeats a page's API requests: in the same order and with the same concurrency. */
export async function askWaves(client: Client, waves: readonly (readonly string[])[]): Promise<void> {
  for (const wave of waves) await Promise.all(wave.map((path) => client.ask(path)));
}

/** The API calls that a page reports. */
export function callsOf({ headers }: Answer): string[][] {
  const calls = headers['x-bench-calls'];
  if (typeof calls !== 'string') throw new Error('the response does not list the calls of the page');
  return JSON.parse(calls) as string[][];
}
