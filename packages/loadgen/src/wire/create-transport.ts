import { setTimeout as sleep } from 'node:timers/promises';
import { atOnceMs, SocketConnection, type TlsTrust } from './socket-connection.ts';
import {
  type Clock,
  type Exchange,
  formatHost,
  requestHeaders,
  type Sending,
  type Target,
  type Transport,
} from './transport.ts';

const readBytes = 64 * 1024;
/** The queue of a server for connections not yet accepted may be as short as five. */
const opensAtOnce = 16;
/** A server that closed this many connections in a row after their first response closes all of them. */
const closedMost = 4;
const watchMs = 5;

/**
 * HTTP/1.1 over TCP or TLS, by the same code. Throws TypeError on a target that cannot be sent.
 * @param isOnce the server is known to close each connection after its response
 */
export function createTransport(target: Target, clock: Clock, trust: TlsTrust = {}, isOnce = false): Transport {
  const idle: SocketConnection[] = [];
  const all = new Set<SocketConnection>();
  let opened = 0;
  let closedInRow = isOnce ? closedMost : 0;
  const owner = {
    ...{ clock, trust },
    buffer: Buffer.allocUnsafeSlow(readBytes),
    onIdle: (connection: SocketConnection) => idle.push(connection),
    onClosed: (connection: SocketConnection) => {
      all.delete(connection);
      const place = idle.indexOf(connection);
      if (place >= 0) idle.splice(place, 1);
    },
    onFirstAnswer: (end: 'closed' | 'kept') => {
      closedInRow = end === 'closed' ? closedInRow + 1 : 0;
    },
    usesOnce: () => closedInRow >= closedMost,
    resend: (request: Uint8Array, exchange: Exchange): Sending => sendOver(openOne(), request, exchange, false),
  };
  const head = Object.entries(requestHeaders(target)).reduce(
    (text, [name, value]) => `${text}${name}: ${value}\r\n`,
    `POST ${target.path} HTTP/1.1\r\nhost: ${formatHost(target.connect)}\r\n`,
  );

  function openOne(): SocketConnection {
    const connection = new SocketConnection(owner, target.connect);
    all.add(connection);
    opened++;
    return connection;
  }

  function sendOver(connection: SocketConnection, request: Uint8Array, exchange: Exchange, mayRetry: boolean): Sending {
    connection.send(request, exchange, mayRetry);
    return connection;
  }

  async function openIdle(): Promise<Error | null> {
    const connection = openOne();
    try {
      await connection.opened();
      idle.push(connection);
      return null;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  return {
    serialise: (body) => {
      const bytes = Buffer.byteLength(body);
      const start = Buffer.from(`${head}content-length: ${bytes}\r\n\r\n`, 'latin1');
      return Buffer.concat([start, Buffer.from(body)]);
    },
    open: async (count) => {
      let failure: Error | null = null;
      for (let wanted = count - idle.length; wanted > 0; wanted -= opensAtOnce) {
        const errors = await Promise.all(Array.from({ length: Math.min(wanted, opensAtOnce) }, openIdle));
        failure ??= errors.find((error) => error !== null) ?? null;
        // A server that refuses some would refuse the others.
        if (failure !== null) break;
      }
      if (failure !== null && idle.length === 0) throw failure;
      return idle.length;
    },
    idleCount: () => idle.length,
    openedCount: () => opened,
    usesOnce: owner.usesOnce,
    watchCloses: async () => {
      const until = clock.now() + atOnceMs;
      while (idle.length > 0 && clock.now() < until) await sleep(watchMs);
      if (idle.length === 0 && closedInRow > 0) closedInRow = closedMost;
    },
    send: (request, exchange) => sendOver(idle.pop() ?? openOne(), request, exchange, true),
    close: () => {
      for (const connection of [...all]) connection.abort();
    },
  };
}
