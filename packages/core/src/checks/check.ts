import type { Subject } from '../subjects/subject.ts';

export type Severity = 'info' | 'warning' | 'violation' | 'unchecked';

/**
 * A finding about a result: its figures and one plain sentence. `violation`: it cannot be true; `warning`: it needs a look;
 * `info`: worth knowing; `unchecked`: the check lacked the inputs that `evidence.missing` names.
 */
export interface Finding {
  code: string;
  severity: Severity;
  message: string;
  /** Figures behind the sentence; `check` is the id of the rule. */
  evidence: Record<string, unknown>;
}

/** One finding of a check. It has a code only if that differs from the check's code. */
export type Doubt = Omit<Finding, 'code'> & { code?: string };

/**
 * The outcome of a check: `pass` if it ran without findings; `not_applicable` if the result makes no claim that it checks;
 * else its findings, at least one. A claim with missing inputs is `unchecked`, never a pass.
 */
export type Answer = 'pass' | 'not_applicable' | readonly Doubt[];

/** One rule, one file. */
export interface Check {
  /** Its number in the methodology, such as A2 or P3. */
  id: string;
  /** Code of its findings unless a finding overrides it. */
  code: string;
  /** The rule as a statement that holds for an honest result: "Percentiles do not decrease". */
  title: string;
  /** The rule in full, for the methodology: formula, tolerance, what it needs, what follows. */
  rule: string;
  check(subject: Subject): Answer;
}

/** Returns the outcome of a check that collects a finding for each wrong claim of a result. */
export function answer(doubts: readonly Doubt[]): Answer {
  return doubts.length === 0 ? 'pass' : doubts;
}

/** Returns the outcome of a check that could not run, with its missing inputs. */
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
 * Half a unit of the last written digit: the maximum rounding error of a printed figure. Parsing loses trailing zeros, so
 * this overestimates the error.
 */
export function roundingOf(value: number): number {
  const text = String(value);
  const exponent = text.indexOf('e');
  if (exponent >= 0) return Math.abs(value) * 1e-6;
  const point = text.indexOf('.');
  return 0.5 * 10 ** -(point < 0 ? 0 : text.length - point - 1);
}

/** True if `a` exceeds `b` by more than the rounding of both and floating-point error. */
export function isAbove(a: number, b: number): boolean {
  return a > b && a - b > roundingOf(a) + roundingOf(b) + 1e-9 * Math.max(Math.abs(a), Math.abs(b));
}

/** Formats four significant digits, for sentences. */
export function figure(value: number): string {
  return Math.abs(value) >= 1000 ? String(Math.round(value)) : String(Number(value.toPrecision(4)));
}
