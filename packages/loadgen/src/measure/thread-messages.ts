import type { Target } from '../wire/transport.ts';
import type { PaceShare, RequestBytes, RequestWords } from './engine.ts';
import type { ChunkStamps } from './event-log.ts';
import type { MeterReading } from './meter.ts';
import type { Limits } from './plan.ts';

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
  /** To open before the clock starts. */
  connections: number;
}

/** What a thread is started with. */
export interface ThreadJob extends ShareJob {
  warmsUp: boolean;
}

/** `at` is the beginning, in ms of the system's monotonic clock. */
export type ToThread = { kind: 'go'; at: number } | { kind: 'cancel' };

export interface ThreadResult {
  chunks: ChunkStamps;
  words: RequestWords[];
  /** True where an answer said that it was made up. */
  isSimulated: boolean;
  /** True where too many failures in a row ended it. */
  isFailing: boolean;
  meter: MeterReading;
  connectionsOpened: number;
}

export type FromThread =
  | { kind: 'ready' }
  /** No connection could be opened: why. */
  | { kind: 'unreachable'; detail: string }
  | ({ kind: 'result' } & ThreadResult);
