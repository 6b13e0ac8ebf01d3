import { type Finding, figure } from '../checks/check.ts';
import { judge } from '../checks/index.ts';
import type { Fault } from '../errors.ts';
import type { CheckedResult } from '../subjects/result.ts';
import type { Subject } from '../subjects/subject.ts';

/** More GPUs than any published result of one model. A claim beyond them is not explained by the count. */
const countMost = 1024;

/** True if the GPU count was not stated and one was assumed. */
function isAssumed({ kind, system, findings }: CheckedResult): boolean {
  return kind === 'serving' && (system.gpuCount === null || findings.some(({ code }) => code === 'gpu_count_assumed'));
}

const violations = (findings: readonly Finding[]) => findings.filter(({ severity }) => severity === 'violation');
const checkOf = ({ evidence }: Finding) => evidence.check;
const ratioOf = ({ evidence }: Finding) => (typeof evidence.ratio === 'number' ? evidence.ratio : 1);

/** The violations of a result that more GPUs would resolve. */
function blamedOnCount({ result, ...others }: Subject, checked: CheckedResult): Finding[] {
  const found = isAssumed(checked) ? violations(checked.findings) : [];
  if (found.length === 0) return [];
  const system = { ...result.system, gpuCount: countMost };
  const left = new Set(violations(judge({ ...others, result: { ...result, system } }).findings).map(checkOf));
  return found.filter((finding) => !left.has(checkOf(finding)));
}

/**
 * Our assumption must not cause a violation. If one GPU is too few only because we assumed one, requests the number of GPUs.
 * One fault per artifact, for the figure that needs the most GPUs.
 */
export function countFaults(subjects: readonly Subject[], results: readonly CheckedResult[]): Fault[] {
  let most: { finding: Finding; line: number } | null = null;
  for (const [index, subject] of subjects.entries()) {
    const checked = results[index];
    if (checked === undefined) continue;
    for (const finding of blamedOnCount(subject, checked))
      if (most === null || ratioOf(finding) > ratioOf(most.finding)) most = { finding, line: checked.lines.from };
  }
  if (most === null) return [];
  const { finding, line } = most;
  return [
    {
      code: 'gpu_count_needed',
      parameter: 'gpu_count',
      ...(results.length > 1 ? { line } : {}),
      message: `No number of GPUs was given, and one GPU is not enough: ${finding.message}`,
      hint: `Pass gpu_count: ${figure(Math.ceil(ratioOf(finding)))} GPUs or more are enough. With gpu_count=1, the result is stored but held for review.`,
    },
  ];
}
