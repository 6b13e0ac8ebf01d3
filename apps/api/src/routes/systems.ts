import { createRoute, z } from '@hono/zod-openapi';
import { DomainError } from '@inferboard/core/errors';
import { boundShape, filterShape, originShape, toFilters } from '@inferboard/core/filters/parameters';
import { listClaims, pointKey } from '@inferboard/db/queries/claim-list';
import { findSystem, listSystems } from '@inferboard/db/queries/system-find';
import { findSystemLabel } from '@inferboard/db/queries/system-label-find';
import { kept } from '../answer-cache/keep.ts';
import { cursorFaults, cursorRefusal, decodeCursor, encodeCursor } from '../cursor.ts';
import type { Deps } from '../deps.ts';
import { isId } from '../is-id.ts';
import { requireKnownValues, unknownValueFaults } from '../known-values.ts';
import { refuse } from '../refuse.ts';
import { createRouter } from '../router.ts';
import { limitDefault, missing, pageOf, pageShape, readProblems } from '../schemas/common.ts';
import { SystemDetailSchema, SystemListItemSchema } from '../schemas/leaderboard.ts';
import { viewPoint, viewSystem } from '../views.ts';

const json = <T extends z.ZodType>(description: string, schema: T) => ({
  description,
  content: { 'application/json': { schema } },
});

const listSystemsRoute = createRoute({
  method: 'get',
  path: '/v1/systems',
  operationId: 'listSystems',
  tags: ['Systems'],
  summary: 'Systems that were measured',
  description: 'By label. A system is listed if one of its points meets the filters; `point_count` counts those.',
  request: { query: z.strictObject({ ...filterShape, system: originShape.system, ...boundShape, ...pageShape }) },
  responses: { 200: json('A page, by label.', pageOf(SystemListItemSchema)), ...readProblems },
});

const getSystem = createRoute({
  method: 'get',
  path: '/v1/systems/{id}',
  operationId: 'getSystem',
  tags: ['Systems'],
  summary: 'One system with all its points',
  description: 'A point is one scenario under one load, with the statistics over its repetitions.',
  request: {
    params: z.object({
      id: z.string().openapi({ description: 'Id of the system.', example: 'sys_3f1c5a0b9d8e7f6a5b4c3d2e' }),
    }),
    query: z.strictObject({ ...filterShape, ...boundShape }),
  },
  responses: { 200: json('The system.', SystemDetailSchema), ...readProblems, ...missing },
});

/** The id of the last system of the page before. */
const CursorSchema = z.string().max(100);

export function systemRoutes(deps: Deps) {
  const { db } = deps.database;
  /** Lists are ordered by label; the cursor holds the id alone, which is short whatever the label. */
  const findPlace = async (url: string) => {
    const id = decodeCursor(url, CursorSchema);
    if (id === null) return null;
    const label = await findSystemLabel(db, id);
    if (label === null) throw cursorRefusal();
    return { label, id };
  };
  return createRouter()
    .openapi(
      kept(deps, listSystemsRoute, ['results']),
      async (c) => {
        const { limit = limitDefault, cursor: _, ...given } = c.req.valid('query');
        const filters = toFilters(given);
        await requireKnownValues(db, c.req.queries(), cursorFaults(c.req.url, CursorSchema));
        const after = await findPlace(c.req.url);
        const rows = await listSystems(db, {
          filters,
          limit: limit + 1,
          after,
        });
        const page = rows.slice(0, limit);
        const last = rows.length > limit ? page.at(-1) : undefined;
        return c.json(
          {
            data: page.map((row) => ({
              ...viewSystem(row, deps.publicUrl),
              point_count: row.points,
              sources: row.sources,
            })),
            next_cursor: last === undefined ? null : encodeCursor(c.req.url, last.id),
          },
          200,
        );
      },
      refuse(listSystemsRoute, async (c) => [
        ...(await unknownValueFaults(db, c.req.queries())),
        ...cursorFaults(c.req.url, CursorSchema),
      ]),
    )
    .openapi(
      kept(deps, getSystem, ['results']),
      async (c) => {
        const { id } = c.req.valid('param');
        await requireKnownValues(db, c.req.queries());
        const [found, claims] = isId('sys', id)
          ? await Promise.all([findSystem(db, id, toFilters(c.req.valid('query'))), listClaims(db, id)])
          : [null, new Map<string, never>()];
        if (found === null) {
          throw new DomainError(
            'not_found',
            isId('sys', id) ? `There is no system ${id}.` : 'This is not the id of a system.',
          );
        }
        const system = viewSystem(found.system, deps.publicUrl);
        const points = found.points.map((row) => {
          const { point_id: pointId, status } = row.point;
          return viewPoint(row, system.id, deps.publicUrl, claims.get(pointKey({ pointId, status })));
        });
        return c.json({ ...system, points }, 200);
      },
      refuse(getSystem, (c) => unknownValueFaults(db, c.req.queries())),
    );
}
