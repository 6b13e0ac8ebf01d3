import type { Counts, Outcome, RequestRecord } from '../measure/measure-load.ts';
import { RunningDistribution } from './running-distribution.ts';

/** Rates are those of the last seconds. */
const rateWindowMs = 3000;

/** What is known of a point while it is measured. */
export interface PointFigures {
  counts: Counts;
  ttft: RunningDistribution;
  itl: RunningDistribution;
  e2e: RunningDistribution;
  /** Tokens and requests a second over the last seconds; null before there is a rate. */
  rates: { tokens: number; requests: number } | null;
  /** Failed requests by kind. */
  errors: ReadonlyMap<Outcome, number>;
}

/** Collects the figures of a point as they come. `now` is any clock in ms. */
export class PointCollector implements PointFigures {
  counts: Counts = { done: 0, failed: 0, in_flight: 0, tokens: 0 };
  readonly ttft = new RunningDistribution();
  readonly itl = new RunningDistribution();
  readonly e2e = new RunningDistribution();
  rates: PointFigures['rates'] = null;
  readonly errors = new Map<Outcome, number>();
  #samples: { at: number; tokens: number; ended: number }[] = [];

  onCounts(counts: Counts, now: number): void {
    this.counts = counts;
    this.#samples.push({ at: now, tokens: counts.tokens, ended: counts.done + counts.failed });
    while (this.#samples.length > 2 && now - (this.#samples[1]?.at ?? now) >= rateWindowMs) this.#samples.shift();
    const [first] = this.#samples;
    if (first === undefined || now === first.at) return;
    const perSecond = (amount: number) => Math.max(0, (1000 * amount) / (now - first.at));
    this.rates = {
      tokens: perSecond(counts.tokens - first.tokens),
      requests: perSecond(counts.done + counts.failed - first.ended),
    };
  }

  onEnded(requests: readonly RequestRecord[]): void {
    for (const { outcome, chunks_ms: chunks, started_ms, closed_ms } of requests) {
      if (outcome !== 'ok') {
        this.errors.set(outcome, (this.errors.get(outcome) ?? 0) + 1);
        continue;
      }
      // A document has an end, and no chunks.
      const [first, last = closed_ms] = [chunks[0], chunks.at(-1)];
      if (first !== undefined) this.ttft.add(first - started_ms);
      this.e2e.add(last - started_ms);
      for (let at = 1; at < chunks.length; at++) this.itl.add((chunks[at] ?? 0) - (chunks[at - 1] ?? 0));
    }
  }
}
