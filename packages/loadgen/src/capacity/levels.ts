import type { Line } from './line.ts';
import type { Observation } from './search.ts';

/** All points of one load. */
export interface LevelState {
  level: number;
  /** The geometric mean of their ratios, adjusted so that it never falls as the load grows. */
  ratio: number;
  /** Logarithms of the ratios that count: those of fine points if there are any. */
  logs: number[];
  /** Fine points. */
  fine: number;
  bound: string;
  isSaturated: boolean;
  completed_req_s: number | null;
}

/** Logarithms beyond this say nothing more: a ratio of a thousand. */
const logMax = 7;
const logOf = (ratio: number) => Math.max(-logMax, Math.min(logMax, Math.log(ratio)));
export const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The loads of a history in ascending order. */
export function levelsOf(history: readonly Observation[]): LevelState[] {
  const levels = [...new Set(history.map(({ level }) => level))].sort((a, b) => a - b);
  return levels.map((level) => {
    const all = history.filter((one) => one.level === level);
    const fine = all.filter(({ isFine }) => isFine);
    const counted = fine.length > 0 ? fine : all;
    const worst = counted.toSorted((a, b) => b.ratio - a.ratio)[0];
    const logs = counted.map(({ ratio }) => logOf(ratio));
    const rates = counted.flatMap(({ completed_req_s }) => (completed_req_s === null ? [] : [completed_req_s]));
    return {
      level,
      ratio: Math.exp(meanOf(logs)),
      logs,
      fine: fine.length,
      bound: worst?.bound ?? '',
      isSaturated: counted.filter(({ isSaturated }) => isSaturated).length * 2 > counted.length,
      completed_req_s: rates.length === 0 ? null : meanOf(rates),
    };
  });
}

/** The same with ratios that never fall as the load grows: neighbours that contradict each other get their mean. */
export function isotonicRatios(levels: readonly LevelState[]): LevelState[] {
  const blocks: LevelState[][] = [];
  const mean = (block: readonly LevelState[]) => meanOf(block.flatMap(({ logs }) => logs));
  for (const level of levels) {
    let block = [level];
    for (let before = blocks.at(-1); before !== undefined && mean(before) > mean(block); before = blocks.at(-1)) {
      block = [...before, ...block];
      blocks.pop();
    }
    blocks.push(block);
  }
  return blocks.flatMap((block) => block.map((level) => ({ ...level, ratio: Math.exp(mean(block)) })));
}

/** Before there are repetitions: 0.6 %, with the weight of two of them. */
const noiseAssumed = 0.006;
const assumedWeight = 2;

/** Standard deviation of the logarithm of a ratio between repetitions of one load, pooled over the loads. */
export function noiseOf(levels: readonly LevelState[]): number {
  let [squares, freedom] = [assumedWeight * noiseAssumed ** 2, assumedWeight];
  for (const { logs } of levels) {
    const mean = meanOf(logs);
    // Far from the limit the spread is another one.
    if (Math.abs(mean) > 0.5) continue;
    squares += logs.reduce((sum, log) => sum + (log - mean) ** 2, 0);
    freedom += logs.length - 1;
  }
  return Math.sqrt(squares / freedom);
}

/** One-sided 95 % of a normal distribution. */
const z = 1.645;

export type Ends = readonly [LevelState | null, LevelState | null];

/** The highest load that holds and the lowest above it that fails, each beyond the noise of its points or of the line. */
export function confirmedEnds(levels: readonly LevelState[], noise: number, line: Line | null): Ends {
  const judge = ({ ratio, logs, level }: LevelState): number => {
    const own = Math.log(ratio);
    const { log, error } = line?.at(level) ?? { log: own, error: noise / Math.sqrt(logs.length) };
    // The line may bend at the limit, so it cannot overrule the points of a load.
    return Math.abs(log) > z * error && Math.sign(log) === Math.sign(own) ? Math.sign(log) : 0;
  };
  const failing = levels.find((level) => judge(level) > 0) ?? null;
  const holding = levels.findLast((level) => judge(level) < 0 && (failing === null || level.level < failing.level));
  return [holding ?? null, failing];
}
