const secondsPerHour = 3600;

/** What was paid for the GPUs, and what they gave. */
export interface CostFacts {
  /** Dollars for one GPU and hour. */
  usdPerGpuHour: number;
  gpuCount: number;
  /** Output tokens per second of all GPUs together. */
  outputTokS: number;
}

/**
 * Dollars per million output tokens: price x GPUs / (tokens per second x 3600) x 1e6. The price
 * belongs beside the answer. Null where nothing was put out.
 */
export function usdPerMtokOutput({ usdPerGpuHour, gpuCount, outputTokS }: CostFacts): number | null {
  if (!(outputTokS > 0)) return null;
  return ((usdPerGpuHour * gpuCount) / (outputTokS * secondsPerHour)) * 1e6;
}
