import type { Finding } from '../checks/check.ts';
import { frontierCode } from '../claims/frontier.ts';
import { upheldCode } from '../concerns.ts';

/** What of a result is another after it was read again. Null: there was, or is, no value. */
export interface Change {
  field: string;
  old: unknown;
  new: unknown;
}

/**
 * Codes of findings that tell what became of a result since it was sent. Reading its artifact again does not give them, so
 * they stay.
 */
export const lastingCodes: readonly string[] = ['reviewed', 're_derived', upheldCode, frontierCode];

const isFigure = (value: unknown) => value === null || typeof value !== 'object';

/** Values of a sentence: how many there are more is told. */
const toldMax = 3;

/** Tells readers of a result that it was read again, by which release, and what was another before. */
export function rederivedFinding(pass: { id: string; release: string }, changes: readonly Change[]): Finding {
  const figures = changes.filter((change) => isFigure(change.old) && isFigure(change.new));
  const others = changes.filter((change) => !figures.includes(change));
  const tell = (value: unknown) => (value === null ? 'missing' : String(value));
  const told = [
    ...figures.slice(0, toldMax).map(({ field, old, new: now }) => `${field} was ${tell(old)} and is ${tell(now)}`),
    ...(figures.length > toldMax ? [`${figures.length - toldMax} more figures changed`] : []),
    ...(others.length > 0 ? [`${others.map(({ field }) => field).join(' and ')} changed`] : []),
  ];
  return {
    code: 're_derived',
    severity: 'info',
    message: `Release ${pass.release} read the artifact again: ${told.join(', ')}. The figures from before are kept.`,
    evidence: {
      rederivation: pass.id,
      release: pass.release,
      changed: Object.fromEntries(figures.map(({ field, old, new: now }) => [field, [old, now]])),
      ...(others.length === 0 ? {} : { also_changed: others.map(({ field }) => field) }),
    },
  };
}
