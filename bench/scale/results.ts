import type { Result } from '../../packages/core/src/subjects/result.ts';
import type { System } from '../../packages/core/src/subjects/system.ts';
import type { Random } from '../../packages/core/src/testing/random.ts';
import { type Run, runAt } from './run.ts';
import type { Speed } from './speed.ts';
import { metricsOf, type Style } from './tools.ts';
import type { Workload } from './workloads.ts';

/** One planned repetition. */
export interface Task {
  system: System;
  speed: Speed;
  workload: Workload;
  level: number;
  /** Null if it is the only one of its upload. */
  repetition: number | null;
  style: Style;
  ordinal: number;
  ms: number;
}

/** Relative scatter of repetitions. */
const noise = 0.02;
/** Factor of the error if seconds are read as milliseconds. */
const mistaken = 1000;

function mistakenRun(run: Run): Run {
  const less = ({ mean, sd }: Run['ttft']) => ({ mean: mean / mistaken, sd: sd / mistaken });
  return {
    ...run,
    durationS: run.durationS / mistaken,
    reqS: run.reqS * mistaken,
    ttft: less(run.ttft),
    tpot: less(run.tpot),
    itl: less(run.itl),
    e2e: less(run.e2e),
  };
}

/** A result as its tool reports it. `isWrong`: with impossible figures. */
export function measure(task: Task, isWrong: boolean, random: Random): Result {
  const { system, speed, workload, level, style, ordinal, ms } = task;
  const run = runAt(speed, workload, level, noise, random);
  const isDated = style.version !== null;
  return {
    kind: 'serving',
    tool: { name: style.tool.name, version: style.version },
    system,
    scenario: workload.scenario,
    lengths: null,
    load: { mode: 'concurrency', level },
    repetition: task.repetition,
    metrics: metricsOf(isWrong ? mistakenRun(run) : run, style.figures),
    definitions: style.definitions,
    repeats: null,
    records: null,
    limits: null,
    extra: isDated ? { strategy: `concurrent@${level}` } : {},
    measuredAt: isDated ? new Date(ms - 3_600_000).toISOString() : null,
    lines: { from: ordinal + 1, to: ordinal + 1 },
  };
}
