import { setTimeout as sleep } from 'node:timers/promises';
import { findMoment, type RunMoment } from '@inferboard/db/queries/run-find';
import type { SSEStreamingApi } from 'hono/streaming';
import type { Deps } from '../deps.ts';
import { viewProgress } from '../run-views.ts';
import { instant } from '../views.ts';

export interface TellOptions {
  /** Milliseconds between two looks at the run. */
  pollMs: number;
  /** Milliseconds of silence after which a comment is sent. */
  silenceMs: number;
}

/** Heard every fifteen seconds at least, by a clock that is looked at with every poll. */
const defaults: TellOptions = { pollMs: 500, silenceMs: 12_000 };

/** Milliseconds after which a browser that lost us asks again. */
const retryMs = 2000;

/** Events that are read at once. */
const batchMax = 200;

type Event = RunMoment['events'][number];

const tellEvent = (stream: SSEStreamingApi, { ordinal, kind, data, createdAt }: Event) =>
  stream.writeSSE({
    event: kind,
    data: JSON.stringify({ ...data, at: instant(createdAt) }),
    id: String(ordinal),
  });

/** What was told of a run so far. */
interface Told {
  /** The last event. */
  ordinal: number;
  /** The last progress, as it was written. */
  progress: string;
  hasEnded: boolean;
  /** When anything was told, by the clock that only goes on. */
  at: number;
}

/** Tells what is new; true where there may be more at once. */
async function tellMoment(stream: SSEStreamingApi, { events, ...moment }: RunMoment, told: Told): Promise<boolean> {
  const end = events.find(({ kind }) => kind === 'end');
  for (const event of events) if (event !== end) await tellEvent(stream, event);
  const progress = JSON.stringify(viewProgress(moment));
  const isBehind = events.length === batchMax;
  // What is so now comes after what led to it, and before the end, after which nobody listens.
  if (!isBehind && progress !== told.progress) {
    await stream.writeSSE({ event: 'progress', data: progress });
    told.progress = progress;
    told.at = performance.now();
  }
  if (end !== undefined) await tellEvent(stream, end);
  if (events.length > 0) told.at = performance.now();
  told.ordinal = events.at(-1)?.ordinal ?? told.ordinal;
  told.hasEnded = end !== undefined;
  return isBehind;
}

/** A sleep that ends early, and quietly, where nobody listens any more. */
const wait = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }).catch(() => {});

/**
 * Tells whoever listens of a run from the event after `after` on, until its end, or until they are gone, or the process is
 * to stop. A database that does not answer is waited for: the stream only falls silent.
 */
export async function tellRun(
  deps: Deps,
  stream: SSEStreamingApi,
  id: string,
  after: number,
  options: Partial<TellOptions> = {},
): Promise<void> {
  const { pollMs, silenceMs } = { ...defaults, ...options };
  const gone = new AbortController();
  stream.onAbort(() => gone.abort());
  await stream.write(`retry: ${retryMs}\n\n`);
  const told: Told = { ordinal: after, progress: '', hasEnded: false, at: performance.now() };
  const isOver = () => told.hasEnded || stream.aborted || deps.isDraining();
  let isLost = false;
  while (!isOver()) {
    let isBehind = false;
    try {
      const moment = await findMoment(deps.database.db, id, told.ordinal, batchMax);
      if (moment !== null) isBehind = await tellMoment(stream, moment, told);
      isLost = false;
    } catch (error) {
      if (!isLost)
        deps.log('error', 'a run could not be read for whoever watches it', { run: id, error: String(error) });
      isLost = true;
    }
    if (isBehind || isOver()) continue;
    if (performance.now() - told.at >= silenceMs) {
      await stream.write(': still here\n\n');
      told.at = performance.now();
    }
    await wait(pollMs, gone.signal);
  }
}
