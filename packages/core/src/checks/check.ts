import type { Subject } from '../subject.ts';

export type Severity = 'info' | 'warning' | 'violation' | 'unchecked';

/**
 * A doubt about a result, in figures and in one plain sentence. `violation`: it cannot be true; `warning`: it should
 * be looked at; `info`: worth knowing; `unchecked`: the check lacked the inputs that `evidence.missing` names.
 */
export interface Finding {
  code: string;
  severity: Severity;
  message: string;
  /** Figures behind the sentence; `check` is the id of the rule that spoke. */
  evidence: Record<string, unknown>;
}

/** One doubt of a check; it carries a code only where it is not the check's own. */
export type Doubt = Omit<Finding, 'code'> & { code?: string };

/**
 * What a check answers: `pass`, it ran and had no doubt; `not_applicable`, the result claims nothing that it judges;
 * or its doubts, at least one. A claim it cannot judge for want of inputs is `unchecked`, never a pass.
 */
export type Answer = 'pass' | 'not_applicable' | readonly Doubt[];

/** One rule, one file. */
export interface Check {
  /** Its number in the methodology: A2, P3. */
  id: string;
  /** What its findings carry unless a doubt says otherwise. */
  code: string;
  /** The rule as a statement that holds for an honest result: "Percentiles do not decrease". */
  title: string;
  /** The rule in full, for the methodology: formula, tolerance, what it needs, what follows. */
  rule: string;
  check(subject: Subject): Answer;
}

/** The answer of a check that asked each claim of a result and collected what is wrong. */
export function answer(doubts: readonly Doubt[]): Answer {
  return doubts.length === 0 ? 'pass' : doubts;
}

/** A check that could not run, and what it would have needed. */
export function unchecked(title: string, missing: string[]): readonly Doubt[] {
  return [
    {
      severity: 'unchecked',
      message: `${title}: not checked, ${missing.join(' and ')} not given.`,
      evidence: { missing },
    },
  ];
}

/**
 * Half a unit of the last written digit: how far a printed figure may be from the true one. Trailing zeros are lost
 * in parsing, so this errs on the lenient side.
 */
export function roundingOf(value: number): number {
  const text = String(value);
  const exponent = text.indexOf('e');
  if (exponent >= 0) return Math.abs(value) * 1e-6;
  const point = text.indexOf('.');
  return 0.5 * 10 ** -(point < 0 ? 0 : text.length - point - 1);
}

/** True if one figure is above another by more than the rounding of both, and the last bits of a double, explain. */
export function isAbove(a: number, b: number): boolean {
  return a > b && a - b > roundingOf(a) + roundingOf(b) + 1e-9 * Math.max(Math.abs(a), Math.abs(b));
}

/** Four significant digits, for sentences. */
export function figure(value: number): string {
  return Math.abs(value) >= 1000 ? String(Math.round(value)) : String(Number(value.toPrecision(4)));
}
