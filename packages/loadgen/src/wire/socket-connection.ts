import { connect as connectTcp, isIP, type OnReadOpts, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { HttpError, ResponseReader } from './http-response.ts';
import type { Clock, Connect, Exchange, Sending, WireFailure } from './transport.ts';

/** Certificates to trust besides the usual ones. */
export interface TlsTrust {
  ca?: string;
}

/** Who keeps the connections. */
export interface ConnectionOwner {
  readonly clock: Clock;
  readonly trust: TlsTrust;
  /** One for all connections: a read is over before the next begins. */
  readonly buffer: Buffer;
  onIdle(connection: SocketConnection): void;
  onClosed(connection: SocketConnection): void;
  /** The server closed a connection as soon as its first response was complete, or kept it for another one. */
  onFirstAnswer(end: 'closed' | 'kept'): void;
  /** True if a connection is not used again, because the server would close it. */
  usesOnce(): boolean;
  /** Sends over a new connection what a closed one lost; it is not sent a third time. */
  resend(request: Uint8Array, exchange: Exchange): Sending;
}

const connectTimeoutMs = 10_000;
/** A server that closes idle connections waits longer. */
export const atOnceMs = 100;

export function describeError(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}

/** Opens a connection to the address that was checked, for the name the server goes by. */
function openSocket({ address, host, port, tls, servername }: Connect, trust: TlsTrust, onread: OnReadOpts): Socket {
  if (!tls) return connectTcp({ host: address, port, noDelay: true, onread });
  const name = servername ?? host;
  // Node reads TLS into the same buffer; its types do not know.
  const options: ConnectionOptions & { onread: OnReadOpts } = {
    ...{ host: address, port, ALPNProtocols: ['http/1.1'], onread },
    // An address is no server name; the certificate is then checked against `host`.
    ...(isIP(name) === 0 && { servername: name }),
    ...trust,
  };
  return connectTls(options).setNoDelay(true);
}

/** A connection of HTTP/1.1 over TCP or TLS that carries one request after another. */
export class SocketConnection implements Sending {
  isReused = false;
  readonly #owner: ConnectionOwner;
  readonly #socket: Socket;
  readonly #openEvent: 'connect' | 'secureConnect';
  readonly #reader: ResponseReader;
  #exchange: Exchange | null = null;
  /**
   * Kept until the first byte of the response. A server may close a connection at any time, even just after a response
   * with keep-alive, and a request may already have been sent then.
   */
  #retry: Uint8Array | null = null;
  #successor: Sending | null = null;
  #error: Error | null = null;
  #wasOpened = false;
  #hasServed = false;
  #answers = 0;
  #answeredAt = 0;
  #sawClose = false;
  #isClosed = false;
  #waitsForWrite = false;
  #at = 0;

  constructor(owner: ConnectionOwner, connect: Connect) {
    this.#owner = owner;
    this.#reader = new ResponseReader({
      onHead: (head) => this.#exchange?.onHead(head, this.#at),
      onBody: (bytes, start, end) => this.#exchange?.onBody(bytes, start, end, this.#at),
      onEnd: () => undefined,
    });
    this.#socket = openSocket(connect, owner.trust, {
      buffer: owner.buffer,
      callback: (length) => {
        this.#onRead(length);
        return true;
      },
    });
    this.#openEvent = connect.tls ? 'secureConnect' : 'connect';
    this.#socket.once(this.#openEvent, () => {
      this.#wasOpened = true;
    });
    this.#socket.on('end', () => this.#onFinish());
    this.#socket.on('error', (error) => {
      this.#error = error;
    });
    this.#socket.on('close', () => this.#onClose());
  }

  /** Resolves once connected; rejects where that fails or takes longer than ten seconds. */
  opened(): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#socket.destroy(new Error('no connection within 10 s')), connectTimeoutMs);
      this.#socket.once(this.#openEvent, () => {
        clearTimeout(timer);
        resolve();
      });
      this.#socket.once('close', () => {
        clearTimeout(timer);
        reject(this.#error ?? new Error('the connection was closed'));
      });
    });
  }

  send(request: Uint8Array, exchange: Exchange, mayRetry: boolean): void {
    const { clock } = this.#owner;
    this.isReused = this.#hasServed;
    this.#hasServed = true;
    this.#exchange = exchange;
    this.#reader.reset();
    this.#retry = mayRetry ? request : null;
    this.#socket.write(request, () => {
      if (this.#waitsForWrite && this.#exchange === exchange) exchange.onWritten(clock.now());
      this.#waitsForWrite = false;
    });
    // Mostly the kernel takes it at once, and the callback comes later than that.
    this.#waitsForWrite = this.#socket.connecting || this.#socket.writableLength > 0;
    if (!this.#waitsForWrite) exchange.onWritten(clock.now());
  }

  abort(): void {
    this.#exchange = null;
    this.#retry = null;
    this.#reader.stop();
    if (this.#successor === null) this.#close();
    else this.#successor.abort();
  }

  /** Runs for every read: nothing here but framing and stamps. */
  #onRead(length: number): void {
    const { clock, buffer } = this.#owner;
    this.#at = clock.now();
    const exchange = this.#exchange;
    if (exchange === null) {
      // No request is waiting for these bytes.
      this.#close();
      return;
    }
    this.#retry = null;
    let read = 0;
    try {
      read = this.#reader.push(buffer, 0, length);
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      this.#fail({ kind: 'unreadable', detail: error.message });
      return;
    }
    // The sink may have given up on the answer.
    if (this.#exchange === exchange && this.#reader.isEnded) this.#onAnswer(exchange, read < length);
  }

  #onAnswer(exchange: Exchange, hasMore: boolean): void {
    this.#exchange = null;
    this.#answers++;
    this.#answeredAt = this.#at;
    if (this.#answers === 2) this.#owner.onFirstAnswer('kept');
    if (hasMore || !this.#reader.keepsAlive || this.#isClosed || this.#owner.usesOnce()) this.#close();
    else this.#owner.onIdle(this);
    exchange.onEnd(this.#at);
  }

  /** The server closes the connection. */
  #noteClose(): void {
    const isUnanswered = this.#exchange === null || this.#retry !== null;
    if (this.#isClosed || this.#sawClose || this.#answers !== 1 || !isUnanswered) return;
    this.#sawClose = true;
    if (this.#owner.clock.now() - this.#answeredAt <= atOnceMs) this.#owner.onFirstAnswer('closed');
  }

  /** The server sends no more. */
  #onFinish(): void {
    this.#noteClose();
    const exchange = this.#exchange;
    if (exchange === null) this.#close();
    if (exchange === null || !this.#reader.finish()) return;
    this.#at = this.#owner.clock.now();
    this.#onAnswer(exchange, true);
  }

  #onClose(): void {
    const { clock } = this.#owner;
    this.#noteClose();
    this.#close();
    const exchange = this.#exchange;
    if (exchange === null) return;
    if (this.#retry !== null && this.#wasOpened) {
      const request = this.#retry;
      this.#retry = null;
      this.#exchange = null;
      this.isReused = false;
      exchange.onRetry();
      this.#successor = this.#owner.resend(request, exchange);
      return;
    }
    this.#at = clock.now();
    const detail = this.#error === null ? 'the server closed the connection' : describeError(this.#error);
    this.#fail({ kind: 'disconnected', detail });
  }

  #fail(failure: WireFailure): void {
    const exchange = this.#exchange;
    this.#exchange = null;
    this.#reader.stop();
    this.#close();
    exchange?.onFailure(failure, this.#at);
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#socket.destroy();
    this.#owner.onClosed(this);
  }
}
