import type { Metrics, Repeats } from '@inferboard/core/adapters/adapter';
import type { CheckedResult, ResultStatus, Trust } from '@inferboard/core/subjects/result';

/** Identifies a result and its account. */
export interface ContributionPlace {
  id: string;
  pointId: number;
  account: string;
}

/** The fields of a result that enter the statistics of its point. */
export interface Contribution extends ContributionPlace {
  status: ResultStatus;
  tool: string;
  /** The trust before other accounts' results are considered. */
  ownTrust: Trust;
  definitions: Record<string, string>;
  derived: readonly string[];
  repeats: { n: number | null; sd: Repeats['sd'] | null; samples: Repeats['samples'] } | null;
  /** The values; each metric is in one of them only. */
  values: readonly Metrics[];
}

/** Converts a result for the statistics of its point without storing it first. */
export function toContribution(result: CheckedResult, place: ContributionPlace): Contribution {
  const { definitions, repeats, status, trust, tool } = result;
  return {
    ...place,
    status,
    tool: tool.name,
    ownTrust: trust,
    definitions,
    derived: Object.keys(result.derived),
    repeats,
    values: [result.derived, result.metrics],
  };
}
