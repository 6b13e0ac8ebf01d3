import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type buildConnector, Client, type Dispatcher } from 'undici';
import { describeError } from './socket-connection.ts';
import {
  type Clock,
  type Connect,
  type Exchange,
  formatHost,
  requestHeaders,
  type Sending,
  type Target,
  type Transport,
} from './transport.ts';

const connectTimeoutMs = 10_000;
/** TLS handshakes cost the server more than a connection does. */
const opensAtOnce = 16;
/** Servers close idle connections sooner than this. */
const idleMs = 600_000;
const headBytesMax = 64 * 1024;

/** Certificates to trust besides the usual ones. */
export interface TlsTrust {
  ca?: string;
}

/** Opens a connection to the address that was checked, for the name the server goes by. */
function openSocket({ address, host, port, tls, servername }: Connect, trust: TlsTrust): Promise<Socket> {
  const name = servername ?? host;
  return new Promise((resolve, reject) => {
    const socket = tls
      ? connectTls({
          host: address,
          port,
          ALPNProtocols: ['http/1.1'],
          // An address is no server name; the certificate is then held against `host`.
          ...(isIP(name) === 0 ? { servername: name } : {}),
          ...trust,
        })
      : connectTcp({ host: address, port });
    socket.setNoDelay(true);
    const timer = setTimeout(() => socket.destroy(new Error('no connection within 10 s')), connectTimeoutMs);
    const settle = (error: Error | null) => {
      clearTimeout(timer);
      socket.removeListener('error', settle);
      if (error === null) resolve(socket);
      else reject(error);
    };
    socket.once('error', settle);
    socket.once(tls ? 'secureConnect' : 'connect', () => settle(null));
  });
}

/** One connection at a time, opened anew by undici where the server closed it. */
class Lane {
  readonly client: Client;
  /** True once the present connection has carried a request. */
  hasServed = false;
  #socket: Socket | null = null;
  #spare: Socket | null = null;
  readonly #open: () => Promise<Socket>;

  constructor(connect: Connect, trust: TlsTrust, onOpen: () => void) {
    this.#open = () => {
      onOpen();
      return openSocket(connect, trust);
    };
    const connector: buildConnector.connector = (_options, callback) => {
      this.hasServed = false;
      const spare = this.#spare;
      this.#spare = null;
      const use = (socket: Socket) => {
        this.#socket = socket;
        callback(null, socket);
      };
      // Within the call undici does not yet wait for it.
      if (spare !== null && !spare.destroyed) queueMicrotask(() => use(spare));
      else this.#open().then(use, (error: Error) => callback(error, null));
    };
    this.client = new Client(`${connect.tls ? 'https' : 'http'}://${formatHost(connect)}`, {
      connect: connector,
      // HTTP/2 would carry a whole run over one connection.
      allowH2: false,
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
      maxHeaderSize: headBytesMax,
    });
  }

  /** Bytes that came over the present connection, or the last one; null where none was opened. */
  bytesRead(): number | null {
    return this.#socket?.bytesRead ?? null;
  }

  async warm(): Promise<void> {
    const spare = await this.#open();
    // Should the server close it before its first request, undici opens another.
    spare.on('error', () => spare.destroy());
    this.#spare = spare;
  }

  destroy(): void {
    this.#spare?.destroy();
    this.client.destroy().catch(() => undefined);
  }
}

function flattenHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flat;
}

/** Who keeps the lanes. */
interface LaneOwner {
  openLane(): Lane;
  onIdle(lane: Lane): void;
  onGone(lane: Lane): void;
}

/** What undici says where the connection was closed under a request. */
const closedCodes = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/** A request that undici carries. Passes what undici says on to its exchange, unless it was aborted. */
class Delivery implements Dispatcher.DispatchHandler, Sending {
  isReused = false;
  #isOver = false;
  #controller: Dispatcher.DispatchController | null = null;
  /** Null once the request may not be sent again. */
  #retry: Dispatcher.DispatchOptions | null;
  /** Bytes that had come over the connection when the request began; null before it did. */
  #bytesBefore: number | null = null;
  #lane: Lane;
  readonly #exchange: Exchange;
  readonly #clock: Clock;
  readonly #owner: LaneOwner;

