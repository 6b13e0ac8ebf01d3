import { type Check, figure, type Severity } from './check.ts';

/** A limit of time is part of a plan; the others are an accident. */
const reasons: Record<string, { severity: Severity; words: string }> = {
  time_limit: { severity: 'info', words: 'The time limit ended the measurement' },
  failures: { severity: 'warning', words: 'Requests that failed one after the other ended the measurement' },
  canceled: { severity: 'warning', words: 'It was canceled' },
};

export const r9CutShort: Check = {
  id: 'R9',
  code: 'cut_short',
  title: 'The measurement ran to its end',
  rule:
    'A measurement that sent fewer requests than it planned is partial: its figures are those of its beginning. A limit of time gives an info, a cancellation or failures in a row a warning. ' +
    'Only reports that say so are looked at.',
  check({ result: { extra } }) {
    const { cut_short: reason, requests_planned: planned } = extra;
    const known = typeof reason === 'string' ? reasons[reason] : undefined;
    if (known === undefined) return 'not_applicable';
    return [
      {
        severity: known.severity,
        message: `${known.words} before ${figure(Number(planned))} requests were sent: the figures are those of a part.`,
        evidence: { requests_planned: Number(planned) },
      },
    ];
  },
};
