import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Problem, problemType, type Refusal, toProblem } from './errors.ts';
import { jsonLine } from './json-line.ts';

// Requests that never become one: too long a head, not HTTP, a host that is none. They are refused in the same form as all
// others; their request id leads to nothing in the log, for no request came to be.

const refusals = {
  malformed: {
    code: 'request_malformed',
    message: 'What was sent is no request of HTTP/1.1.',
    faults: [
      {
        code: 'request_malformed',
        message: 'The request line, a header or a chunk is not written as HTTP/1.1 writes it.',
        hint: 'Let an HTTP client write the request.',
      },
    ],
  },
  unaddressed: {
    code: 'address_unreadable',
    message: 'The address and the header Host make no URL.',
    faults: [
      {
        code: 'value_invalid',
        parameter: 'Host',
        message: 'Host and the address of the request line must make a URL together.',
        hint: 'Percent-encode what is no character of a URL.',
      },
    ],
  },
  hosts: {
    code: 'address_unreadable',
    message: 'A request has one Host header.',
    faults: [{ code: 'value_invalid', parameter: 'Host', message: 'Host must be there, once.' }],
  },
  unexpected: {
    code: 'expectation_unknown',
    message: 'The header Expect asks for what is not known here.',
    faults: [
      { code: 'value_invalid', parameter: 'Expect', message: 'Expect must be 100-continue.', hint: 'Leave it away.' },
    ],
  },
  tunnel: { code: 'method_not_allowed', message: 'CONNECT is not possible here; GET, HEAD is.', faults: [] },
  head_too_large: {
    code: 'head_too_large',
    message: 'Send fewer or shorter headers, or a shorter address.',
    faults: [],
  },
  slow: { code: 'request_slow', message: 'The whole request did not arrive in time. Send it again.', faults: [] },
} satisfies Record<string, Refusal>;
type Kind = keyof typeof refusals;

/** A refusal with the headers that every answer has. */
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

/** For the adapter: answers a request whose address or host cannot be read. `publicUrl` begins the links in the answer. */
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

/** The same onto a connection that has no answer to write to. */
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

/** Passes on requests that name one host, as HTTP/1.1 must; Node's own check would answer with an empty body. */
export function requireHost(listener: RequestListener, publicUrl: string): RequestListener {
  return (incoming, outgoing) => {
    const hosts = countHosts(incoming);
    const least = incoming.httpVersion === '1.0' ? 0 : 1;
    if (hosts > 1 || hosts < least) refuse(outgoing, 'hosts', publicUrl);
    else listener(incoming, outgoing);
  };
}

/** Answers what Node's HTTP parser gives up on, and what never becomes a request. */
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

/** How long a client that was refused early may go on sending before the connection is cut. */
const lingerMs = 5000;

/**
 * Reads and forgets what a client still sends after its answer has left. Closing at once would reset the connection, and
 * the client would never see why it was refused.
 */
export function lingerOnUnread(server: Server): void {
  server.on('request', (incoming, outgoing) => {
    // Without these there is no body.
    const { 'content-length': length, 'transfer-encoding': coding } = incoming.headers;
    if (length === undefined && coding === undefined) return;
    outgoing.once('finish', () => {
      if (incoming.complete) return;
      incoming.removeAllListeners('data').removeAllListeners('readable');
      incoming.resume();
      // Whole by then, it has nothing more to say, and the connection serves the next request.
      const timer = setTimeout(() => {
        if (!incoming.complete) incoming.destroy();
      }, lingerMs);
      incoming.once('close', () => clearTimeout(timer));
    });
  });
}
