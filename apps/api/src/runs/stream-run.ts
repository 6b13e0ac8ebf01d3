import { setTimeout as sleep } from 'node:timers/promises';
import { findRunSnapshot, type RunSnapshot } from '@inferboard/db/runs/run-find';
import type { SSEStreamingApi } from 'hono/streaming';
import type { Deps } from '../deps.ts';
import { instant } from '../views.ts';
import { viewLive, viewProgress } from './run-views.ts';

export interface StreamOptions {
  /** Milliseconds between two polls of the run. */
  pollMs: number;
  /** Milliseconds without a message after which a comment is sent. */
  silenceMs: number;
}

/** A message at least every fifteen seconds; the clock is checked with every poll. */
const defaults: StreamOptions = { pollMs: 500, silenceMs: 12_000 };

/** Milliseconds after which a disconnected browser reconnects. */
const retryMs = 2000;

/** Maximum number of events per query. */
const batchMax = 200;

type Event = RunSnapshot['events'][number];

const sendEvent = (stream: SSEStreamingApi, { ordinal, kind, data, createdAt }: Event) =>
  stream.writeSSE({
    event: kind,
    data: JSON.stringify({ ...data, at: instant(createdAt) }),
    id: String(ordinal),
  });

/** What the stream has sent so far. */
interface Sent {
  /** Number of the last event. */
  ordinal: number;
  /** The last progress, as serialized. */
  progress: string;
  /** The last live figures, as serialized. */
  live: string;
  hasEnded: boolean;
  /** When the last message was sent, by a monotonic clock. */
  at: number;
}

/** Sends new events and progress; true if more are available at once. */
async function sendSnapshot(
  stream: SSEStreamingApi,
  { events, ...snapshot }: RunSnapshot,
  sent: Sent,
): Promise<boolean> {
  const end = events.find(({ kind }) => kind === 'end');
  for (const event of events) if (event !== end) await sendEvent(stream, event);
  const progress = JSON.stringify(viewProgress(snapshot));
  const isBehind = events.length === batchMax;
  // Progress comes after the events that led to it and before the end event, after which clients stop reading.
  if (!isBehind && progress !== sent.progress) {
    await stream.writeSSE({ event: 'progress', data: progress });
    sent.progress = progress;
    sent.at = performance.now();
  }
  const live = JSON.stringify(viewLive(snapshot));
  if (!isBehind && live !== sent.live) {
    if (live !== 'null') await stream.writeSSE({ event: 'live', data: live });
    sent.live = live;
    sent.at = performance.now();
  }
  if (end !== undefined) await sendEvent(stream, end);
  if (events.length > 0) sent.at = performance.now();
  sent.ordinal = events.at(-1)?.ordinal ?? sent.ordinal;
  sent.hasEnded = end !== undefined;
  return isBehind;
}

/** A sleep that ends early, without an error, if the client disconnects. */
const wait = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }).catch(() => {});

/**
 * Streams a run from the event after `after` until the run ends, the client disconnects, or the process stops. If the database
 * does not respond, the stream stays silent and retries.
 */
export async function streamRun(
  deps: Deps,
  stream: SSEStreamingApi,
  id: string,
  after: number,
  options: Partial<StreamOptions> = {},
): Promise<void> {
  const { pollMs, silenceMs } = { ...defaults, ...options };
  const gone = new AbortController();
  stream.onAbort(() => gone.abort());
  await stream.write(`retry: ${retryMs}\n\n`);
  const sent: Sent = { ordinal: after, progress: '', live: 'null', hasEnded: false, at: performance.now() };
  const isOver = () => sent.hasEnded || stream.aborted || deps.isDraining();
  let isLost = false;
  while (!isOver()) {
    let isBehind = false;
    try {
      const snapshot = await findRunSnapshot(deps.database.db, id, sent.ordinal, batchMax);
      if (snapshot !== null) isBehind = await sendSnapshot(stream, snapshot, sent);
      isLost = false;
    } catch (error) {
      if (!isLost)
        deps.log('error', 'a run could not be read for its event streams', { run: id, error: String(error) });
      isLost = true;
    }
    if (isBehind || isOver()) continue;
    if (performance.now() - sent.at >= silenceMs) {
      await stream.write(': still here\n\n');
      sent.at = performance.now();
    }
    await wait(pollMs, gone.signal);
  }
}
