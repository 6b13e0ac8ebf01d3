import { Agent as PlainAgent, request as plainRequest } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';

export interface Asked {
  path: string;
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string | Buffer;
}

/**
 * Outcome of a request.
 * - `answered`: a complete response with any status
 * - `refused`: the connection was not accepted; nothing was sent
 * - `unanswered`: the connection ended, or the timeout expired, before a response began
 * - `broken`: a response began and did not end
 */
export type Outcome = { ms: number } & (
  | { kind: 'answered'; status: number; headers: Record<string, string | string[] | undefined>; text: string }
  | { kind: 'refused' | 'unanswered' | 'broken'; error: string }
);

export interface Client {
  ask(asked: Asked): Promise<Outcome>;
  close(): void;
}

interface ClientOptions {
  /** Maximum number of connections. */
  connections?: number;
  /** False for a new connection with each request. */
  keepAlive?: boolean;
  timeout_ms?: number;
  /** CA certificate, if it is not a public CA. */
  ca?: string;
}

/** Sends requests to one address without retries, so that every failure is visible. */
export function createClient(url: string, options: ClientOptions = {}): Client {
  const { connections = 256, keepAlive = true, timeout_ms = 30_000, ca } = options;
  const isSecure = url.startsWith('https:');
  const agent = isSecure
    ? new SecureAgent({ keepAlive, maxSockets: connections, ...(ca && { ca }) })
    : new PlainAgent({ keepAlive, maxSockets: connections });
  const send = isSecure ? secureRequest : plainRequest;
  return {
    close: () => agent.destroy(),
    ask: ({ path, method = 'GET', headers = {}, body }) =>
      new Promise((resolve) => {
        const begun = performance.now();
        const ms = () => performance.now() - begun;
        let hasBegun = false;
        const sent = send(`${url}${path}`, { agent, method, headers }, (answer) => {
          hasBegun = true;
          const pieces: Buffer[] = [];
          answer.on('data', (piece: Buffer) => pieces.push(piece));
          answer.on('error', () => {});
          answer.on('close', () => {
            clearTimeout(impatient);
            const { statusCode: status = 0, headers: responseHeaders } = answer;
            if (answer.complete)
              resolve({
                kind: 'answered',
                status,
                headers: responseHeaders,
                text: Buffer.concat(pieces).toString(),
                ms: ms(),
              });
            else resolve({ kind: 'broken', error: `${status}, then cut off`, ms: ms() });
          });
        });
        const impatient = setTimeout(() => sent.destroy(new Error('no answer in time')), timeout_ms);
        sent.on('error', (error: NodeJS.ErrnoException) => {
          clearTimeout(impatient);
          const kind = error.code === 'ECONNREFUSED' ? 'refused' : 'unanswered';
          // The `close` handler of the response reports a response that began but did not end.
          if (!hasBegun) resolve({ kind, error: error.code ?? error.message, ms: ms() });
        });
        sent.end(body);
      }),
  };
}

export const isAnswered = (outcome: Outcome): outcome is Extract<Outcome, { kind: 'answered' }> =>
  outcome.kind === 'answered';

/** The outcome as a word: a status, or the kind of failure. */
export const wordOf = (outcome: Outcome): string =>
  isAnswered(outcome) ? String(outcome.status) : `${outcome.kind} (${outcome.error})`;

/** The count of each word: "201 x 12, 503 x 3". */
export function countWords(words: Iterable<string>): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, count]) => `${word} x ${count}`).join(', ') || 'none';
}
