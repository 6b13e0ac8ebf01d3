/** Closed list of why no length could be found at all. */
export const calibrationFaults = ['count_invalid', 'counts_exhausted', 'prompt_cut', 'too_short'] as const;
export type CalibrationFault = (typeof calibrationFaults)[number];

/** A prompt of the asked length cannot be made, and why. Errors of the counting itself pass through as they are. */
export class CalibrationError extends Error {
  readonly code: CalibrationFault;
  /** The shortest possible prompt; null where the length is not the fault. */
  readonly leastTokens: number | null;

  constructor(code: CalibrationFault, message: string, leastTokens: number | null = null) {
    super(message);
    this.name = 'CalibrationError';
    this.code = code;
    this.leastTokens = leastTokens;
  }
}
