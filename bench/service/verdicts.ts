/** A limit that is measured in the same run. */
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
  /** Null for a figure without a limit. */
  bar: { side: 'at least' | 'at most'; value: number } | null;
  bare: Bare | null;
  verdict: 'held' | 'missed' | 'no bar';
}

/** A figure that is about to be compared with its limit. */
export interface Figure {
  name: string;
  value: number;
  unit: string;
  bare?: Bare | null;
}

export interface Verdicts {
  readonly all: readonly Verdict[];
  /** Starts a Show; the following figures belong to it. */
  show(number: number, title: string): void;
  atLeast(least: number, figure: Figure): void;
  atMost(most: number, figure: Figure): void;
  /** Prints a figure without a limit. */
  print(figure: Figure): void;
}

/** Formats a number with enough digits for a comparison. */
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
 * Compares figures with their limits and prints each at once. A figure that could not be measured (NaN) misses its limit.
 *
 * @param print receives one line
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
    print: (figure) => add(figure, null, 'no bar'),
  };
}
