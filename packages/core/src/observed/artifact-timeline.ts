import { readArtifact } from '../adapters/index.ts';
import { type Timeline, timelineOf } from './timeline.ts';

/**
 * The results of an artifact over time, with the readings of the server; null if the artifact has none.
 *
 * @throws DomainError if the artifact cannot be read
 */
export function readArtifactTimeline(text: Uint8Array): Timeline | null {
  const points = readArtifact(text).results.flatMap(({ observed, requests }) =>
    observed === undefined ? [] : [{ ...observed, requests: requests ?? [] }],
  );
  return timelineOf(points);
}
