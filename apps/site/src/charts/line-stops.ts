import { type Axis, round } from './axis.ts';
import type { ChartSeries, ChartStop, ChartValue, LineChart, LineChartInput } from './line-chart.ts';
import { seriesMark } from './palette.ts';

/** Levels that share a stop, with its position and strip. */
interface Strip {
  levels: readonly number[];
  x: number;
  left: number;
  right: number;
}

/** A strip for each level, which extends halfway to its neighbours. */
const singleStrips = (levels: readonly number[], x: Axis, plot: LineChart['plot']): Strip[] =>
  levels.map((level, index) => {
    const at = x.at(level);
    const [before, after] = [levels[index - 1], levels[index + 1]];
    const left = before === undefined ? plot.left : (at + x.at(before)) / 2;
    const right = after === undefined ? plot.right : (at + x.at(after)) / 2;
    return { levels: [level], x: at, left, right };
  });

/** Strips of equal width, those without levels left out. */
function equalStrips(levels: readonly number[], x: Axis, plot: LineChart['plot'], count: number): Strip[] {
  const width = (plot.right - plot.left) / count;
  const binOf = (level: number) => Math.min(count - 1, Math.floor((x.at(level) - plot.left) / width));
  return [...Map.groupBy(levels, binOf)].map(([bin, of]) => {
    const left = plot.left + bin * width;
    return { levels: of, x: round(left + width / 2), left, right: left + width };
  });
}

/** The value of a series at some levels, the best one if there are several. */
function valueAt(
  { values }: ChartSeries,
  levels: readonly number[],
  better: 'higher' | 'lower',
): ChartValue | undefined {
  const sign = better === 'higher' ? 1 : -1;
  return values
    .filter(({ level }) => levels.includes(level))
    .reduce<ChartValue | undefined>(
      (best, one) => (best === undefined || sign * one.value > sign * best.value ? one : best),
      undefined,
    );
}

/** Where the pointer and the keyboard stop: at each level, or at equal parts of the axis if there are too many levels. */
export function stopsOf(
  { x: words, y, series, bestSoFar = 'higher' }: LineChartInput,
  levels: readonly number[],
  x: Axis,
  plot: LineChart['plot'],
): ChartStop[] {
  const { binsMax } = words;
  const isBinned = binsMax !== undefined && levels.length > binsMax;
  const strips = isBinned ? equalStrips(levels, x, plot, binsMax) : singleStrips(levels, x, plot);
  const measured = series.map((each, index) => ({ ...each, index })).filter(({ kind }) => kind !== 'bound');
  return strips.map(({ levels: of, x: at, left, right }) => {
    const [first = 0] = of;
    const last = of.at(-1) ?? first;
    const title = first === last ? words.text(first) : `${words.text(first)} to ${words.text(last)}`;
    const found = measured.flatMap((each) => {
      const value = valueAt(each, of, bestSoFar);
      if (value === undefined) return [];
      const [mark, name] = [seriesMark(each.mark ?? each.index), value.of ?? each.name];
      const basis = first === last ? value.basis : `${words.text(value.level)}, ${value.basis}`;
      return [{ mark, name, value: y.text(value.value), basis, series: each.name }];
    });
    const chars = Math.max(10, title.length - 6, ...found.map(({ name, value }) => name.length + value.length));
    return {
      level: first,
      x: at,
      left: round(left),
      width: round(right - left),
      label: `${title}: ${found
        .map(
          ({ series: name, name: own, value, basis }) => `${name === own ? own : `${name}, ${own}`} ${value}, ${basis}`,
        )
        .join('; ')}`,
      tip: {
        isLeft: at > (plot.left + plot.right) / 2,
        widthEm: round(chars * 0.56 + 4),
        title,
        rows: found.map(({ mark, name, value }) => ({ mark, name, value })),
      },
    };
  });
}
