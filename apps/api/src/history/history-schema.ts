import { z } from '@hono/zod-openapi';
import { LoadSchema, ScenarioSchema, SystemSchema, WorkloadSchema } from '../schemas/subjects.ts';
import { KindSchema, TrustSchema } from '../submissions/actions/result-schema.ts';

const interval = z.tuple([z.number(), z.number()]).nullable();

export const HistoryValueSchema = z
  .object({
    system_id: z.string(),
    engine_version: z.string().nullable(),
    month: z.string().nullable().openapi({ description: 'If values are by month: "2026-11", in UTC.' }),
    result_id: z.string().nullable().openapi({ description: 'If values are single results.' }),
    submission_id: z.string().nullable(),
    n: z
      .number()
      .int()
      .nullable()
      .openapi({ description: 'Repetitions; null if a tool averaged and does not report the number.' }),
    mean: z.number(),
    sd: z.number().nullable(),
    ci95: interval,
    results: z.number().int().openapi({ description: 'Number of results in the value.' }),
    definition: z.string().nullable(),
    trust: TrustSchema,
    at: z.string().openapi({ description: 'Time to plot the value at: the latest of its results.' }),
    at_is: z
      .enum(['measured', 'stored'])
      .openapi({ description: '`stored` if the time of measurement is unknown; `at` is then the time of storage.' }),
    measured_at: z.string().nullable(),
    created_at: z.string(),
  })
  .openapi('HistoryValue');

/** The values of one metric at one scenario and load. */
export const HistorySeriesSchema = z.object({
  kind: KindSchema,
  scenario: ScenarioSchema,
  workload: WorkloadSchema,
  load: LoadSchema,
  definition: z
    .string()
    .nullable()
    .openapi({ description: 'The formula of all values of this series; null if the metric has only one.' }),
  values: z.array(HistoryValueSchema).openapi({ description: 'Oldest first, one per step of `by`.' }),
  truncated: z.boolean().openapi({
    description: 'A point has more results than are read; only the newest are read. Request one scenario and load.',
  }),
});

export const HistorySchema = z
  .object({
    system: SystemSchema,
    metric: z.string(),
    unit: z.string(),
    better: z.enum(['lower', 'higher', 'neutral']),
    by: z.enum(['version', 'month', 'result']),
    versions: z
      .array(
        z.object({
          system_id: z.string(),
          engine_version: z.string().nullable(),
          created_at: z.string().openapi({ description: 'When this version was first seen.' }),
          links: z.object({ self: z.string(), page: z.string() }),
        }),
      )
      .openapi({
        description:
          'The system and those that differ from it only in the engine version, oldest first: by version number if all have the same format, else by when they were first measured. The 200 newest.',
      }),
    data: z.array(HistorySeriesSchema),
    next_cursor: z.string().nullable(),
  })
  .openapi('History');
