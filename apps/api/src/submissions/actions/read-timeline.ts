import { DomainError } from '@inferboard/core/errors';
import { readArtifactTimeline } from '@inferboard/core/observed/artifact-timeline';
import type { Timeline } from '@inferboard/core/observed/timeline';
import type { Deps } from '../../deps.ts';
import { largeFrom } from './answer-submission.ts';
import { textOfArtifact } from './unpack-artifact.ts';

/** Reads the timeline of an artifact, which may be compressed, in this thread. Null if there is none. */
export async function readTimelineInThisThread(bytes: Uint8Array): Promise<Timeline | null> {
  try {
    return readArtifactTimeline(await textOfArtifact(bytes));
  } catch (error) {
    // This release may refuse what an earlier one stored.
    if (error instanceof DomainError) return null;
    throw error;
  }
}

/** As `readTimelineInThisThread`; for a large artifact in the intake thread, if there is one. The bytes may be detached afterwards. */
export async function readTimeline({ intake }: Deps, bytes: Uint8Array): Promise<Timeline | null> {
  return intake === null || bytes.length < largeFrom ? readTimelineInThisThread(bytes) : intake.readTimeline(bytes);
}
