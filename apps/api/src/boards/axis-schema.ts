import { scoreAxis, taskKey, taskOfAxis } from '@inferboard/core/filters/quality';
import type { ScoreAxis } from '@inferboard/db/boards/lists/score-axis';
import { costName } from '../prices/requested-prices.ts';
import { metricSchema } from '../schemas/metric-name.ts';

/** An axis of a chart: a metric, the cost of output, or the scores of a task. */
export const axisSchema = (parameter: 'x' | 'y') => metricSchema(parameter, [costName], scoreAxis);

/** The axes of scores among the given ones. */
export const scoreAxesOf = (axes: Readonly<Record<'x' | 'y', string>>): ScoreAxis[] =>
  (['x', 'y'] as const).flatMap((axis) => {
    const task = taskOfAxis(axes[axis]);
    return task === null ? [] : [{ axis, task: taskKey(task) }];
  });
