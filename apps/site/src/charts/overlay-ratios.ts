import { ratioAxis, round, type Tick } from './axis.ts';
import type { SeriesMark } from './palette.ts';

/** A ratio to the baseline, with its interval if known. */
export interface RatioInput {
  ratio: number;
  interval: readonly [number, number] | null;
  /** Label of the mark: "1.451×". */
  text: string;
  mark: SeriesMark;
  name: string;
  href: string;
}

export interface RatioRow {
  label: string;
  sub: string;
  ratios: readonly RatioInput[];
}

/** Ratios as dots with whiskers, one row for each system, around a line at 1. */
export interface RatioChart {
  title: string;
  description: string;
  width: number;
  height: number;
  plot: { left: number; right: number; top: number; bottom: number };
  one: number;
  xTicks: Tick[];
  xTitle: string;
  /** The system of the marks, if their labels do not name it. */
  legend: readonly { name: string; mark: SeriesMark }[];
  bands: {
    label: string;
    sub: string;
    y: number;
    height: number;
    /** Top of the marks, below the name: lines above it would cross the name. */
    marksTop: number;
    marks: {
      x: number;
      y: number;
      whisker: { from: number; to: number } | null;
      text: string;
      label: string;
      href: string;
      mark: SeriesMark;
      tip: { x: number; anchor: 'start' | 'end' };
    }[];
  }[];
}

/** Layout for phones: names are above their marks, so that the chart fits the width. */
const width = 400;
const left = 12;
const right = width - 12;
const top = 26;
const lane = 17;
/** Height of a name's line, and the space below its marks. */
const nameHeight = 20;
const gap = 6;
const letterWidth = 7;

/** Geometry of the chart. Needs at least one ratio. */
export function ratioChart(
  title: string,
  xTitle: string,
  rows: readonly RatioRow[],
  legend: RatioChart['legend'] = [],
): RatioChart {
  const all = rows.flatMap(({ ratios }) => ratios);
  const axis = ratioAxis(
    all.flatMap(({ ratio, interval }) => [ratio, ...(interval ?? [])]).filter((value) => value > 0.02 && value < 50),
    [left, right],
  );
  let y = top;
  const bands = rows.map(({ label, sub, ratios }) => {
    const height = nameHeight + ratios.length * lane + gap;
    const start = y + nameHeight + lane / 2;
    const band = {
      label,
      sub,
      y,
      height,
      marksTop: y + nameHeight,
      marks: ratios.map(({ ratio, interval, text, mark, name, href }, at) => {
        const x = axis.at(ratio);
        const whisker = interval === null ? null : { from: axis.at(interval[0]), to: axis.at(interval[1]) };
        const end = Math.max(x + 6, whisker?.to ?? 0) + 5;
        const size = text.length * letterWidth;
        const begin = Math.min(x - 6, whisker?.from ?? width) - 5;
        // The label is next to the mark, between the ends of a wide interval.
        const tip =
          end + size < width
            ? { x: round(end), anchor: 'start' as const }
            : begin > size
              ? { x: round(begin), anchor: 'end' as const }
              : {
                  x: round(x < width / 2 ? x + 9 : x - 9),
                  anchor: x < width / 2 ? ('start' as const) : ('end' as const),
                };
        return {
          x,
          y: round(start + at * lane),
          whisker,
          text,
          label: `${name}, ${label}, ${sub}: ${text}`,
          href,
          mark,
          tip,
        };
      }),
    };
    y += height;
    return band;
  });
  return {
    title,
    description: `${xTitle}, on a logarithmic scale, with 95 % intervals. Values left of 1 are less than the baseline, values right of 1 are more. The tables below list the values.`,
    width,
    height: y + 42,
    plot: { left, right, top, bottom: y },
    one: axis.at(1),
    xTicks: axis.ticks,
    xTitle: `${xTitle} (log scale)`,
    legend,
    bands,
  };
}
