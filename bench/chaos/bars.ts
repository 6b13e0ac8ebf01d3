/** Figures of a run, with their limits. */
export interface Bars {
  /** Only printed. */
  print(name: string, value: number | string, unit?: string): void;
  atMost(name: string, value: number, most: number, unit?: string): void;
  atLeast(name: string, value: number, least: number, unit?: string): void;
  /** Sets the exit code: 1 if a limit is missed. */
  close(): void;
}

const shown = (value: number | string) =>
  typeof value === 'string' ? value : String(Number.isInteger(value) ? value : Number(value.toFixed(2)));

/** Prints figures as they arrive. NaN misses every limit, because it was not measured. */
export function createBars(): Bars {
  let missed = 0;
  const line = (word: string, name: string, value: number | string, unit: string, bar = '') =>
    console.log(`  ${word.padEnd(9)}${name.padEnd(64)}${`${shown(value)} ${unit}`.trim().padStart(14)}${bar}`);
  const judge = (isHeld: boolean, name: string, value: number, unit: string, bar: string) => {
    if (!isHeld) missed += 1;
    line(isHeld ? 'held' : 'NOT held', name, value, unit, `   ${bar}`);
  };
  return {
    print: (name, value, unit = '') => line('', name, value, unit),
    atMost: (name, value, most, unit = '') => judge(value <= most, name, value, unit, `at most ${most}`),
    atLeast: (name, value, least, unit = '') => judge(value >= least, name, value, unit, `at least ${least}`),
    close: () => {
      console.log(missed === 0 ? 'every bar is held' : `${missed} missed`);
      if (missed > 0) process.exitCode = 1;
    },
  };
}

/** Quantile of unsorted values; NaN if empty. */
export const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN;

/** The maximum; 0 if empty. */
export const greatest = (values: readonly number[]): number => values.reduce((most, value) => Math.max(most, value), 0);
