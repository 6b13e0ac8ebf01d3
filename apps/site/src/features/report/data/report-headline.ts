import {
  basisText,
  figureText,
  makingWords,
  placeText,
  type Report,
  type ReportFigure,
  type SafeQueue,
  significant,
  sourceOf,
} from './report-figures.ts';

/** One of the headline metrics of a system. */
export interface HeadlineFigure {
  label: string;
  /** Glossary entry. */
  term: string;
  /** Null without a measurement; `place` then states what is missing. */
  value: string | null;
  unit: string;
  place: string;
  /** "n 3, 95 % 171.2 to 173.8 tok/s". */
  basis: string | null;
  href: string | null;
}

/** Splits a text into its number and its unit: "172.5" and "tok/s". */
function split(text: string): [string, string] {
  const at = text.indexOf(' ');
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

function intervalText({ ci95, metric, value }: ReportFigure): string | null {
  if (ci95 === null) return null;
  // The interval uses the unit of the value.
  const [low, high] = ci95.map((end) => split(figureText({ metric, value: end })));
  const [, unit] = split(figureText({ metric, value }));
  if (low === undefined || high === undefined || low[1] !== unit || high[1] !== unit) return null;
  return `95 % ${low[0]} to ${high[0]}`;
}

function ofFigure(label: string, term: string, figure: ReportFigure | null, missing: string): HeadlineFigure {
  if (figure === null) return { label, term, value: null, unit: '', place: missing, basis: null, href: null };
  const [value, unit] = split(figureText(figure));
  const formula = makingWords(figure);
  return {
    label,
    term,
    value,
    unit,
    place: placeText(figure),
    basis: [basisText(figure.n), intervalText(figure), formula].filter((part) => part !== null).join(', '),
    href: sourceOf(figure),
  };
}

/** How a safe queue was determined, in a few words. */
export function boundWords({ bound, depths }: SafeQueue): string {
  if (bound === 'at_least') return `the deepest of ${depths} measured`;
  if (bound === 'below') return 'the smallest measured burst exceeds the limit';
  return `estimated from ${depths} depths`;
}

/** ">= 256" in print: "≥ 256". */
export const queueText = ({ text }: SafeQueue): string => {
  const [, sign = '', digits = text] = /^([<>]=?)?\s*(\d+)$/.exec(text) ?? [];
  const shown = /^\d+$/.test(digits) ? significant(Number(digits), 6) : digits;
  return sign === '' ? shown : `${sign.replace('>=', '≥').replace('<=', '≤')} ${shown}`;
};

export const limitText = (seconds: number): string => `${Number.isInteger(seconds) ? seconds.toFixed(1) : seconds} s`;

function ofQueue(queue: SafeQueue | null, limitS: number): HeadlineFigure {
  const [label, term] = ['Max safe queue', 'max_safe_queue'];
  if (queue === null) {
    return {
      label,
      term,
      value: null,
      unit: '',
      place: 'no burst stays within the limit, or none was measured',
      basis: null,
      href: null,
    };
  }
  return {
    label,
    term,
    value: queueText(queue),
    unit: queue.answer === 1 ? 'request' : 'requests',
    place: `${queue.scenario.title}, TTFT up to ${limitText(limitS)}`,
    basis: `${boundWords(queue)}, ${basisText(queue.n)}`,
    href: '#safe-queue',
  };
}

/** The headline of a report; missing values keep their position. */
export function toHeadline({ headline, ttft_limit_s }: Report): HeadlineFigure[] {
  const { peak_decode_speed, max_decode_throughput, max_output_throughput, best_ttft, max_safe_queue } = headline;
  return [
    ofFigure('Peak decode speed', 'user_tok_s', peak_decode_speed, 'no measurement with a single user'),
    ofFigure('Max decode throughput', 'decode_tok_s', max_decode_throughput, 'no decode speed was measured'),
    // The client's types of these two also allow any other properties.
    ofFigure('Max output throughput', 'output_tok_s', max_output_throughput, 'no full run was measured'),
    ofFigure('Best TTFT', 'ttft_ms', best_ttft, 'no TTFT was measured'),
    ofQueue(max_safe_queue, ttft_limit_s),
  ];
}
