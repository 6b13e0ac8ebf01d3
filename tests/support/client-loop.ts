import { Agent, request } from 'node:https';

export interface LoopOptions {
  url: string;
  /** CA certificate. */
  ca: string;
  key: string;
  /** Number of concurrent clients; each sends its next request after a response. */
  clients: number;
  /** URLs to read, in turn. */
  paths: readonly string[];
}

export interface LoopResult {
  reads: number;
  writes: number;
  /** Responses other than 2xx, and broken connections, in words. */
  failures: string[];
  /** Ids of acknowledged writes, without duplicates. */
  stored: string[];
  slowest_ms: number;
}

/** A unique record. */
const recordOf = (client: number, i: number) =>
  JSON.stringify({
    run_name: `loop_${client}_${i}`,
    ...{ batch_size: 1, input_len: 256, output_len: 512, latency: 3.8, overall_throughput: 202.2 },
    output_throughput: 150 + client + i / 10_000,
  });

const writePath = '/v1/submissions?model=unspecified&gpu=unspecified&quantization=bf16';

/** Reads and writes until stopped. Every third request is a write with an idempotency key. Does not retry. */
export function startLoop({ url, ca, key, clients, paths }: LoopOptions): { stop(): Promise<LoopResult> } {
  const agent = new Agent({ ca, keepAlive: true, maxSockets: clients });
  const result: LoopResult = { reads: 0, writes: 0, failures: [], stored: [], slowest_ms: 0 };
  let stopping = false;

  const ask = (path: string, write: { body: string; name: string } | null) =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      const headers = write && { authorization: `Bearer ${key}`, 'idempotency-key': write.name };
      const method = write === null ? 'GET' : 'POST';
      const asked = request(`${url}${path}`, { agent, method, headers: { ...headers } }, (answer) => {
        const pieces: Buffer[] = [];
        answer.on('data', (piece: Buffer) => pieces.push(piece));
        answer.on('error', reject);
        answer.on('close', () => {
          if (answer.complete) resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(pieces).toString() });
          else reject(new Error('the answer broke off'));
        });
      });
      asked.on('error', reject);
      asked.end(write?.body);
    });

  const run = async (client: number) => {
    for (let i = 0; !stopping; i += 1) {
      const isWrite = i % 3 === 2;
      const path = isWrite ? writePath : (paths[(client + i) % paths.length] ?? '/');
      const write = isWrite ? { body: recordOf(client, i), name: `loop-${client}-${i}` } : null;
      const started = performance.now();
      try {
        const { status, text } = await ask(path, write);
        if (status < 200 || status > 299) result.failures.push(`${path}: ${status} ${text.slice(0, 200)}`);
        else if (write !== null) result.stored.push((JSON.parse(text) as { id: string }).id);
      } catch (error) {
        result.failures.push(`${path}: ${error}`);
      }
      result[isWrite ? 'writes' : 'reads'] += 1;
      result.slowest_ms = Math.max(result.slowest_ms, performance.now() - started);
    }
  };
  const done = Promise.all(Array.from({ length: clients }, (_, client) => run(client)));
  return {
    stop: async () => {
      stopping = true;
      await done;
      agent.destroy();
      return result;
    },
  };
}
