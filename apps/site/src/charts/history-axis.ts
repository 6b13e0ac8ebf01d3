import { scaleLinear, scaleUtc } from 'd3-scale';
import { type MakeAxis, round } from './axis.ts';

/** Width of a character of a tick label and the gap between two labels, in units of the drawing. */
const [characterWidth, labelGap] = [6.4, 10];

/** Maximum label length below an axis, enough for "as of 2026-04-17"; the table has the full text. */
const labelMax = 16;

const short = (name: string) => (name.length > labelMax ? `${name.slice(0, labelMax - 1)}…` : name);

/** Chooses labels from the last one backwards, because the newest matters most, while they do not overlap. */
function keepLabels(ticks: readonly { at: number; label: string }[]): { at: number; label: string }[] {
  const kept: { at: number; label: string }[] = [];
  for (const { at, label } of ticks.toReversed()) {
    const after = kept[0];
    const room = after === undefined ? 0 : ((label.length + after.label.length) / 2) * characterWidth + labelGap;
    if (after === undefined || after.at - at >= room) kept.unshift({ at, label });
  }
  return kept;
}

/** Evenly spaced positions, one for each version in order. No values exist between two versions. */
export const placeAxis: MakeAxis = (places, [from, to], label) => {
  const sorted = [...new Set(places)].toSorted((a, b) => a - b);
  const [first = 0] = sorted;
  const last = sorted.at(-1) ?? first;
  // A single position is in the middle.
  const domain: [number, number] = first === last ? [first - 1, last + 1] : [first, last];
  const scale = scaleLinear().domain(domain).range([from, to]);
  const ticks = sorted.map((place) => ({ at: round(scale(place)), label: short(label(place)) }));
  return { at: (place) => round(scale(place)), ticks: keepLabels(ticks), isLog: false, domain };
};

const hour = 3_600_000;

/** Time axis in UTC, epoch milliseconds. Ticks are round times with the shortest labels that differ. */
export const timeAxis: MakeAxis = (times, [from, to]) => {
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const domain: [number, number] = first === last ? [first - 12 * hour, last + 12 * hour] : [first, last];
  const scale = scaleUtc().domain(domain).range([from, to]);
  const text = scale.tickFormat(5);
  const ticks = scale.ticks(5).map((tick) => ({ at: round(scale(tick)), label: text(tick) }));
  return { at: (time) => round(scale(time)), ticks: keepLabels(ticks), isLog: false, domain };
};
