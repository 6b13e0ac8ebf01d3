import { connect, type Socket } from 'node:net';
import { createAnswerReader, type Whole } from './answer-reader.ts';

/** A request; GET without a body. */
export interface Asked {
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

/** A serialised request. */
export function toBytes(url: URL, { path, headers = {}, body }: Asked): Buffer {
  const all = { host: url.host, ...headers, ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${body === undefined ? 'GET' : 'POST'} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`);
}

/** A connection for one request at a time. Reconnects if the server closes it. */
export interface Connection {
  /**
   * Sends a request and waits for the complete response.
   *
   * @throws Error if the status is not the expected one, or the response is incomplete
   */
  ask(request: Buffer): Promise<void>;
  close(): void;
}

const patience_ms = 120_000;
/** One buffer for all connections: each read is processed before the next. */
const buffer = Buffer.allocUnsafe(256 * 1024);

/**
 * A client with minimal overhead, so that the server is measured.
 *
 * @param wanted expected status of the responses; null for any
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
