import { checks } from '@inferboard/core/checks/index';
import type { Finding, Result } from '../../../lib/api.ts';
import { messageForm } from '../../../lib/message-form.ts';
import { severityOrder } from '../../../lib/words.ts';

/** One finding, and the results it is about. */
export interface StatedFinding {
  finding: Finding;
  /** Number of affected results. */
  count: number;
  links: { href: string; text: string }[];
}

export interface FindingGroup extends StatedFinding {
  /** Findings that differ from it in numbers only: the first ones. */
  similar: StatedFinding[];
  /** Number of further ones. */
  unlisted: number;
}

const [linksMax, similarMax] = [8, 20];

type Raised = { finding: Finding; result: Result };

function toStated(list: readonly Raised[], linkOf: (result: Result) => { href: string; text: string }) {
  const [first] = list;
  if (first === undefined) return [];
  const links = list.slice(0, linksMax).map(({ result }) => linkOf(result));
  return [{ finding: first.finding, count: list.length, links }];
}

/**
 * Findings in words, without duplicates, each with the affected results; the most severe first. Findings that differ in numbers
 * only are one group.
 */
export function groupFindings(
  results: readonly Result[],
  linkOf: (result: Result) => { href: string; text: string },
): FindingGroup[] {
  const raised = results.flatMap((result) => result.findings.map((finding) => ({ finding, result })));
  const kinds = Map.groupBy(
    raised,
    ({ finding }) => `${finding.severity} ${finding.code} ${messageForm(finding.message)}`,
  );
  return [...kinds.values()]
    .flatMap((kind): FindingGroup[] => {
      const messages = Map.groupBy(kind, ({ finding }) => finding.message);
      const [first, ...similar] = [...messages.values()]
        .flatMap((list) => toStated(list, linkOf))
        .toSorted((a, b) => b.count - a.count);
      if (first === undefined) return [];
      const unlisted = Math.max(0, similar.length - similarMax);
      return [{ ...first, similar: similar.slice(0, similarMax), unlisted }];
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
