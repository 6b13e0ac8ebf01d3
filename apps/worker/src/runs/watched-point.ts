import type { Sample } from '@inferboard/core/observed/engine-state';
import { addToTimeline, startTimeline, type TimedPoint, type Timeline } from '@inferboard/core/observed/timeline';
import type { PlanPoint } from '@inferboard/core/plans/point';
import type { EndpointRow } from '@inferboard/db/runs/endpoint';
import type { RequestRecord } from '@inferboard/loadgen/measure/measure-load';
import { type MeasuredPoint, measurePoint, type PointOptions } from '@inferboard/loadgen/points/measure-point';
import type { ModelServer } from '@inferboard/loadgen/points/server';
import type { WorkerDeps } from '../deps.ts';
import type { HeldLease } from './lease.ts';
import { LivePoint } from './live-figures.ts';
import type { ReachedEndpoint } from './reach-endpoint.ts';
import { watchServer } from './watch-server.ts';

/** A point and the readings of its server while it was measured. */
export interface WatchedPoint {
  measured: MeasuredPoint;
  observed: readonly Sample[];
  /** Why readings are missing, in words for readers of the run; null if none are. */
  trouble: string | null;
}

/** Measures a point, reads the server's metrics meanwhile, and gives the lease the figures so far. */
export async function measureWatched(
  deps: WorkerDeps,
  { endpoint, reached, lease }: { endpoint: EndpointRow; reached: ReachedEndpoint; lease: HeldLease },
  [server, point, options]: [ModelServer, PlanPoint, PointOptions],
): Promise<WatchedPoint> {
  const live = new LivePoint(point);
  const watched = watchServer(deps, endpoint, reached);
  lease.show(() => live.read(watched.samples.at(-1)));
  let measured: MeasuredPoint;
  let trouble: string | null = null;
  try {
    measured = await measurePoint(server, point, {
      ...options,
      onProgress: (counts, requests) => {
        live.onCounts(counts, requests);
        options.onProgress?.(counts, requests);
      },
      onEnded: (requests) => live.onEnded(requests),
    });
  } finally {
    lease.show(null);
    trouble = await watched.stop();
  }
  // Readings of the warm-up belong to no measured request.
  const observed = watched.samples.filter(({ unixMs }) => unixMs >= measured.record.started_at_unix_ms);
  return { measured, observed, trouble };
}

function timedRequest({
  started_ms,
  chunks_ms,
  output_tokens,
  outcome,
}: RequestRecord): TimedPoint['requests'][number] {
  const [first] = chunks_ms;
  return {
    sentS: started_ms / 1000,
    ttftMs: first === undefined ? null : first - started_ms,
    gapsMs: Array.from(chunks_ms.subarray(1), (at, place) => at - (chunks_ms[place] ?? at)),
    outputTokens: output_tokens,
    error: outcome === 'ok' ? null : outcome,
  };
}

/** Adds a point to the timeline of its run, which begins with the first point that has readings; null before. */
export function extendTimeline(before: Timeline | null, { measured, observed }: WatchedPoint): Timeline | null {
  if (before === null && observed.length === 0) return null;
  const { started_at_unix_ms: startedUnixMs, requests } = measured.record;
  const sent = requests.filter(({ started_ms }) => !Number.isNaN(started_ms));
  return addToTimeline(before ?? startTimeline(startedUnixMs), {
    ...{ startedUnixMs, samples: observed },
    requests: sent.map(timedRequest),
  });
}
