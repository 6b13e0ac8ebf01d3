import type { Finding } from '../checks/check.ts';
import { frontierCode } from '../claims/frontier.ts';
import { upheldCode } from '../concerns.ts';

/** A changed part of a result after parsing it again. Null: there was, or is, no value. */
export interface Change {
  field: string;
  old: unknown;
  new: unknown;
}

/** Codes of findings about events after submission. Parsing the artifact again does not produce them, so they are kept. */
export const eventFindingCodes: readonly string[] = ['reviewed', 're_derived', upheldCode, frontierCode];

const isFigure = (value: unknown) => value === null || typeof value !== 'object';

/** Maximum values listed in a sentence; it also states how many more there are. */
const reportedMax = 3;

/** Builds the finding that a release parsed a result again, with the previous values. */
export function rederivedFinding(pass: { id: string; release: string }, changes: readonly Change[]): Finding {
  const figures = changes.filter((change) => isFigure(change.old) && isFigure(change.new));
  const others = changes.filter((change) => !figures.includes(change));
  const format = (value: unknown) => (value === null ? 'missing' : String(value));
  const parts = [
    ...figures
      .slice(0, reportedMax)
      .map(({ field, old, new: now }) => `${field} was ${format(old)} and is ${format(now)}`),
    ...(figures.length > reportedMax ? [`${figures.length - reportedMax} more figures changed`] : []),
    ...(others.length > 0 ? [`${others.map(({ field }) => field).join(' and ')} changed`] : []),
  ];
  return {
    code: 're_derived',
    severity: 'info',
    message: `Release ${pass.release} parsed the artifact again: ${parts.join(', ')}. The previous figures are kept.`,
    evidence: {
      rederivation: pass.id,
      release: pass.release,
      changed: Object.fromEntries(figures.map(({ field, old, new: now }) => [field, [old, now]])),
      ...(others.length === 0 ? {} : { also_changed: others.map(({ field }) => field) }),
    },
  };
}
