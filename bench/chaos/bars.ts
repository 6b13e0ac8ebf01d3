/** What a run found, each figure beside what it may be. */
export interface Bars {
  /** Only told. */
  tell(name: string, value: number | string, unit?: string): void;
  atMost(name: string, value: number, most: number, unit?: string): void;
  atLeast(name: string, value: number, least: number, unit?: string): void;
  /** Sets the exit code: 1 where a bar was missed. */
  close(): void;
}

const shown = (value: number | string) =>
  typeof value === 'string' ? value : String(Number.isInteger(value) ? value : Number(value.toFixed(2)));

/** Prints figures as they come. NaN keeps no bar: what could not be measured is missed. */
export function createBars(): Bars {
  let missed = 0;
  const line = (word: string, name: string, value: number | string, unit: string, bar = '') =>
    console.log(`  ${word.padEnd(9)}${name.padEnd(64)}${`${shown(value)} ${unit}`.trim().padStart(14)}${bar}`);
  const judge = (isHeld: boolean, name: string, value: number, unit: string, bar: string) => {
    if (!isHeld) missed += 1;
    line(isHeld ? 'held' : 'NOT held', name, value, unit, `   ${bar}`);
  };
  return {
    tell: (name, value, unit = '') => line('', name, value, unit),
    atMost: (name, value, most, unit = '') => judge(value <= most, name, value, unit, `at most ${most}`),
    atLeast: (name, value, least, unit = '') => judge(value >= least, name, value, unit, `at least ${least}`),
    close: () => {
      console.log(missed === 0 ? 'every bar is held' : `${missed} missed`);
      if (missed > 0) process.exitCode = 1;
    },
  };
}

/** Of values in any order; NaN of none. */
export const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN;

/** The greatest; 0 of none. */
export const greatest = (values: readonly number[]): number => values.reduce((most, value) => Math.max(most, value), 0);
