import { z } from '@hono/zod-openapi';
import { KindSchema, LoadSchema, ScenarioSchema, SystemSchema, TrustSchema, WorkloadSchema } from './result.ts';

const interval = z.tuple([z.number(), z.number()]).nullable();

export const HistoryValueSchema = z
  .object({
    system_id: z.string(),
    engine_version: z.string().nullable(),
    month: z.string().nullable().openapi({ description: 'Where values are by month: "2026-11", in UTC.' }),
    result_id: z.string().nullable().openapi({ description: 'Where values are single results.' }),
    submission_id: z.string().nullable(),
    n: z
      .number()
      .int()
      .nullable()
      .openapi({ description: 'Repetitions; null where a tool averaged and does not tell.' }),
    mean: z.number(),
    sd: z.number().nullable(),
    ci95: interval,
    results: z.number().int().openapi({ description: 'Results behind the value.' }),
    definition: z.string().nullable(),
    trust: TrustSchema,
    at: z.string().openapi({ description: 'Time to plot the value at: the latest of its results.' }),
    at_is: z
      .enum(['measured', 'stored'])
      .openapi({ description: '`stored` where nobody said when it was measured, and `at` is when it came here.' }),
    measured_at: z.string().nullable(),
    created_at: z.string(),
  })
  .openapi('HistoryValue');

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
          created_at: z.string().openapi({ description: 'Since when this version is known here.' }),
          links: z.object({ self: z.string(), page: z.string() }),
        }),
      )
      .openapi({
        description:
          'The system and those that equal it in everything but the version of their engine, oldest first: by their numbers where all are numbered alike, else by when they became known. The 200 newest.',
      }),
    data: z.array(
      z.object({
        kind: KindSchema,
        scenario: ScenarioSchema,
        workload: WorkloadSchema,
        load: LoadSchema,
        definition: z
          .string()
          .nullable()
          .openapi({ description: 'The formula of all values of this series; null where the metric has one.' }),
        values: z.array(HistoryValueSchema).openapi({ description: 'Oldest first, as `by` counts.' }),
        truncated: z.boolean().openapi({
          description: 'A point has more results than are read, the newest: ask for one scenario and load.',
        }),
      }),
    ),
    next_cursor: z.string().nullable(),
  })
  .openapi('History');
