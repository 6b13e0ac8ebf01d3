import { z } from '@hono/zod-openapi';
import { endpointIdSchema, planShape } from './plan-document.ts';
import { askedPlanSchema, PlanRequestSchema } from './run-schema.ts';

/** For the document: `readRunRequest` and `readTimes` parse the input. */
export const scheduleBodyDocument = z.toJSONSchema(
  z.strictObject({
    endpoint_id: endpointIdSchema,
    ...planShape,
    cron: z
      .string()
      .min(1)
      .max(200)
      .describe(
        'When runs start: minute, hour, day of month, month, day of week. Runs must be at least one hour apart.',
      ),
    time_zone: z
      .string()
      .min(1)
      .max(100)
      .nullish()
      .describe('Time zone of `cron`, such as Europe/Berlin. Default: UTC.'),
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
    next_at: z.string().nullable().openapi({ description: 'When the next run starts; null if there is none.' }),
    last_run_id: z.string().nullable(),
    skipped_at: z.string().nullable().openapi({
      description:
        'The last time that a run was skipped, because the previous one was not finished or a limit was reached.',
    }),
    created_at: z.string(),
    links: z.object({ self: z.string(), endpoint: z.string(), last_run: z.string().nullable() }),
  })
  .openapi('Schedule');
