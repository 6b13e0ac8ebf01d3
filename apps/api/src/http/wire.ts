import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { jsonLine } from '../submissions/json-line.ts';
import { type Problem, problemType, type Refusal, toProblem } from './errors.ts';

// Handles bytes that never become a request: a head that is too long, data that is not HTTP, an invalid host. The refusals have
// the same form as all others. Their request ids are not in the log, because no request was created.

const refusals = {
  malformed: {
    code: 'request_malformed',
    message: 'The request is not valid HTTP/1.1.',
    faults: [
      {
        code: 'request_malformed',
        message: 'The request line, a header or a chunk does not follow the HTTP/1.1 syntax.',
        hint: 'Use an HTTP client to send the request.',
      },
    ],
  },
  unaddressed: {
    code: 'address_unreadable',
    message: 'The request target and the Host header do not form a valid URL.',
    faults: [
      {
        code: 'value_invalid',
        parameter: 'Host',
        message: 'Host and the request target must form a valid URL.',
        hint: 'Percent-encode characters that are not allowed in a URL.',
      },
    ],
  },
  hosts: {
    code: 'address_unreadable',
    message: 'A request must have one Host header.',
    faults: [{ code: 'value_invalid', parameter: 'Host', message: 'Host must be given exactly once.' }],
  },
  unexpected: {
    code: 'expectation_unknown',
    message: 'The value of the Expect header is not supported.',
    faults: [{ code: 'value_invalid', parameter: 'Expect', message: 'Expect must be 100-continue.', hint: 'Omit it.' }],
  },
  tunnel: { code: 'method_not_allowed', message: 'Method CONNECT not allowed. Use GET, HEAD.', faults: [] },
  head_too_large: {
    code: 'head_too_large',
    message: 'Send fewer or shorter headers, or a shorter URL.',
    faults: [],
  },
  slow: { code: 'request_slow', message: 'The whole request did not arrive in time. Send it again.', faults: [] },
} satisfies Record<string, Refusal>;
type Kind = keyof typeof refusals;

/** A refusal with the headers of every response. */
function answerTo(kind: Kind, publicUrl: string): { problem: Problem; headers: Record<string, string>; body: string } {
  const problem = toProblem(refusals[kind], randomUUID(), publicUrl);
  const body = jsonLine(problem);
  const headers = {
    'Content-Type': problemType,
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-store',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': problem.request_id,
    ...(problem.status === 405 ? { Allow: 'GET, HEAD' } : {}),
  };
  return { problem, headers, body };
}

/** For the adapter: refuses a request whose URL or host is invalid. `publicUrl` is the base of the links in the response. */
export function refuseRequest(publicUrl: string): () => Response {
  return () => {
    const { problem, headers, body } = answerTo('unaddressed', publicUrl);
    return new Response(body, { status: problem.status, headers });
  };
}

function refuse(outgoing: ServerResponse, kind: Kind, publicUrl: string): void {
  const { problem, headers, body } = answerTo(kind, publicUrl);
  outgoing.writeHead(problem.status, headers).end(body);
}

/** Writes the refusal to a socket without a response object. */
function refuseOn(socket: Duplex, kind: Kind, publicUrl: string): void {
  const { problem, headers, body } = answerTo(kind, publicUrl);
  const lines = Object.entries({ ...headers, Connection: 'close' });
  const head = [`HTTP/1.1 ${problem.status} ${problem.title}`, ...lines.map(([name, value]) => `${name}: ${value}`)];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

function countHosts({ rawHeaders }: IncomingMessage): number {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts;
}

/** Accepts only requests that name exactly one host, as HTTP/1.1 requires. Node's own check would respond with an empty body. */
export function requireHost(listener: RequestListener, publicUrl: string): RequestListener {
  return (incoming, outgoing) => {
    const hosts = countHosts(incoming);
    const least = incoming.httpVersion === '1.0' ? 0 : 1;
    if (hosts > 1 || hosts < least) refuse(outgoing, 'hosts', publicUrl);
    else listener(incoming, outgoing);
  };
}

/** Responds to bytes that Node's HTTP parser rejects and to other data that never becomes a request. */
export function refuseMalformed(server: Server, publicUrl: string): void {
  server.on('checkExpectation', (_, outgoing: ServerResponse) => refuse(outgoing, 'unexpected', publicUrl));
  server.on('connect', (_, socket: Duplex) => refuseOn(socket, 'tunnel', publicUrl));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const isTooLarge = error.code === 'HPE_HEADER_OVERFLOW';
    const kind = isTooLarge ? 'head_too_large' : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'slow' : 'malformed';
    refuseOn(socket, kind, publicUrl);
  });
}

/** How long a client may keep sending after an early refusal before the connection is closed. */
const lingerMs = 5000;

/**
 * Reads and discards data that a client sends after its response. Closing at once would reset the connection, and the client
 * would never see the refusal.
 */
export function lingerOnUnread(server: Server): void {
  server.on('request', (incoming, outgoing) => {
    // Without these headers there is no body.
    const { 'content-length': length, 'transfer-encoding': coding } = incoming.headers;
    if (length === undefined && coding === undefined) return;
    outgoing.once('finish', () => {
      if (incoming.complete) return;
      incoming.removeAllListeners('data').removeAllListeners('readable');
      incoming.resume();
      // If the request is complete by then, the connection is kept for the next request.
      const timer = setTimeout(() => {
        if (!incoming.complete) incoming.destroy();
      }, lingerMs);
      incoming.once('close', () => clearTimeout(timer));
    });
  });
}
