import type { PlanPoint } from '@inferboard/core/plans/point';
import type { Side } from '../compare-servers/paired.ts';
import type { MeasuredPoint, PointOptions } from '../points/measure-point.ts';
import {
  gapsOf,
  type ReportedSystem,
  type ReportOptions,
  toNativeReport,
  toNativeRow,
  unfinishedReport,
} from '../points/native-report.ts';
import type { Refusal } from '../points/refusal.ts';
import type { Detected } from '../probe/detected.ts';
import type { Energy } from '../probe/energy.ts';
import type { Observer } from '../probe/observer.ts';
import { packRequest } from './packed-request.ts';
import type { Session } from './session.ts';

/** A point that was not measured, because the server cannot hold it. */
export interface SkippedPoint {
  point: PlanPoint;
  refusal: Refusal;
  /** Null with one server. */
  side: Side | null;
}

/** Keeps what is measured: in memory for the summary, and in the session's files. */
export interface Recorder {
  readonly session: Session;
  readonly measured: readonly MeasuredPoint[];
  /** The server of each measured point; null with one server. */
  readonly sides: readonly (Side | null)[];
  readonly skipped: readonly SkippedPoint[];
  /** A line for each point, those of an earlier start first. */
  readonly reports: readonly string[];
  readonly observer: Observer;
  /** Of the points whose GPUs were watched. */
  readonly energies: ReadonlyMap<MeasuredPoint, Energy>;
  /** A point begins. The answer is for `PointOptions.onEnded`. */
  begin(point: PlanPoint, about: About): NonNullable<PointOptions['onEnded']>;
  finish(found: MeasuredPoint, about: About): Promise<void>;
  /** The point cannot be measured on this server. */
  skip(point: PlanPoint, refusal: Refusal, about: About): void;
}

/** What the report of a point states besides its figures. */
export interface About {
  system: ReportedSystem;
  detected: Detected;
  /** See `ReportOptions`. */
  session?: ReportOptions['session'];
}

export interface RecorderOptions {
  session: Session;
  /** See `unfinishedReport`. */
  hasTraffic: boolean;
  observer: Observer;
  /** Lines of points that were measured by an earlier start. */
  earlier: readonly string[];
}

const withDetails = { withDetails: true };
/** To the milliwatt. */
const rounded = (watts: number) => Math.round(watts * 1000) / 1000;

export function createRecorder({ session, hasTraffic, observer, earlier }: RecorderOptions): Recorder {
  const measured: MeasuredPoint[] = [];
  const sides: (Side | null)[] = [];
  const skipped: SkippedPoint[] = [];
  const reports = [...earlier];
  const energies = new Map<MeasuredPoint, Energy>();
  return {
    ...{ session, measured, sides, skipped, reports, observer, energies },
    begin: (point, { system }) => {
      session.begin(point.key, unfinishedReport(point, system, hasTraffic));
      return (requests, factsOf) =>
        session.add(
          requests.map((request) => {
            const facts = factsOf(request.index);
            return packRequest(toNativeRow(request, facts, withDetails), gapsOf(request, facts));
          }),
        );
    },
    finish: async (found, { system, detected, session: compared }) => {
      measured.push(found);
      sides.push(compared?.server ?? null);
      const energy = await observer.energyOf(found);
      if (energy !== null) energies.set(found, energy);
      const options = {
        ...{ withDetails: true, withTime: true },
        ...(energy !== null && { metrics: { power_w: rounded(energy.meanW) } }),
        detected,
        // Readings before the point began belong to no measured request.
        observed: observer.samples.filter(({ unixMs }) => unixMs >= found.record.started_at_unix_ms),
        ...(compared !== undefined && { session: compared }),
      };
      const report = `${JSON.stringify(toNativeReport(found, system, options))}\n`;
      reports.push(report);
      session.finish(found.point.key, report, found.cut === null || found.cut.reason === 'time_limit');
    },
    skip: (point, refusal, { session: compared }) => {
      skipped.push({ point, refusal, side: compared?.server ?? null });
      session.skip();
    },
  };
}
