import type { Turns } from '../turns/turns.ts';
import type { Target } from '../wire/transport.ts';
import type { PaceShare, RequestBytes, RequestWords } from './engine.ts';
import type { MeterReading } from './meter.ts';
import type { Limits } from './plan.ts';
import type { ChunkStamps, EventCopy } from './records/event-log.ts';

/** What a thread is to do. */
export interface ShareJob {
  thread: number;
  target: Target;
  pace: PaceShare;
  limits: Limits;
  requests: RequestBytes;
  rows: number;
  table: SharedArrayBuffer;
  control: SharedArrayBuffer;
  expectedChunks: number;
  turns: Turns | null;
  /** Each answer is one JSON document. */
  hasDocuments: boolean;
  /** To open before the clock starts. */
  connections: number;
  /** The server is known to close each connection after its response. */
  usesConnectionsOnce: boolean;
  /** Waits at the end for the server to close connections. */
  watchesCloses: boolean;
}

/** What happened in a thread since it reported last. All events of the rows that ended are in this report or an earlier one. */
export interface Interim extends EventCopy {
  ended: number[];
  words: RequestWords[];
}

/** What a thread is started with. */
export interface ThreadJob extends ShareJob {
  warmsUp: boolean;
  isRealtime: boolean;
  /** Reports what ended while it runs. */
  isWatched: boolean;
}

/** `at` is the beginning, in ms of the system's monotonic clock. */
export type ToThread = { kind: 'go'; at: number } | { kind: 'cancel' };

export interface ThreadResult {
  chunks: ChunkStamps;
  words: RequestWords[];
  /** True if a response stated that it is simulated. */
  isSimulated: boolean;
  /** See `ShareJob`. */
  hasDocuments: boolean;
  /** True where too many failures in a row ended it. */
  isFailing: boolean;
  meter: MeterReading;
  connectionsOpened: number;
  /** See `ShareJob`. */
  usesConnectionsOnce: boolean;
}

export type FromThread =
  | { kind: 'ready' }
  /** No connection could be opened: why. */
  | { kind: 'unreachable'; detail: string }
  | ({ kind: 'interim' } & Interim)
  | ({ kind: 'result' } & ThreadResult);
