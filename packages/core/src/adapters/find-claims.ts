import { DomainError, type Fault } from '../errors.ts';
import type { Adapter, Claim } from './adapter.ts';
import type { ArtifactText } from './reading/text/artifact-text.ts';

/**
 * Claims in order of lines. Log lines count only if the artifact has no report. Lines that two adapters claim are
 * rejected as ambiguous.
 */
export function findClaims(artifact: ArtifactText, asked: readonly Adapter[]): { adapter: Adapter; claim: Claim }[] {
  const all = asked.flatMap((adapter) => adapter.detect(artifact).map((claim) => ({ adapter, claim })));
  const reports = all.filter(({ adapter }) => !adapter.yields);
  const claims = (reports.length > 0 ? reports : all).sort(
    (a, b) => a.claim.from - b.claim.from || a.claim.to - b.claim.to || (a.adapter.id < b.adapter.id ? -1 : 1),
  );
  let widest = claims[0];
  for (const current of claims.slice(1)) {
    if (widest !== undefined && widest.adapter !== current.adapter && current.claim.from <= widest.claim.to) {
      const names = [widest.adapter.title, current.adapter.title].sort().join(' and ');
      const message = `Line ${current.claim.from} matches both ${names}.`;
      const fault: Fault = {
        code: 'tool_ambiguous',
        line: current.claim.from,
        message,
        hint: 'Choose one with tool=.',
      };
      throw new DomainError('tool_unrecognised', message, [fault]);
    }
    if (widest === undefined || current.claim.to > widest.claim.to) widest = current;
  }
  return claims;
}
