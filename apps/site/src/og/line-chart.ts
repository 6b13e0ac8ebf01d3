import type { LineChart } from '../charts/line-chart.ts';
import { drawChart } from './chart.ts';

/**
 * A chart of a report as PNG, 1200 by 630, with its intervals, thresholds and legend. Bounds are left out: the legend has no room
 * for them.
 *
 * @param subject what the chart shows: the system
 * @param source source and date of drawing
 */
export function drawLineChart(chart: LineChart, subject: string, source: string): Uint8Array<ArrayBuffer> {
  const curves = chart.series
    .filter(({ isBound }) => !isBound)
    .map(({ name, mark, path, points }) => ({
      ...{ name, mark, path, label: null },
      points: points.map(({ x, y, error }) => ({ at: { x, y }, bar: error })),
    }));
  const picture = {
    plot: chart.plot,
    xAxis: { ticks: chart.xTicks },
    yAxis: { ticks: chart.yTicks },
    xTitle: chart.xTitle,
    yTitle: chart.yTitle,
    limit: null,
    levels: chart.lines,
    curves,
  };
  return drawChart(`${subject}: ${chart.title}`, picture, source);
}
