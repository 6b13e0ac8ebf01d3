import { connect, type Socket } from 'node:net';
import { createAnswerReader, type Whole } from './answer-reader.ts';

/** A request; GET if there is no body. */
export interface Asked {
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

/** A request as it goes over the wire. */
export function toBytes(url: URL, { path, headers = {}, body }: Asked): Buffer {
  const all = { host: url.host, ...headers, ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${body === undefined ? 'GET' : 'POST'} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`);
}

/** A connection that carries one request at a time, and is opened again where the server closes it. */
export interface Connection {
  /**
   * Sends a request and waits for the whole answer.
   *
   * @throws Error where the status is not the wanted one, or the answer is not whole
   */
  ask(request: Buffer): Promise<void>;
  close(): void;
}

const patience_ms = 120_000;
/** One for all connections: each read is used up before the next. */
const buffer = Buffer.allocUnsafe(256 * 1024);

/**
 * A client that does next to nothing, so that what is measured is the server.
 *
 * @param wanted the status that answers have to have; null for any
 */
export function openConnection(url: URL, wanted: number | null): Connection {
  let socket: Socket | null = null;
  let reader = createAnswerReader(wanted);
  let waiting: { resolve: () => void; reject: (error: Error) => void } | null = null;

  const drop = () => {
    socket?.destroy();
    socket = null;
    reader = createAnswerReader(wanted);
  };
  const settle = ({ status, text, isLast }: Whole) => {
    const asker = waiting;
    waiting = null;
    if (isLast) drop();
    if (wanted === null || status === wanted) asker?.resolve();
    else asker?.reject(new Error(`${status} ${text.slice(0, 300)}`));
  };
  const attempt = (read: () => Whole | null) => {
    try {
      const whole = read();
      if (whole !== null) settle(whole);
    } catch (error) {
      fail(error as Error);
    }
  };
  const fail = (error: Error) => {
    const asker = waiting;
    waiting = null;
    drop();
    asker?.reject(error);
  };
  const open = (): Socket => {
    const opened = connect({
      host: url.hostname,
      port: Number(url.port),
      noDelay: true,
      onread: {
        buffer,
        callback: (length: number) => {
          if (socket === opened) attempt(() => reader.read(buffer.subarray(0, length)));
          return true;
        },
      },
    });
    const ofThis = (work: () => void) => () => void (socket === opened && work());
    opened.setTimeout(
      patience_ms,
      ofThis(() => fail(new Error(`no answer for ${patience_ms} ms`))),
    );
    opened.once('error', (error) => ofThis(() => fail(error))());
    opened.once(
      'end',
      ofThis(() => (waiting === null ? drop() : attempt(() => reader.end()))),
    );
    opened.once(
      'close',
      ofThis(() => fail(new Error('the connection closed'))),
    );
    return opened;
  };
  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        socket ??= open();
        socket.write(request);
      }),
    close: drop,
  };
}
