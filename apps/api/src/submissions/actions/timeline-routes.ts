import { createRoute, z } from '@hono/zod-openapi';
import type { Timeline } from '@inferboard/core/observed/timeline';
import { hasObserved } from '@inferboard/db/artifacts/observed-find';
import { findArtifactOfSubmission } from '@inferboard/db/submissions/artifact-find';
import { findSubmission } from '@inferboard/db/submissions/submission-find';
import type { Deps } from '../../deps.ts';
import { isId } from '../../http/is-id.ts';
import { refuse } from '../../http/refuse.ts';
import { createRouter } from '../../http/router.ts';
import { createRecentMap } from '../../middleware/recent-map.ts';
import { cached } from '../../response-cache/cached.ts';
import { TimelineSchema } from '../../runs/run-schema.ts';
import { viewTimeline } from '../../runs/run-views.ts';
import { json, missing, readProblems } from '../../schemas/common.ts';
import { readTimeline } from './read-timeline.ts';
import { idParam, notFound } from './submission-id.ts';

const SubmissionTimelineSchema = z
  .object({
    submission_id: z.string(),
    timeline: TimelineSchema.nullable().openapi({ description: 'Null if the artifact has no readings.' }),
  })
  .openapi('SubmissionTimeline');

const getSubmissionTimeline = createRoute({
  method: 'get',
  path: '/v1/submissions/{id}/timeline',
  operationId: 'getSubmissionTimeline',
  tags: ['Submissions'],
  summary: 'Get the results of a submission over time',
  description:
    'Throughput, TTFT and the readings of the server and its GPUs in `observed`, on one time axis. The artifact has all of them.',
  request: { params: idParam, query: z.strictObject({}) },
  responses: { 200: json('The timeline.', SubmissionTimelineSchema), ...readProblems, ...missing },
});

/** A timeline has some ten kilobytes. */
const keptMax = 200;

/** The timeline of a submission. */
export function timelineRoutes(deps: Deps) {
  const { db } = deps.database;
  // An artifact never changes, and reading it may take a second.
  const kept = createRecentMap<Timeline | null>(keptMax);

  async function read(id: string): Promise<Timeline | null> {
    const artifact = (await hasObserved(db, id)) ? await findArtifactOfSubmission(db, id, deps.artifacts) : null;
    return artifact === null ? null : readTimeline(deps, artifact.bytes);
  }

  return createRouter().openapi(
    cached(deps, getSubmissionTimeline, ['results']),
    async (c) => {
      const { id } = c.req.valid('param');
      const row = isId('sub', id) ? await findSubmission(db, id) : null;
      if (row === null) throw notFound(id);
      const known = kept.get(id);
      const timeline = known === undefined ? await read(id) : known;
      kept.set(id, timeline);
      return c.json({ submission_id: id, timeline: viewTimeline(timeline) }, 200);
    },
    refuse(getSubmissionTimeline),
  );
}