  constructor(
    lane: Lane,
    options: Dispatcher.DispatchOptions,
    { exchange, clock, owner }: { exchange: Exchange; clock: Clock; owner: LaneOwner },
  ) {
    this.#retry = options;
    this.#lane = lane;
    this.#exchange = exchange;
    this.#clock = clock;
    this.#owner = owner;
    this.isReused = lane.hasServed;
    lane.client.dispatch(options, this);
  }

  abort(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#owner.onGone(this.#lane);
    this.#controller?.abort(new Error('aborted'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isOver) {
      controller.abort(new Error('aborted'));
      return;
    }
    this.isReused = this.#lane.hasServed;
    this.#lane.hasServed = true;
    this.#bytesBefore = this.#lane.bytesRead();
    this.#exchange.onWritten(this.#clock.now());
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (this.#isOver || status < 200) return;
    this.#exchange.onHead({ status, headers: flattenHeaders(headers) }, this.#clock.now());
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#isOver) this.#exchange.onBody(chunk, 0, chunk.length, this.#clock.now());
  }

  onResponseEnd(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#owner.onIdle(this.#lane);
    this.#exchange.onEnd(this.#clock.now());
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#isOver) return;
    this.#owner.onGone(this.#lane);
    const code = describeError(error);
    if (this.#retry !== null && closedCodes.has(code) && this.#isUnanswered()) {
      this.#sendAgain(this.#retry);
      return;
    }
    this.#isOver = true;
    const isUnreadable = error.name === 'HTTPParserError' || code === 'UND_ERR_HEADERS_OVERFLOW';
    const detail = code === 'UND_ERR_SOCKET' ? 'the server closed the connection' : isUnreadable ? error.message : code;
    const kind = isUnreadable ? 'unreadable' : 'disconnected';
    this.#exchange.onFailure({ kind, detail }, this.#clock.now());
  }

  /** True if a connection was opened and not a byte of the answer came over it. */
  #isUnanswered(): boolean {
    const bytes = this.#lane.bytesRead();
    return bytes !== null && bytes === (this.#bytesBefore ?? bytes);
  }

  #sendAgain(options: Dispatcher.DispatchOptions): void {
    this.#retry = null;
    this.#lane = this.#owner.openLane();
    this.#exchange.onRetry();
    this.#lane.client.dispatch(options, this);
  }
}

/**
 * The same over undici, which speaks TLS. Slower than plain sockets: what that does to a burst is in the self-check.
 * Throws TypeError on a target that cannot be sent.
 */
export function createDispatchTransport(target: Target, clock: Clock, trust: TlsTrust = {}): Transport {
  const idle: Lane[] = [];
  const all = new Set<Lane>();
  let opened = 0;
  const headers = requestHeaders(target);

  const owner: LaneOwner = {
    openLane,
    onIdle: (lane) => idle.push(lane),
    onGone: (lane) => {
      all.delete(lane);
      lane.destroy();
    },
  };

  function openLane(): Lane {
    const lane = new Lane(target.connect, trust, () => opened++);
    all.add(lane);
    return lane;
  }

  async function openIdle(): Promise<Error | null> {
    const lane = openLane();
    try {
      await lane.warm();
      idle.push(lane);
      return null;
    } catch (error) {
      owner.onGone(lane);
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  return {
    serialise: (body) => Buffer.from(body),
    open: async (count) => {
      let failure: Error | null = null;
      for (let wanted = count - idle.length; wanted > 0 && failure === null; wanted -= opensAtOnce) {
        const errors = await Promise.all(Array.from({ length: Math.min(wanted, opensAtOnce) }, openIdle));
        failure = errors.find((error) => error !== null) ?? null;
      }
      if (failure !== null && idle.length === 0) throw failure;
      return idle.length;
    },
    idleCount: () => idle.length,
    openedCount: () => opened,
    send: (request, exchange) => {
      const lane = idle.pop() ?? openLane();
      const options = { method: 'POST' as const, path: target.path, headers, body: request };
      return new Delivery(lane, options, { exchange, clock, owner });
    },
    close: () => {
      for (const lane of all) lane.destroy();
      all.clear();
      idle.length = 0;
    },
  };
}
