import { randomUUID } from 'node:crypto';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { problemType } from './errors.ts';

// Requests that never become one: too long a head, not HTTP, a host that is none. They are refused in the same form as all
// others; their request id leads to nothing in the log, for no request came to be.

const refusals = {
  malformed: { status: 400, title: 'The request is not HTTP', code: 'request_malformed' },
  unaddressed: {
    status: 400,
    title: 'The address or the Host header cannot be read',
    code: 'address_unreadable',
  },
  hosts: { status: 400, title: 'A request has one Host header', code: 'address_unreadable' },
  tunnel: { status: 405, title: 'Tunnels are not possible here', code: 'method_not_allowed' },
  head_too_large: { status: 431, title: 'The head of the request is too large', code: 'head_too_large' },
  slow: { status: 408, title: 'The request took too long to arrive', code: 'request_slow' },
  unexpected: { status: 417, title: 'Only 100-continue can be expected here', code: 'expectation_unknown' },
} as const;

function documentOf(kind: keyof typeof refusals): string {
  const { status, title, code } = refusals[kind];
  const detail = kind === 'head_too_large' ? 'Send fewer or shorter headers, or a shorter address.' : `${title}.`;
  return JSON.stringify({ type: 'about:blank', title, status, detail, code, request_id: randomUUID() });
}

/** For the adapter: a request whose address or host cannot be read. */
export function refuseRequest(): Response {
  return new Response(documentOf('unaddressed'), { status: 400, headers: { 'Content-Type': problemType } });
}

function refuse(outgoing: ServerResponse, kind: keyof typeof refusals): void {
  outgoing.writeHead(refusals[kind].status, { 'Content-Type': problemType }).end(documentOf(kind));
}

/** The same onto a connection that has no answer to write to. */
function refuseOn(socket: Duplex, kind: keyof typeof refusals): void {
  const body = documentOf(kind);
  const head = [
    `HTTP/1.1 ${refusals[kind].status} ${refusals[kind].title}`,
    `Content-Type: ${problemType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(refusals[kind].status === 405 ? ['Allow: GET, HEAD'] : []),
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** Passes on requests that name one host, as HTTP/1.1 must; Node's own check would answer with an empty body. */
export function requireHost(listener: RequestListener): RequestListener {
  return (incoming, outgoing) => {
    const hosts = incoming.rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
    const least = incoming.httpVersion === '1.0' ? 0 : 1;
    if (hosts > 1 || hosts < least) refuse(outgoing, 'hosts');
    else listener(incoming, outgoing);
  };
}

/** Answers what Node's HTTP parser gives up on, and what never becomes a request. */
export function refuseMalformed(server: Server): void {
  server.on('checkExpectation', (_, outgoing: ServerResponse) => refuse(outgoing, 'unexpected'));
  server.on('connect', (_, socket: Duplex) => refuseOn(socket, 'tunnel'));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const isTooLarge = error.code === 'HPE_HEADER_OVERFLOW';
    const kind = isTooLarge ? 'head_too_large' : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'slow' : 'malformed';
    refuseOn(socket, kind);
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
    outgoing.once('finish', () => {
      if (incoming.complete) return;
      incoming.removeAllListeners('data');
      incoming.resume();
      const timer = setTimeout(() => incoming.destroy(), lingerMs);
      incoming.once('close', () => clearTimeout(timer));
    });
  });
}
