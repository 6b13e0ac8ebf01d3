import type { Result } from '../result.ts';

export type Severity = 'info' | 'warning' | 'violation' | 'unchecked';

/**
 * A doubt about a result, in figures and in one plain sentence. `violation`: it cannot be true; `warning`: it should
 * be looked at; `info`: worth knowing; `unchecked`: the check lacked the inputs that `evidence.missing` names.
 */
export interface Finding {
  code: string;
  severity: Severity;
  message: string;
  evidence: Record<string, unknown>;
}

/** What a check says; it answers nothing (an empty list) only when it ran and had no doubt. */
export type Verdict = Omit<Finding, 'code'>;

/** One rule, one file. `id` is its number in the methodology, `code` what findings carry. */
export interface Check {
  id: string;
  code: string;
  title: string;
  check(result: Result): Verdict[];
}

/** A check that could not run, and what it would have needed. */
export function unchecked(title: string, missing: string[]): Verdict[] {
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
  return a - b > roundingOf(a) + roundingOf(b) + 1e-9 * Math.max(Math.abs(a), Math.abs(b));
}

/** Four significant digits, for sentences. */
export function figure(value: number): string {
  return Math.abs(value) >= 1000 ? String(Math.round(value)) : String(Number(value.toPrecision(4)));
}
