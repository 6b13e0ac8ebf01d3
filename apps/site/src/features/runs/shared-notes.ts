import { messageForm } from '../../lib/message-form.ts';
import type { PointView } from '../submission/data/run-view.ts';

/** A note that several points of a run have, with other numbers. */
export interface SharedNote {
  /** "a", "b": marks the points in the table. */
  mark: string;
  /** The note of the first point. */
  text: string;
  /** The note of each point. */
  points: { title: string; text: string }[];
}

export interface PointNotes {
  shared: SharedNote[];
  /** For each point, the marks of its shared notes and its other notes. */
  of: { marks: string[]; own: string[] }[];
}

const titleOf = ({ scenario, load, repetition }: PointView, hasRepetitions: boolean): string =>
  `${scenario}, ${load}${hasRepetitions ? `, run ${repetition}` : ''}`;

const capitalized = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

/** Separates notes that several points have, which are listed once below the table, from those of one point. */
export function shareNotes(points: readonly PointView[]): PointNotes {
  const hasRepetitions = points.some(({ repetition }) => repetition > 1);
  const noted = points.flatMap((point) =>
    point.doubts.map((text) => ({
      form: messageForm(text),
      text: capitalized(text),
      title: titleOf(point, hasRepetitions),
    })),
  );
  const shared = [...Map.groupBy(noted, ({ form }) => form)].filter(([, list]) => list.length > 1);
  const marks = new Map(shared.map(([form], at) => [form, String.fromCharCode(97 + (at % 26))]));
  return {
    shared: shared.map(([form, list]) => ({
      mark: marks.get(form) ?? '',
      text: list[0]?.text ?? '',
      points: list.map(({ title, text }) => ({ title, text })),
    })),
    of: points.map(({ doubts }) => ({
      marks: doubts.flatMap((text) => marks.get(messageForm(text)) ?? []).toSorted(),
      own: doubts.filter((text) => !marks.has(messageForm(text))),
    })),
  };
}
