import { type Check, figure, type Severity } from '../check.ts';

/** A time limit is planned; the other reasons are failures. */
const reasons: Record<string, { severity: Severity; words: string }> = {
  time_limit: { severity: 'info', words: 'The time limit ended the measurement' },
  failures: { severity: 'warning', words: 'Consecutive failed requests ended the measurement' },
  canceled: { severity: 'warning', words: 'The measurement was canceled' },
  stopped: { severity: 'warning', words: 'The process that measured it was stopped' },
};

export const r9CutShort: Check = {
  id: 'R9',
  code: 'cut_short',
  title: 'The measurement was completed',
  rule:
    'A measurement that sent fewer requests than planned is partial: its figures cover only its beginning. A time limit gives an info; a cancellation, a stopped process or consecutive failures give a warning. ' +
    'Only reports that state this are checked.',
  check({ result: { extra } }) {
    const { cut_short: reason, requests_planned: planned } = extra;
    const known = typeof reason === 'string' ? reasons[reason] : undefined;
    if (known === undefined) return 'not_applicable';
    return [
      {
        severity: known.severity,
        message: `${known.words} before ${figure(Number(planned))} requests were sent: the figures cover only a part of it.`,
        evidence: { requests_planned: Number(planned) },
      },
    ];
  },
};
