import { type Answer, figure } from '../check.ts';

/** Thresholds for the ratio of claim to bound. Datasheets round, boards are overclocked, and single steps vary. */
const nearFrom = 0.92;
const atFrom = 1;
const aboveFrom = 1.15;

/** A claim and its hardware bound. The texts are functions because they are built only for findings. */
export interface Claim {
  /** For example "400 tok/s per user". */
  stated: () => string;
  /** Ends the sentence "... would need": "6.0 TB/s; one H100 SXM has 3.35 TB/s". */
  needs: () => string;
  claimed: number;
  bound: number;
  /** False if the bound depends on one source; then there is no violation. */
  isCertain: boolean;
  /** Share of the bound above which a claim gets a warning, if below 1. */
  doubtFrom?: number;
  evidence: Record<string, unknown>;
}

/**
 * Passes up to 0.92 of the bound. Near the bound is an info, up to 1.15 times the bound a warning, above that a violation.
 */
export function judgeClaim({ stated, needs, claimed, bound, isCertain, doubtFrom = atFrom, evidence }: Claim): Answer {
  const ratio = claimed / bound;
  if (ratio <= nearFrom) return 'pass';
  const figures = { claimed, bound, ratio, ...evidence };
  const share = `${figure(ratio * 100)} % of the hardware limit`;
  const message = `${stated()} would need ${needs()}: ${share}.`;
  if (ratio <= doubtFrom) return [{ code: 'near_roofline', severity: 'info', message, evidence: figures }];
  const code = ratio <= aboveFrom ? 'at_roofline' : 'above_roofline';
  const severity = ratio > aboveFrom && isCertain ? 'violation' : 'warning';
  return [{ code, severity, message, evidence: figures }];
}

/** Formats bytes per second: "3.35 TB/s", "68.25 GB/s". */
export function bandwidthText(bytesPerSecond: number): string {
  return bytesPerSecond >= 1e12 ? `${figure(bytesPerSecond / 1e12)} TB/s` : `${figure(bytesPerSecond / 1e9)} GB/s`;
}

/** Formats operations per second: "989 TFLOP/s". */
export const flopsText = (flops: number): string => `${figure(flops / 1e12)} TFLOP/s`;

/** "one NVIDIA H100 SXM has", "4 x NVIDIA H100 SXM have"; other verbs follow the same pattern. */
export function gpusText(
  count: number,
  name: string,
  [one, many]: readonly [string, string] = ['has', 'have'],
): string {
  return count === 1 ? `one ${name} ${one}` : `${figure(count)} x ${name} ${many}`;
}
