import { z } from '@hono/zod-openapi';
import { askedPlanSchema, endpointIdSchema, PlanRequestSchema, planShape } from './run.ts';

/** For the document: `readAskedRun` and `readTimes` read what a caller writes. */
export const scheduleBodyDocument = z.toJSONSchema(
  z.strictObject({
    endpoint_id: endpointIdSchema,
    ...planShape,
    cron: z
      .string()
      .min(1)
      .max(200)
      .describe(
        'When runs begin: minute, hour, day of month, month, day of week; an hour at least from one to the next.',
      ),
    time_zone: z
      .string()
      .min(1)
      .max(100)
      .nullish()
      .describe('Where the clock of `cron` hangs: Europe/Berlin. UTC unless told.'),
  }),
  { io: 'input' },
) as object;

export const scheduleExample = {
  endpoint_id: 'ep_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f',
  plan: 'inference-report',
  repetitions: 1,
  cron: '30 3 * * MON',
  time_zone: 'Europe/Berlin',
};

export const ScheduleSchema = z
  .object({
    id: z.string(),
    endpoint_id: z.string(),
    plan: askedPlanSchema,
    request: PlanRequestSchema,
    cron: z.string(),
    time_zone: z.string(),
    next_at: z.string().nullable().openapi({ description: 'When the next run begins; null where none is to come.' }),
    last_run_id: z.string().nullable(),
    skipped_at: z.string().nullable().openapi({
      description:
        'When a run was due last and none was made, because the one before was not over, or nothing may be asked.',
    }),
    created_at: z.string(),
    links: z.object({ self: z.string(), endpoint: z.string(), last_run: z.string().nullable() }),
  })
  .openapi('Schedule');
