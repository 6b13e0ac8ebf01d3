const secondsPerHour = 3600;

/** Price of the GPUs and their output. */
export interface CostFacts {
  /** Dollars per GPU-hour. */
  usdPerGpuHour: number;
  gpuCount: number;
  /** Output tokens per second of all GPUs together. */
  outputTokS: number;
}

/**
 * Dollars per million output tokens: price x GPUs / (tokens per second x 3600) x 1e6. Show the price with the result. Null
 * if the output rate is 0.
 */
export function usdPerMtokOutput({ usdPerGpuHour, gpuCount, outputTokS }: CostFacts): number | null {
  if (!(outputTokS > 0)) return null;
  return ((usdPerGpuHour * gpuCount) / (outputTokS * secondsPerHour)) * 1e6;
}
