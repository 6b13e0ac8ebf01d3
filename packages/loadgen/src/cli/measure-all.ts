import { randomUUID } from 'node:crypto';
import type { PlanPoint } from '@inferboard/core/plans/point';
import { createFailureCounter } from '../points/failure-counter.ts';
import { type MeasuredPoint, measurePoint, type PointOptions } from '../points/measure-point.ts';
import { PromptRefusedError, type Refusal, refusalOfError, refusalOfRecord } from '../points/refusal.ts';
import type { ModelServer } from '../points/server.ts';
import { createCalibrator } from '../prompts/calibrator.ts';
import { createDatasetCache } from '../prompts/datasets/dataset-cache.ts';
import type { About, Recorder } from '../records/recorder.ts';
import type { LoadedTraffic } from '../traffic/load-traffic.ts';
import { createLiveView, type Screen } from '../view/live-view.ts';
import type { MeasureOptions } from './options.ts';
import { countByUsage } from './reach-server.ts';
import { bodiesSaver } from './save-bodies.ts';
import type { Schedule } from './schedule.ts';

/** The person at the keyboard may fetch from wherever they can. */
async function download(address: string): Promise<AsyncIterable<Uint8Array>> {
  const response = await fetch(address);
  if (!response.ok || response.body === null) throw new Error(`${address} returned ${response.status}`);
  return response.body;
}

/** A server that points are measured on, and what their reports say of it. */
export interface MeasuredServer {
  server: ModelServer;
  about: About;
}

/** What points are measured with. */
export interface Measuring {
  options: MeasureOptions;
  /** Null: the plan's own workload. */
  loaded: LoadedTraffic | null;
  seed: number;
  signal: AbortSignal;
  screen: Screen;
  isResumed: boolean;
  /** See `LoadPlan`. */
  warmsUp: boolean;
}

const originOf = (url: string) => new URL(url).origin;

/** Of a point of server B. */
const byCounting = ({ status, reason }: Refusal): Refusal => ({
  status,
  reason: `${reason} (server A, which counts the prompts of both servers)`,
});

/** Measures a point, or reads from the error why the server cannot hold it. */
async function measureOrRefuse(
  server: ModelServer,
  point: PlanPoint,
  options: PointOptions,
): Promise<{ found: MeasuredPoint; refusal: Refusal | null } | { found: null; refusal: Refusal }> {
  try {
    const found = await measurePoint(server, point, options);
    return { found, refusal: refusalOfRecord(found.record) };
  } catch (error) {
    const refusal = refusalOfError(error);
    if (refusal === null) throw error;
    return { found: null, refusal };
  }
}

/**
 * Measures the points of a schedule one after another, and records each of them. A point that the server cannot hold is skipped,
 * except in a search, whose points all have the same prompts. Prompts are counted by server A.
 */
export async function measureAll(
  servers: { a: MeasuredServer; b: MeasuredServer | null },
  { source, points, sideOf }: Schedule,
  { options, loaded, seed, signal, screen, isResumed, warmsUp }: Measuring,
  recorder: Recorder,
): Promise<void> {
  const salt = options.salt ?? randomUUID();
  // Two addresses of one server share its prefix cache.
  const isShared = options.against !== null && originOf(options.against.url) === originOf(options.url);
  const countTokens = countByUsage(servers.a.server, originOf(options.url), signal);
  const save = await bodiesSaver(options.traffic.saveBodies, isResumed);
  const common = {
    ...{ signal, threads: options.workers, warmsUp },
    isRealtime: options.isRealtime,
    requestLimits: options.requestLimits,
    calibrator: createCalibrator({ countTokens, seed, salt }),
    datasets: { load: createDatasetCache(options.datasets, download), countTokens },
    ...(loaded !== null && { traffic: { ...loaded, countTokens } }),
    ...(save !== null && { onBodies: save }),
  };
  const view = createLiveView(screen, () => performance.now());
  const { measured, skipped } = recorder;
  const failures = createFailureCounter(options.errorsMax, source.toleratesFailures);
  const next = () =>
    source.next(
      measured,
      skipped.map(({ point }) => point),
    );
  for (let point = next(); point !== null && !signal.aborted; point = next()) {
    view.expect({ points, requests: source.requests(measured, point) });
    const side = sideOf(measured.length + skipped.length);
    const { server, about } = (side === 'b' ? servers.b : null) ?? servers.a;
    const { onProgress, onEnded: show } = view.begin(point, servers.b === null ? null : side);
    const record = recorder.begin(point, about);
    const { found, refusal } = await measureOrRefuse(server, point, {
      ...common,
      failuresInRowMax: failures.left(side),
      salt: isShared ? `${salt} ${side}` : salt,
      onProgress,
      onEnded: (ended, factsOf) => {
        record(ended, factsOf);
        show(ended);
      },
    }).finally(view.clear);
    if (refusal !== null && !source.toleratesFailures && !signal.aborted) {
      const stated = found === null && side === 'b' ? byCounting(refusal) : refusal;
      view.skip(point, stated);
      recorder.skip(point, stated, about);
      continue;
    }
    if (found === null) throw new PromptRefusedError(refusal);
    // Nothing came of it before it was cancelled.
    if (signal.aborted && found.summary.by_outcome.ok === 0) break;
    failures.add(side, found.record);
    view.finish(found);
    await recorder.finish(found, about);
    if (found.cut?.reason === 'failures' && !source.toleratesFailures) break;
  }
}
