import { createRoute, z } from '@hono/zod-openapi';
import { DomainError } from '@inferboard/core/errors';
import {
  findSchedule,
  insertSchedule,
  listSchedules,
  removeSchedule,
  type ScheduleRow,
  schedulesMax,
} from '@inferboard/db/runs/schedule';
import type { Context } from 'hono';
import { fieldsShape } from '../conventions/fields.ts';
import { removeOwned } from '../conventions/remove-owned.ts';
import type { AppContext, Deps } from '../deps.ts';
import { isId } from '../http/is-id.ts';
import { readJsonValue } from '../http/read-json.ts';
import { refuse } from '../http/refuse.ts';
import { createRouter } from '../http/router.ts';
import { reachOf, requireKeyToPost, requireScope } from '../middleware/auth.ts';
import { limitBody } from '../middleware/limit-body.ts';
import { conflict, json, missing, notJson, refusal, tooLarge, writeProblems } from '../schemas/common.ts';
import { sends } from '../schemas/headers.ts';
import { instant } from '../views.ts';
import { endpointUnknown, invalidBody, type PlanRequest, readRunRequest, requireObject } from './read-run-request.ts';
import { readTimes } from './read-times.ts';
import { viewPlanRequest } from './run-views.ts';
import { ScheduleSchema, scheduleBodyDocument, scheduleExample } from './schedule-schema.ts';

const idParam = z.object({
  id: z.string().openapi({ description: 'Id of the schedule.', example: 'sch_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f' }),
});
const query = z.strictObject({});
const tags = ['Managed runs'];
const security = [{ key: ['run'] }];
const hiddenFromOthers = "Only your account's; admins can access any.";
const tooMany = `The account has ${schedulesMax} schedules. Remove one first.`;

const createSchedule = createRoute({
  method: 'post',
  path: '/v1/schedules',
  operationId: 'createSchedule',
  tags,
  summary: 'Schedule managed runs',
  description:
    'Creates a run at the times of `cron`. A run is skipped if the previous one has not finished, or if the endpoint has reached a limit. ' +
    `An account can have at most ${schedulesMax}.`,
  security,
  request: {
    query,
    body: {
      required: true,
      content: { 'application/json': { schema: scheduleBodyDocument, example: scheduleExample } },
    },
  },
  responses: {
    201: { ...json('Created.', ScheduleSchema), headers: sends('Location') },
    ...writeProblems,
    ...tooLarge,
    ...notJson,
    ...conflict('The account has the maximum number.', refusal('schedules_too_many', tooMany)),
  },
});

const listSchedulesRoute = createRoute({
  method: 'get',
  path: '/v1/schedules',
  operationId: 'listSchedules',
  tags,
  summary: 'List the schedules of the account',
  security,
  request: { query: z.strictObject(fieldsShape(ScheduleSchema, 'id,next_at')) },
  responses: {
    200: json('The list.', z.object({ data: z.array(ScheduleSchema), next_cursor: z.null() })),
    ...writeProblems,
  },
});

const getSchedule = createRoute({
  method: 'get',
  path: '/v1/schedules/{id}',
  operationId: 'getSchedule',
  tags,
  summary: 'Get a schedule',
  description: hiddenFromOthers,
  security,
  request: { params: idParam, query },
  responses: { 200: json('The schedule.', ScheduleSchema), ...writeProblems, ...missing },
});

const removeScheduleRoute = createRoute({
  method: 'delete',
  path: '/v1/schedules/{id}',
  operationId: 'removeSchedule',
  tags,
  summary: 'Remove a schedule',
  description: `${hiddenFromOthers} Its runs are kept, and a started run continues.`,
  security,
  request: { params: idParam, query },
  responses: { 204: { description: 'Removed.' }, ...writeProblems, ...missing },
});

function viewSchedule(row: ScheduleRow, base: string) {
  // `readRunRequest` created the stored value.
  const request = row.request as unknown as PlanRequest;
  const { lastRunId } = row;
  return {
    id: row.id,
    endpoint_id: row.endpointId,
    plan: request.plan,
    request: viewPlanRequest(request),
    cron: row.cron,
    time_zone: row.timeZone,
    next_at: row.nextAt === null ? null : instant(row.nextAt),
    last_run_id: lastRunId,
    skipped_at: row.skippedAt === null ? null : instant(row.skippedAt),
    created_at: instant(row.createdAt),
    links: {
      self: `${base}/v1/schedules/${row.id}`,
      endpoint: `${base}/v1/endpoints/${row.endpointId}`,
      last_run: lastRunId === null ? null : `${base}/v1/runs/${lastRunId}`,
    },
  };
}

const names = ['cron', 'time_zone'];

async function store(deps: Deps, c: Context<AppContext>): Promise<ScheduleRow> {
  const { db } = deps.database;
  const { accountId } = requireScope(c, 'run');
  const body = requireObject(await readJsonValue(c));
  const times = readTimes(body, new Date());
  const others = { names, faults: Array.isArray(times) ? times : [] };
  const { endpoint, request } = await readRunRequest(db, reachOf(c, 'run'), body, others);
  if (Array.isArray(times)) throw invalidBody(times);
  const { cron, timeZone, nextAt } = times;
  const asked = { accountId, endpointId: endpoint.id, request: { ...request } };
  const stored = await insertSchedule(db, { ...asked, cron, timeZone, nextAt: nextAt.toISOString() });
  if (stored === 'too_many') throw new DomainError('schedules_too_many', tooMany);
  if (stored === 'endpoint_gone') throw invalidBody([endpointUnknown()]);
  return stored;
}

const notFound = 'There is no schedule with this id, or you may not read it.';
/** Enough for a list of a thousand workloads. */
const bodyBytesMax = 1024 * 1024;

export function scheduleRoutes(deps: Deps) {
  const { db } = deps.database;
  const router = createRouter();
  router.use('/v1/schedules', requireKeyToPost, limitBody(bodyBytesMax));
  return router
    .openapi(
      createSchedule,
      async (c) => {
        const view = viewSchedule(await store(deps, c), deps.publicUrl);
        return c.json(view, 201, { Location: view.links.self });
      },
      refuse(createSchedule),
    )
    .openapi(
      listSchedulesRoute,
      async (c) => {
        const { accountId } = requireScope(c, 'run');
        const rows = await listSchedules(db, accountId);
        return c.json({ data: rows.map((row) => viewSchedule(row, deps.publicUrl)), next_cursor: null }, 200);
      },
      refuse(listSchedulesRoute),
    )
    .openapi(
      getSchedule,
      async (c) => {
        const reach = reachOf(c, 'run');
        const { id } = c.req.valid('param');
        const row = isId('sch', id) ? await findSchedule(db, id, reach) : null;
        if (row === null) throw new DomainError('not_found', notFound);
        return c.json(viewSchedule(row, deps.publicUrl), 200);
      },
      refuse(getSchedule),
    )
    .openapi(
      removeScheduleRoute,
      removeOwned(deps, {
        path: '/v1/schedules',
        prefix: 'sch',
        scope: 'run',
        act: 'schedule_removed',
        notFound,
        remove: removeSchedule,
      }),
      refuse(removeScheduleRoute),
    );
}
