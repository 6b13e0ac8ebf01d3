import { findNamedScenario } from '../catalogue/scenario-names.ts';

/** A safe queue that a sender states without its measurements. */
export interface StatedQueue {
  scenario: { id: string; title: string };
  requests: number;
  /** The TTFT limit of the statement, in seconds. */
  limitS: number;
}

/**
 * Parses safe queues from the notes of a submission, such as "Safe queue at 3.0 s: chatbot 131, rag 84". Ignores names that
 * are not scenarios of the catalogue.
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
