/** How much repetitions scatter. The bounds are Inferboard's own, not a standard's. */
export type Stability = 'tight' | 'normal' | 'noisy' | 'unstable';

/** Largest coefficient of variation (a fraction) for each label, narrowest first. */
export const stabilityBounds: readonly { label: Stability; cv: number }[] = [
  { label: 'tight', cv: 0.01 },
  { label: 'normal', cv: 0.03 },
  { label: 'noisy', cv: 0.1 },
];

/** The label of a coefficient of variation; null where there is none. */
export function stabilityOf(cv: number | null): Stability | null {
  if (cv === null) return null;
  return stabilityBounds.find((bound) => cv <= bound.cv)?.label ?? 'unstable';
}
