import { Agent, request } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';

/** A request on the wire. The query's names and values are percent-encoded, or intentionally broken. */
export interface Call {
  method: string;
  /** Percent-encoded. */
  path: string;
  query: [name: string, value: string][];
  headers: Record<string, string>;
  body: Buffer | null;
}

export interface Seen {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
  ms: number;
}

export const targetOf = ({ path, query }: Call): string =>
  query.length === 0 ? path : `${path}?${query.map(([name, value]) => `${name}=${value}`).join('&')}`;

const unpackers: Record<string, (bytes: Buffer) => Buffer> = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
};

/** Content of a body, for any transfer encoding. */
function unpack(body: Buffer, encoding: string | undefined): Buffer {
  if (encoding === undefined || body.length === 0) return body;
  const one = unpackers[encoding];
  if (one === undefined) throw new Error(`unknown content-encoding ${encoding}`);
  return one(body);
}

/** A pool of connections to one service. */
export class Connection {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16 });
  readonly #base: URL;

  constructor(url: string) {
    this.#base = new URL(url);
  }

  /** Sends a request and reads the whole response; rejects only without a response. */
  send(call: Call): Promise<Seen> {
    const started = performance.now();
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          agent: this.#agent,
          host: this.#base.hostname,
          port: this.#base.port,
          method: call.method,
          path: targetOf(call),
          headers: { ...call.headers, ...(call.body && { 'content-length': String(call.body.length) }) },
          timeout: 60_000,
        },
        (answer) => {
          const chunks: Buffer[] = [];
          answer.on('data', (chunk: Buffer) => chunks.push(chunk));
          answer.on('error', reject);
          answer.on('end', () => {
            const headers = Object.entries(answer.headersDistinct).map(([name, values]) => [
              name,
              values?.join(', ') ?? '',
            ]);
            const status = answer.statusCode ?? 0;
            try {
              const body = unpack(Buffer.concat(chunks), answer.headers['content-encoding']);
              resolve({ status, headers: Object.fromEntries(headers), body, ms: performance.now() - started });
            } catch (error) {
              reject(error);
            }
          });
        },
      );
      sent.on('timeout', () => sent.destroy(new Error('no answer within a minute')));
      sent.on('error', reject);
      sent.end(call.body ?? undefined);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** The request as a shell command that repeats it. Long or binary bodies use bash escapes. */
export function toCurl(call: Call, base: string): string {
  const headers = Object.entries(call.headers).map(
    ([name, value]) => `-H ${quote(value === '' ? `${name};` : `${name}: ${value}`)}`,
  );
  const method = call.method === 'HEAD' ? '--head' : `-X ${call.method}`;
  const parts = ['curl -sS -g --path-as-is', method, ...headers];
  if (call.body !== null) {
    const text = call.body.subarray(0, 4000).toString('latin1');
    const escaped = text.replace(/[^\x20-\x7e]|['\\]/g, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`);
    const rest = call.body.length > 4000 ? ` # and ${call.body.length - 4000} bytes more` : '';
    return `printf %b ${quote(escaped)} | ${[...parts, '--data-binary @-', quote(base + targetOf(call))].join(' ')}${rest}`;
  }
  return [...parts, quote(base + targetOf(call))].join(' ');
}
