import { checks } from '@inferboard/core/checks/index';
import type { Finding, Result } from '../../../lib/api.ts';
import { severityOrder } from '../../../lib/words.ts';

export interface FindingGroup {
  finding: Finding;
  /** Number of affected results. */
  count: number;
  links: { href: string; text: string }[];
}

const linksMax = 8;

/** Findings in words, without duplicates, each with the affected results; the most severe first. */
export function groupFindings(
  results: readonly Result[],
  linkOf: (result: Result) => { href: string; text: string },
): FindingGroup[] {
  const raised = results.flatMap((result) => result.findings.map((finding) => ({ finding, result })));
  const groups = Map.groupBy(raised, ({ finding }) => `${finding.severity} ${finding.code} ${finding.message}`);
  return [...groups.values()]
    .flatMap((list) => {
      const [first] = list;
      if (first === undefined) return [];
      const about = list.map(({ result }) => result);
      const links = about.slice(0, linksMax).map(linkOf);
      return [{ finding: first.finding, count: list.length, links }];
    })
    .toSorted(
      (a, b) =>
        severityOrder.indexOf(a.finding.severity) - severityOrder.indexOf(b.finding.severity) || b.count - a.count,
    );
}

/** A rule of the methodology that some results were checked against and passed. */
export interface PassedRule {
  id: string;
  title: string;
  /** Number of results that passed. */
  count: number;
}

/** The rules that results passed, in the methodology's order. */
export function passedRules(results: readonly Result[]): PassedRule[] {
  return checks.flatMap(({ id, title }) => {
    const count = results.filter(({ passed }) => passed.includes(id)).length;
    return count === 0 ? [] : [{ id, title, count }];
  });
}
