import { createRoute, z } from '@hono/zod-openapi';
import {
  compareSession,
  sessionConfidence,
  sessionFigures,
  sessionServers,
} from '@inferboard/core/sessions/compare-session';
import { loadModesOrUnspecified } from '@inferboard/core/subjects/load';
import { listSessionResults, type SessionRow } from '@inferboard/db/submissions/session-find';
import { findSubmission } from '@inferboard/db/submissions/submission-find';
import type { Deps } from '../../deps.ts';
import { isId } from '../../http/is-id.ts';
import { refuse } from '../../http/refuse.ts';
import { createRouter } from '../../http/router.ts';
import { cached } from '../../response-cache/cached.ts';
import { json, missing, readProblems } from '../../schemas/common.ts';
import { idParam, notFound } from './submission-id.ts';

const SessionRatioSchema = z
  .object({
    figure: z.enum(sessionFigures),
    ratio: z.number().openapi({ description: 'B by A: 1.02 is 2 % more.' }),
    interval: z.object({ low: z.number(), high: z.number() }),
    blocks: z.number().int().openapi({ description: 'Blocks that both servers finished.' }),
    differs: z.boolean().openapi({ description: 'True if the interval excludes 1.' }),
  })
  .openapi('SessionRatio');

const ComparedSessionSchema = z
  .object({
    id: z.string().nullable().openapi({ description: 'Null if the submission is not part of a session.' }),
    confidence: z.number().openapi({ description: 'Of the intervals.' }),
    servers: z.array(
      z.object({
        server: z.enum(sessionServers),
        system: z.object({ id: z.string(), label: z.string() }),
      }),
    ),
    submissions: z
      .array(z.object({ id: z.string(), links: z.object({ self: z.string(), page: z.string() }) }))
      .openapi({ description: 'Its parts, oldest first: a large session is sent as several submissions.' }),
    loads: z.array(
      z.object({
        scenario: z.string(),
        load: z.object({ mode: z.enum(loadModesOrUnspecified), level: z.number().nullable() }),
        ratios: z
          .array(SessionRatioSchema)
          .openapi({ description: 'Empty if both servers finished fewer than three blocks.' }),
      }),
    ),
  })
  .openapi('ComparedSession');

const getSubmissionSession = createRoute({
  method: 'get',
  path: '/v1/submissions/{id}/session',
  operationId: 'getSubmissionSession',
  tags: ['Submissions'],
  summary: 'Compare the two servers of a session',
  description:
    'For submissions of `measure --against`. Blocks with the same prompts are paired. The ratio is the Hodges-Lehmann estimate over the ' +
    'blocks, with the interval of Wilcoxon’s signed-rank test; with fewer than eight blocks, the mean with Student’s t. It includes all submissions of the account with the same `generator.session.id`, without retracted ones. ' +
    'A submission without a session has the id null and empty lists.',
  request: { params: idParam, query: z.strictObject({}) },
  responses: { 200: json('The comparison.', ComparedSessionSchema), ...readProblems, ...missing },
});

type Mode = (typeof loadModesOrUnspecified)[number];

function viewSession(id: string | null, rows: readonly SessionRow[], base: string) {
  const ratios = compareSession(rows);
  const items = Map.groupBy(rows, ({ item }) => item);
  const systems = Map.groupBy(rows, ({ server, systemId }) => `${server} ${systemId}`);
  const submissions = [...new Set(rows.map(({ submissionId }) => submissionId))];
  return {
    ...{ id, confidence: sessionConfidence },
    servers: [...systems.values()]
      .flatMap(([row]) =>
        row === undefined ? [] : [{ server: row.server, system: { id: row.systemId, label: row.systemLabel } }],
      )
      .sort((a, b) => a.server.localeCompare(b.server)),
    submissions: submissions.map((submission) => ({
      id: submission,
      links: { self: `${base}/v1/submissions/${submission}`, page: `${base}/submissions/${submission}` },
    })),
    loads: [...items].flatMap(([item, [row]]) =>
      row === undefined
        ? []
        : {
            scenario: row.scenario,
            // The table's check allows no other.
            load: { mode: row.loadMode as Mode, level: row.loadLevel },
            ratios: (ratios.get(item) ?? []).map(({ low, high, ...ratio }) => ({ ...ratio, interval: { low, high } })),
          },
    ),
  };
}

/** The comparison of two servers that were measured in one session. */
export function comparedSessionRoutes(deps: Deps) {
  const { db } = deps.database;
  return createRouter().openapi(
    cached(deps, getSubmissionSession, ['results']),
    async (c) => {
      const { id } = c.req.valid('param');
      const row = isId('sub', id) ? await findSubmission(db, id) : null;
      if (row === null) throw notFound(id);
      const rows = row.session === null ? [] : await listSessionResults(db, row.account_id, row.session);
      return c.json(viewSession(row.session, rows, deps.publicUrl), 200);
    },
    refuse(getSubmissionSession),
  );
}
