/** Scatter of repetitions as a label. The bounds are Inferboard's, not a standard's. */
export type Stability = 'tight' | 'normal' | 'noisy' | 'unstable';

/** Maximum coefficient of variation (a fraction) for each label, narrowest first. */
export const stabilityBounds: readonly { label: Stability; cv: number }[] = [
  { label: 'tight', cv: 0.01 },
  { label: 'normal', cv: 0.03 },
  { label: 'noisy', cv: 0.1 },
];

/** Returns the label of a coefficient of variation; null without one. */
export function stabilityOf(cv: number | null): Stability | null {
  if (cv === null) return null;
  return stabilityBounds.find((bound) => cv <= bound.cv)?.label ?? 'unstable';
}
