import { createRoute, z } from '@hono/zod-openapi';
import { DomainError } from '@inferboard/core/errors';
import { boundShape, filterShape, originShape, toFilters } from '@inferboard/core/filters/parameters';
import { readSearch } from '@inferboard/core/find/words';
import { findSystem, listSystems } from '@inferboard/db/catalogue/system-find';
import { findSystemLabel } from '@inferboard/db/catalogue/system-label-find';
import { listClaims, pointKey } from '@inferboard/db/claims/claim-list';
import { requireKnownValues, unknownValueFaults } from '../boards/known-values.ts';
import { SystemDetailSchema, SystemListItemSchema } from '../boards/leaderboard-schema.ts';
import { fieldsShape } from '../conventions/fields.ts';
import type { Deps } from '../deps.ts';
import { cursorFaults, cursorRefusal, decodeCursor, readPage } from '../http/cursor.ts';
import { isId } from '../http/is-id.ts';
import { refuse } from '../http/refuse.ts';
import { createRouter } from '../http/router.ts';
import { cached } from '../response-cache/cached.ts';
import { json, limitDefault, missing, pageOf, pageShape, readProblems } from '../schemas/common.ts';
import { orText, tableFormatShape } from '../schemas/format.ts';
import { nextText, textOfSystems } from '../short/list-text.ts';
import { viewPoint, viewSystem } from '../views.ts';
import { SearchTextSchema } from './search-text.ts';

const systemsText =
  'System                                Points  Page\nLlama 3.1 8B, fp8, H100, vllm 0.11.0       8  http://localhost:8787/systems/sys_3f1c5a0b9d8e7f6a5b4c3d2e\n';

const listSystemsRoute = createRoute({
  method: 'get',
  path: '/v1/systems',
  operationId: 'listSystems',
  tags: ['Systems'],
  summary: 'List measured systems',
  description: 'By label. A system is listed if one of its points meets the filters; `point_count` counts those.',
  request: {
    query: z.strictObject({
      q: SearchTextSchema.optional().openapi({
        description: 'Only systems whose labels contain words that start with these words, in any order.',
        example: 'llama h100',
      }),
      ...filterShape,
      system: originShape.system,
      ...boundShape,
      ...pageShape,
      ...tableFormatShape,
      ...fieldsShape(SystemListItemSchema, 'id,label,point_count'),
    }),
  },
  responses: {
    ...orText({ 200: json('A page, by label.', pageOf(SystemListItemSchema)) }, systemsText),
    ...readProblems,
  },
});

const getSystem = createRoute({
  method: 'get',
  path: '/v1/systems/{id}',
  operationId: 'getSystem',
  tags: ['Systems'],
  summary: 'Get a system with all its points',
  description: 'A point is one scenario under one load, with statistics over its repetitions.',
  request: {
    params: z.object({
      id: z.string().openapi({ description: 'Id of the system.', example: 'sys_3f1c5a0b9d8e7f6a5b4c3d2e' }),
    }),
    query: z.strictObject({ ...filterShape, ...boundShape }),
  },
  responses: { 200: json('The system.', SystemDetailSchema), ...readProblems, ...missing },
});

/** The id of the last system of the previous page. */
const CursorSchema = z.string().max(100);

export function systemRoutes(deps: Deps) {
  const { db } = deps.database;
  /** Lists are sorted by label. The cursor holds only the id, so that it stays short with long labels. */
  const findPlace = async (url: string) => {
    const id = decodeCursor(url, CursorSchema);
    if (id === null) return null;
    const label = await findSystemLabel(db, id);
    if (label === null) throw cursorRefusal();
    return { label, id };
  };
  return createRouter()
    .openapi(
      cached(deps, listSystemsRoute, ['results']),
      async (c) => {
        const { limit = limitDefault, cursor: _, fields: __, format, q, ...given } = c.req.valid('query');
        const filters = toFilters(given);
        await requireKnownValues(db, c.req.queries(), cursorFaults(c.req.url, CursorSchema));
        const after = await findPlace(c.req.url);
        const search = q === undefined ? null : readSearch(q);
        // Punctuation alone is no word, and matches no label.
        const isWordless = q !== undefined && search === null;
        const read = async (most: number) =>
          isWordless ? [] : listSystems(db, { filters, limit: most, after, search });
        const { page, cursor } = await readPage(c.req.url, limit, read, ({ id }) => id);
        const data = page.map((row) => ({
          ...viewSystem(row, deps.publicUrl),
          point_count: row.points,
          sources: row.sources,
        }));
        if (format !== 'text') return c.json({ data, next_cursor: cursor }, 200);
        return c.text(textOfSystems(data, deps.publicUrl, nextText(deps.publicUrl, c.req.url, cursor)), 200);
      },
      refuse(listSystemsRoute, async (c) => [
        ...(await unknownValueFaults(db, c.req.queries())),
        ...cursorFaults(c.req.url, CursorSchema),
      ]),
    )
    .openapi(
      cached(deps, getSystem, ['results']),
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
