import { type Answer, figure } from './check.ts';

/** Datasheets round, boards are overclocked, and one step may be a lucky one: what a ratio of claim to bound means. */
const nearFrom = 0.92;
const atFrom = 1;
const aboveFrom = 1.15;

/** A claim against what the hardware allows. Its words are made where there is something to say. */
export interface Claim {
  /** "400 tok/s per user". */
  stated: () => string;
  /** Ends the sentence "... would need": "6.0 TB/s; one H100 SXM has 3.35 TB/s". */
  needs: () => string;
  claimed: number;
  bound: number;
  /** False where the bound rests on one source: then nobody is accused. */
  isCertain: boolean;
  /** Share of the bound from which a claim is doubted, where that is less than all of it. */
  doubtFrom?: number;
  evidence: Record<string, unknown>;
}

/** Passes up to 0.92 of the bound; near it is an info, up to 1.15 times of it a warning, beyond a violation. */
export function judgeClaim({ stated, needs, claimed, bound, isCertain, doubtFrom = atFrom, evidence }: Claim): Answer {
  const ratio = claimed / bound;
  if (ratio <= nearFrom) return 'pass';
  const told = { claimed, bound, ratio, ...evidence };
  const share = `${figure(ratio * 100)} % of what the hardware allows at best`;
  const message = `${stated()} would need ${needs()}: ${share}.`;
  if (ratio <= doubtFrom) return [{ code: 'near_roofline', severity: 'info', message, evidence: told }];
  const code = ratio <= aboveFrom ? 'at_roofline' : 'above_roofline';
  const severity = ratio > aboveFrom && isCertain ? 'violation' : 'warning';
  return [{ code, severity, message, evidence: told }];
}

/** Bytes per second as people say them: "3.35 TB/s", "68.25 GB/s". */
export function bandwidthText(bytesPerSecond: number): string {
  return bytesPerSecond >= 1e12 ? `${figure(bytesPerSecond / 1e12)} TB/s` : `${figure(bytesPerSecond / 1e9)} GB/s`;
}

/** Operations per second: "989 TFLOP/s". */
export const flopsText = (flops: number): string => `${figure(flops / 1e12)} TFLOP/s`;

/** "one NVIDIA H100 SXM has", "4 x NVIDIA H100 SXM have"; other verbs likewise. */
export function gpusText(
  count: number,
  name: string,
  [one, many]: readonly [string, string] = ['has', 'have'],
): string {
  return count === 1 ? `one ${name} ${one}` : `${figure(count)} x ${name} ${many}`;
}
