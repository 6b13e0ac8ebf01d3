/** A figure that a bar is compared with in the same run. */
export interface Bare {
  name: string;
  value: number;
  unit: string;
}

/** One figure of a run. */
export interface Verdict {
  show: number;
  name: string;
  value: number;
  unit: string;
  /** Null for a figure without a bar. */
  bar: { side: 'at least' | 'at most'; value: number } | null;
  bare: Bare | null;
  verdict: 'held' | 'missed' | 'no bar';
}

/** A figure on its way to its bar. */
export interface Figure {
  name: string;
  value: number;
  unit: string;
  bare?: Bare | null;
}

export interface Verdicts {
  readonly all: readonly Verdict[];
  /** Announces a Show; the figures that follow belong to it. */
  show(number: number, title: string): void;
  atLeast(least: number, figure: Figure): void;
  atMost(most: number, figure: Figure): void;
  /** Prints a figure that has no bar. */
  tell(figure: Figure): void;
}

/** A number with as many digits as people compare. */
export function formatNumber(value: number): string {
  if (Number.isNaN(value)) return 'not measured';
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en-US', { maximumFractionDigits: digits });
}

const withUnit = (value: number, unit: string) => `${formatNumber(value)}${unit === '' ? '' : ` ${unit}`}`;

/** One verdict as a line. */
export function formatVerdict({ name, value, unit, bar, bare, verdict }: Verdict): string {
  const limit = bar === null ? '' : `${bar.side} ${withUnit(bar.value, unit)}`;
  const beside = bare === null ? '' : `bare ${withUnit(bare.value, bare.unit)} (${bare.name})`;
  const word = verdict === 'no bar' ? '' : verdict;
  const columns = [word.padEnd(7), name.padEnd(60), withUnit(value, unit).padStart(14), limit.padEnd(22), beside];
  return `  ${columns.join('  ').trimEnd()}`;
}

/**
 * Judges figures and prints each as it comes. A figure that could not be measured (NaN) misses its bar.
 *
 * @param print takes one line
 */
export function createVerdicts(print: (line: string) => void): Verdicts {
  const all: Verdict[] = [];
  let current = 0;
  const add = (figure: Figure, bar: Verdict['bar'], verdict: Verdict['verdict']) => {
    const line: Verdict = { show: current, bare: null, ...figure, bar, verdict };
    all.push(line);
    print(formatVerdict(line));
  };
  return {
    all,
    show: (number, title) => {
      current = number;
      print(`\nShow ${number}: ${title}`);
    },
    atLeast: (least, figure) =>
      add(figure, { side: 'at least', value: least }, figure.value >= least ? 'held' : 'missed'),
    atMost: (most, figure) => add(figure, { side: 'at most', value: most }, figure.value <= most ? 'held' : 'missed'),
    tell: (figure) => add(figure, null, 'no bar'),
  };
}
