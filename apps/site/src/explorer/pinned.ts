import type { PublishedSource } from '../features/system/data/published-source.ts';
import type { Api, Load } from '../lib/api.ts';
import { basisText, formatInterval, formatWithUnit } from '../lib/format.ts';
import { trustWords } from '../lib/words.ts';
import type { AxisChoice } from './axes.ts';
import type { Drawing } from './drawing/drawing.ts';
import { keyOf } from './groups.ts';

/** The open card of a point. */
export interface PinnedPoint {
  curve: string;
  detail: string;
  figures: { title: string; text: string; basis: string | null }[];
  /** How it was measured or published; null if that could not be read. */
  trust: string | null;
  source: PublishedSource | null;
  /** URLs of its system and of its submission. */
  href: string;
  submission: string | null;
}

/** Reads the additional data of a selected point's card: n, intervals and sources. */
export async function readPinned(
  api: Api,
  { curve, point }: NonNullable<Drawing['pinned']>,
  axes: readonly AxisChoice[],
  workload: string | null,
): Promise<PinnedPoint> {
  const [system, results] = await Promise.all([api.getSystem(point.system), api.listResultsOfSystem(point.system)]);
  const isSame = (of: { load: Load; workload?: { id: string }; status: string }) =>
    keyOf(point.system, of.load) === point.key && of.workload?.id === workload && of.status === 'accepted';
  const measured = system.data?.points.find(isSame);
  const first = results.data?.data.find(isSame);
  const figureOf = ({ name, title, unit }: AxisChoice, value: number) => {
    const known = measured?.statistics[name];
    const interval = known == null ? null : formatInterval(known.mean, unit, known.ci95);
    return { title, text: formatWithUnit(value, unit), basis: known == null ? null : basisText(known.n, interval) };
  };
  const [x, y] = axes;
  return {
    ...{ curve, detail: point.detail, href: point.href },
    figures: [...(y === undefined ? [] : [figureOf(y, point.y)]), ...(x === undefined ? [] : [figureOf(x, point.x)])],
    trust: measured === undefined ? null : trustWords[measured.trust].label,
    source: point.sources[0] ?? null,
    submission: first?.submission_id == null ? null : `/submissions/${first.submission_id}`,
  };
}
