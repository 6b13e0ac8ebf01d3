import type { ResponseHead } from './http-response.ts';

/** Where to connect: an address that was resolved and checked, and the name of the server. */
export interface Connect {
  /** Value of the Host header. */
  host: string;
  port: number;
  /** The IP address sockets go to. */
  address: string;
  tls: boolean;
  /** For TLS where it is not `host`. */
  servername?: string;
}

/** Milliseconds on one monotonic clock; zero is the owner's choice. */
export interface Clock {
  now(): number;
}

export interface WireFailure {
  /** `disconnected`: the connection ended before the answer. `unreadable`: the answer is no HTTP we know. */
  kind: 'disconnected' | 'unreadable';
  detail: string;
}

/** One request in flight, with a callback for each event. `at` is the clock at the socket read, in ms. */
export interface Exchange {
  onWritten(at: number): void;
  onHead(head: ResponseHead, at: number): void;
  /** Bytes of the body without their framing. They are gone after the call. */
  onBody(bytes: Buffer, start: number, end: number, at: number): void;
  /**
   * The server closed the connection before it sent a byte of the answer: the request goes out once more, on a new
   * connection. `onWritten` follows again.
   */
  onRetry(): void;
  /** The answer is complete and the connection free again, or closed. Nothing follows. */
  onEnd(at: number): void;
  /** Nothing follows. */
  onFailure(failure: WireFailure, at: number): void;
}

/** A request that was handed to a connection. */
export interface Sending {
  /** True if the connection had carried another request before; of a request sent again, the new one. */
  readonly isReused: boolean;
  /** Closes the connection; the exchange receives no further calls. */
  abort(): void;
}

/** Connections to one server. */
export interface Transport {
  /** The bytes that `send` wants for a POST of this JSON text. */
  serialise(body: string): Uint8Array;
  /**
   * Opens connections until `count` are idle, and returns how many are. Rejects with the first error if none could be
   * opened.
   */
  open(count: number): Promise<number>;
  idleCount(): number;
  /** Connections opened or begun to be opened so far. */
  openedCount(): number;
  /** True if the server closes each connection after its response. */
  usesOnce(): boolean;
  /**
   * Waits until the server has closed every idle connection, at most 100 ms. If it has, and the last of them after its first
   * response, no connection is used twice from now on.
   */
  watchCloses(): Promise<void>;
  /** Sends over an idle connection, or opens one. Never calls back before it returns, save for `onWritten`. */
  send(request: Uint8Array, exchange: Exchange): Sending;
  /** Closes every connection; exchanges in flight receive no further calls. */
  close(): void;
}

/** What to ask for, the same in every request of a run. */
export interface Target {
  connect: Connect;
  /** For example `/v1/chat/completions`. */
  path: string;
  headers: Readonly<Record<string, string>>;
}

/** Headers that the caller cannot set: with them it could break the framing or request a coding that we cannot read. */
const reserved = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'accept-encoding',
  'expect',
  'upgrade',
  'keep-alive',
  'te',
  'trailer',
]);
const fieldName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;
const targetPath = /^\/[\x21-\x7e]*$/;

/** Why a header cannot be sent; null for one that can. The text never contains the value. */
export function headerFault(name: string, value: string): string | null {
  const lower = name.toLowerCase();
  if (!fieldName.test(name)) return 'a header has a name that cannot be sent';
  if (reserved.has(lower)) return `the header ${lower} is set by the load generator`;
  return fieldValue.test(value) ? null : `the header ${lower} has a value that cannot be sent`;
}

/** The host and port in the form of a Host header. */
export function formatHost({ host, port, tls }: Connect): string {
  const name = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  return port === (tls ? 443 : 80) ? name : `${name}:${port}`;
}

/**
 * Every header but Host and Content-Length, names in lower case. Throws TypeError on a path or header that cannot be
 * sent, and on one that is ours to set; a message never holds a value.
 */
export function requestHeaders({ path, headers, connect }: Target): Record<string, string> {
  if (!targetPath.test(path)) throw new TypeError('the path must begin with / and contain no spaces');
  if (!fieldValue.test(connect.host) || /[\s/@]/.test(connect.host)) throw new TypeError('not a host name');
  const all: Record<string, string> = { 'content-type': 'application/json', accept: 'text/event-stream' };
  for (const [name, value] of Object.entries(headers)) {
    const fault = headerFault(name, value);
    if (fault !== null) throw new TypeError(fault);
    all[name.toLowerCase()] = value;
  }
  // Compressed answers come in blocks: the time of a token would be that of its block.
  return { ...all, 'accept-encoding': 'identity' };
}
