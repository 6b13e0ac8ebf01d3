import { findNamedScenario } from '../catalogue/scenario-names.ts';

/** A safe queue that a sender states and did not send the measurements of. */
export interface StatedQueue {
  scenario: { id: string; title: string };
  requests: number;
  /** The TTFT limit that it was stated for, in seconds. */
  limitS: number;
}

/**
 * Safe queues in the notes of a submission, as "Safe queue at 3.0 s: chatbot 131, rag 84". Names that are no scenario of the catalogue
 * are left out.
 */
export function readStatedQueues(notes: string): StatedQueue[] {
  return [...notes.matchAll(/\bsafe queue at (\d+(?:\.\d+)?) s: ([^.\n]*)/gi)].flatMap(([, limit, list]) =>
    (list ?? '').split(',').flatMap((item): StatedQueue[] => {
      const [, name = '', requests] = /^\s*([\w-]+) (\d{1,6})\s*$/.exec(item) ?? [];
      const scenario = findNamedScenario(name.toLowerCase());
      if (scenario === null || requests === undefined) return [];
      return [
        { scenario: { id: scenario.id, title: scenario.title }, requests: Number(requests), limitS: Number(limit) },
      ];
    }),
  );
}
