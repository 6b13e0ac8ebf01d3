import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { problemType } from './errors.ts';

// Requests that never become one: too long a head, not HTTP, a host that is none. They are refused in the same form as all
// others, without a request id, for no request came to be.

const refusals = {
  malformed: { status: 400, title: 'The request is not HTTP', code: 'request_malformed' },
  head_too_large: { status: 431, title: 'The head of the request is too large', code: 'head_too_large' },
  slow: { status: 408, title: 'The request took too long to arrive', code: 'request_slow' },
} as const;

function documentOf(kind: keyof typeof refusals): string {
  const { status, title, code } = refusals[kind];
  const detail = kind === 'head_too_large' ? 'Send fewer or shorter headers, or a shorter address.' : `${title}.`;
  return JSON.stringify({ type: 'about:blank', title, status, detail, code, request_id: null });
}

/** For the adapter: a request whose address or host cannot be read. */
export function refuseRequest(): Response {
  return new Response(documentOf('malformed'), { status: 400, headers: { 'Content-Type': problemType } });
}

/** Answers what Node's HTTP parser gives up on. */
export function refuseMalformed(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const isTooLarge = error.code === 'HPE_HEADER_OVERFLOW';
    const kind = isTooLarge ? 'head_too_large' : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'slow' : 'malformed';
    const body = documentOf(kind);
    const head = [
      `HTTP/1.1 ${refusals[kind].status} ${refusals[kind].title}`,
      `Content-Type: ${problemType}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
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
