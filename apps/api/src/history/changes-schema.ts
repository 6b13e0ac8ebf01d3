import { z } from '@hono/zod-openapi';
import { changeBounds, verdicts } from '@inferboard/core/series/change';
import { pageOf } from '../schemas/common.ts';
import { LoadSchema, ScenarioSchema, SystemSchema, WorkloadSchema } from '../schemas/subjects.ts';
import { KindSchema } from '../submissions/actions/result-schema.ts';
import { changeTypes } from './find-changes.ts';
import {
  loadExample,
  newSideExample,
  oldSideExample,
  scenarioExample,
  systemExample,
  workloadExample,
} from './history-example-schema.ts';

const percent = (fraction: number) => `${fraction * 100} %`;
const interval = z.tuple([z.number(), z.number()]).nullable();

const SideSchema = z.object({
  system_id: z.string(),
  engine_version: z.string().nullable(),
  n: z.number().int().nullable(),
  mean: z.number(),
  sd: z.number().nullable(),
  ci95: interval,
  results: z.number().int(),
  measured_at: z.string().nullable().openapi({ description: 'Of the latest result; null if not stated.' }),
  created_at: z.string().openapi({ description: 'When the latest result was stored.' }),
});

export const ChangeSchema = z
  .object({
    id: z.string().openapi({ description: 'Stable as long as the result that caused the change is ranked.' }),
    type: z.enum(changeTypes).openapi({
      description:
        '`version`: compared with the previous version of the engine. `day`: compared with all earlier days of the same system. ' +
        '`new_best`: took first place for its model, GPU and scenario, compared with the previous first.',
    }),
    verdict: z.enum(verdicts).openapi({
      description:
        `\`regression\`, \`improvement\`: at least ${percent(changeBounds.effect)}, and the interval excludes 1. ` +
        `\`stable\`: less, or not distinguishable within ${percent(changeBounds.reach)}. \`insufficient_data\`: fewer than ` +
        `${changeBounds.repetitions} repetitions on a side, or too much scatter; \`reason\` states which.`,
    }),
    effect: z
      .number()
      .nullable()
      .openapi({ description: 'Relative change in the better direction, as a fraction. Above 0 is better.' }),
    ratio: z.number().nullable().openapi({ description: 'New value divided by old value, regardless of direction.' }),
    interval: interval.openapi({ description: '95 % interval of the ratio (Welch).' }),
    reason: z.string().nullable(),
    title: z.string(),
    summary: z.string(),
    metric: z.string(),
    unit: z.string(),
    better: z.enum(['lower', 'higher', 'neutral']),
    definition: z.string().nullable().openapi({ description: 'The formula of both; null if the metric has only one.' }),
    at: z.string().openapi({ description: 'When the result that caused the change was stored.' }),
    kind: KindSchema,
    system: SystemSchema,
    scenario: ScenarioSchema,
    workload: WorkloadSchema,
    load: LoadSchema,
    new: SideSchema,
    old: SideSchema,
    links: z.object({
      system: z.string(),
      page: z.string(),
      history: z.string(),
      compare: z.string().nullable().openapi({ description: 'Null if both are the same system.' }),
    }),
  })
  .openapi('Change');

export const ChangesSchema = pageOf(ChangeSchema);

const base = 'http://localhost:8787';

/** Made-up data, as the identifiers show. 902.1 / 981.6 = 0.919; error sqrt(8.4^2 / 902.1^2 / 5 + 6.2^2 / 981.6^2 / 5). */
export const changesExample = {
  data: [
    {
      id: 'res_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f-version-output_tok_s_per_gpu',
      type: 'version' as const,
      verdict: 'regression' as const,
      effect: -0.081,
      ratio: 0.919,
      interval: [0.908, 0.93] as [number, number],
      reason: null,
      title: 'Regression: Llama 3.1 8B · FP8 · H100 SXM · vLLM 0.11.0, Chatbot, 8 concurrent',
      summary:
        'Output throughput per GPU fell by 8.1 % from 981.6 to 902.1 tok/s (n = 5 and 5; 95 % interval of the ratio 0.908 to 0.93), vLLM 0.11.0 compared with 0.10.2.',
      metric: 'output_tok_s_per_gpu',
      unit: 'tok/s',
      better: 'higher' as const,
      definition: null,
      at: '2026-10-05T08:00:00.000Z',
      kind: 'serving' as const,
      system: systemExample,
      scenario: scenarioExample,
      workload: workloadExample,
      load: loadExample,
      new: { ...newSideExample, measured_at: null, created_at: '2026-10-05T08:00:00.000Z' },
      old: { ...oldSideExample, measured_at: '2026-09-14T07:31:00.000Z', created_at: '2026-09-14T08:00:00.000Z' },
      links: {
        system: systemExample.links.self,
        page: systemExample.links.page,
        history: `${base}/v1/history?system=${systemExample.id}&metric=output_tok_s_per_gpu&scenario=chatbot`,
        compare: `${base}/v1/compare?system=${oldSideExample.system_id}&system=${systemExample.id}`,
      },
    },
  ],
  next_cursor: null,
};
