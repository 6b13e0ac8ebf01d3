import type { Sample } from '@inferboard/core/observed/engine-state';
import type { LiveFigures, LiveLatency } from '@inferboard/core/observed/live-figures';
import { type PlanPoint, pointTitle, requestsOfPoint } from '@inferboard/core/plans/point';
import { type ShownPercentile, supportedPercentiles } from '@inferboard/core/statistics/supported-percentiles';
import type { Counts, RequestRecord } from '@inferboard/loadgen/measure/measure-load';
import { PointCollector } from '@inferboard/loadgen/view/point-figures';
import type { RunningDistribution } from '@inferboard/loadgen/view/running-distribution';

const rounded = (value: number) => Number(value.toPrecision(4));

function latencyOf(values: RunningDistribution): LiveLatency {
  const supported = supportedPercentiles(values.n);
  const at = (p: ShownPercentile) => (supported.includes(p) ? rounded(values.percentile(p)) : null);
  return { n: values.n, p50: at(50), p90: at(90), p95: at(95), p99: at(99) };
}

/** Collects the figures of a point while it is measured. */
export class LivePoint {
  readonly #point: PlanPoint;
  readonly #figures = new PointCollector();
  #requests: number;

  constructor(point: PlanPoint) {
    this.#point = point;
    this.#requests = requestsOfPoint(point);
  }

  onCounts(counts: Counts, requests: number): void {
    this.#requests = requests;
    this.#figures.onCounts(counts, performance.now());
  }

  onEnded(requests: readonly RequestRecord[]): void {
    this.#figures.onEnded(requests);
  }

  /** @param last the last reading of the server's metrics */
  read(last: Sample | undefined): LiveFigures {
    const point = this.#point;
    const { counts, rates, ttft, itl, e2e, errors } = this.#figures;
    return {
      at: new Date().toISOString(),
      point: point.key,
      title: pointTitle(point),
      requests: { done: counts.done + counts.failed, total: this.#requests },
      in_flight: counts.in_flight,
      req_s: rates === null ? null : rounded(rates.requests),
      output_tok_s: rates === null ? null : rounded(rates.tokens),
      ttft_ms: latencyOf(ttft),
      itl_ms: latencyOf(itl),
      e2e_ms: latencyOf(e2e),
      errors: Object.fromEntries(errors),
      server: last === undefined ? null : { ...last.values },
    };
  }
}
