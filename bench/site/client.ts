import { Agent, get } from 'node:http';

export interface Answer {
  /** Bytes on the wire, packed as a browser asks for them. */
  bytes: number;
  headers: Record<string, string | string[] | undefined>;
}

/** Asks over connections that stay open, so many of them at most. */
export interface Client {
  ask(path: string): Promise<Answer>;
  close(): void;
}

/** @param connections how many may be open at a time */
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

/** Asks what a page asked of the API: in its order, and together what it asked for together. */
export async function askWaves(client: Client, waves: readonly (readonly string[])[]): Promise<void> {
  for (const wave of waves) await Promise.all(wave.map((path) => client.ask(path)));
}

/** Calls that a page told of. */
export function callsOf({ headers }: Answer): string[][] {
  const told = headers['x-bench-calls'];
  if (typeof told !== 'string') throw new Error('the answer does not tell what the page asked');
  return JSON.parse(told) as string[][];
}
