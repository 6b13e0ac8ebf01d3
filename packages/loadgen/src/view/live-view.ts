import { type PlanPoint, requestsOfPoint } from '@inferboard/core/plans/point';
import type { Side } from '../compare-servers/paired.ts';
import type { RequestRecord } from '../measure/records/load-record.ts';
import type { MeasuredPoint, PointOptions } from '../points/measure-point.ts';
import { pointName } from '../points/point-name.ts';
import type { Refusal } from '../points/refusal.ts';
import { formatPlain, formatView, painter, type ViewState } from './format-view.ts';
import { PointCollector } from './point-figures.ts';

/** Where the view is shown. */
export interface Screen {
  write(text: string): void;
  /** Columns of a terminal that lines can be drawn over on; null for a log. */
  columns: number | null;
  hasColors: boolean;
}

/** Shows a measurement while it runs. */
export interface LiveView {
  /** How much there is to measure in all, as far as that is known: points are null where a search decides. */
  expect(size: { points: number | null; requests: number }): void;
  /** A point begins: what its measuring is to call. */
  begin(
    point: PlanPoint,
    side?: Side | null,
  ): Required<Pick<PointOptions, 'onProgress'>> & {
    onEnded(requests: readonly RequestRecord[]): void;
  };
  /** A point is over: one line of it stays. */
  finish(found: MeasuredPoint): void;
  /** The server cannot hold the point: one line of it stays. */
  skip(point: PlanPoint, refusal: Refusal): void;
  /** Removes what is drawn. */
  clear(): void;
}

/** Between two lines in a log. */
const logMs = 5000;

/** @param now any clock in ms */
export function createLiveView(screen: Screen, now: () => number): LiveView {
  let size: Parameters<LiveView['expect']>[0] = { points: null, requests: 0 };
  const paint = painter(screen.hasColors);
  let place = 0;
  /** Of the current point. */
  let title = '';
  let skippedFor = '';
  let requestsBefore = 0;
  /** Lines on the terminal that the next ones are drawn over. */
  let drawn = 0;
  let loggedAt = now();
  /** Without the time between points: warm-ups and calibration take much longer or shorter than measured requests. */
  const measured = { ms: 0, ended: 0 };

  const clear = () => {
    if (drawn > 0) screen.write(`\x1b[${drawn}F\x1b[J`);
    drawn = 0;
  };
  const show = (state: ViewState) => {
    if (screen.columns === null) {
      if (now() - loggedAt < logMs) return;
      loggedAt = now();
      screen.write(`${formatPlain(state)}\n`);
      return;
    }
    const lines = formatView(state, paint, screen.columns - 1);
    clear();
    screen.write(`${lines.join('\n')}\n`);
    drawn = lines.length;
  };
  return {
    clear,
    expect: (asked) => {
      size = asked;
    },
    begin: (point, side = null) => {
      place++;
      title = pointName(point, side);
      const figures = new PointCollector();
      let last: { at: number; ended: number } | null = null;
      return {
        onEnded: (requests) => figures.onEnded(requests),
        onProgress: (counts, requests) => {
          const current = { at: now(), ended: counts.done + counts.failed };
          figures.onCounts(counts, current.at);
          measured.ms += current.at - (last ?? current).at;
          measured.ended += current.ended - (last ?? current).ended;
          last = current;
          show({
            ...{ place, points: size.points, title, requests, figures },
            ...{ requestsBefore, requestsTotal: size.requests * (requests / point.requests) },
            measured,
          });
        },
      };
    },
    finish: ({ summary, record, cut }) => {
      clear();
      const planned = cut?.planned ?? record.requests.length;
      requestsBefore += planned;
      screen.write(`${title}: ${summary.by_outcome.ok} of ${planned} ok\n`);
    },
    skip: (point, { reason }) => {
      clear();
      requestsBefore += requestsOfPoint(point);
      screen.write(`${title}: skipped.${reason === skippedFor ? '' : ` ${reason}.`}\n`);
      skippedFor = reason;
    },
  };
}
