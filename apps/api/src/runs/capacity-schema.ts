import { z } from '@hono/zod-openapi';
import { searchEnds } from '@inferboard/core/plans/capacity-answer';
import { searchDefaults, searchModes, searchPointsMax } from '@inferboard/core/plans/capacity-search';

const whole = (least: number, most: number) => z.int().min(least).max(most);
const level = () => z.number().positive().max(10_000);

const { first, highest, pointsMax, requests } = searchDefaults;

/** The search of the plan `capacity`, for the document only: `readPlan` of core parses it. */
export const findDocument = (scenario: z.ZodType) =>
  z
    .strictObject({
      limits: z
        .string()
        .max(500)
        .describe(
          'Latency limits in ms, such as `ttft_p99<2000,tpot_p99<50`. Metrics: ttft, tpot, itl, e2e. Statistics: mean, p50, p90, p95, p99, max.',
        ),
      scenario,
      mode: z.enum(searchModes).optional().describe('What is searched: users or requests per second. Default: users.'),
      from: level().optional().describe(`The load of the first point. Default: ${first}.`),
      to: level().optional().describe(`The highest load that may be measured. Default: ${highest}.`),
      points: whole(2, searchPointsMax).optional().describe(`Maximum number of points. Default: ${pointsMax}.`),
      requests: whole(1, 1_000_000).optional().describe('Requests of a point near the limit. Default: by its load.'),
    })
    .describe(
      `Required with the plan \`capacity\`: finds the highest load that meets the limits. Without \`limits.requests\`, the run sends at most ${requests} requests.`,
    );

const tokens = () => z.union([z.number().int(), z.string()]).optional();

const mixPart = z.object({
  name: z.string().optional(),
  input_tokens: z.number().int().optional(),
  output_tokens: z.number().int().optional(),
  weight: z.number().int().optional(),
});

/** A requested workload. */
export const askedScenarioSchema = z.union([
  z.string(),
  z.object({
    name: z.string().optional(),
    input_tokens: tokens(),
    output_tokens: tokens(),
    dataset: z.string().optional(),
    prefix: z.object({ groups: z.number().int(), tokens: z.number().int() }).optional(),
    turns: z.number().int().optional(),
    think_s: z.union([z.number(), z.string()]).optional(),
    mix: z.array(mixPart).optional(),
  }),
]);

/** The requested search. */
export const FindRequestSchema = z
  .object({
    limits: z.string(),
    scenario: askedScenarioSchema,
    mode: z.enum(searchModes).optional(),
    from: z.number().optional(),
    to: z.number().optional(),
    points: z.number().int().optional(),
    requests: z.number().int().optional(),
  })
  .openapi('FindRequest');

const FoundSchema = z
  .object({
    end: z.enum(searchEnds).nullable().openapi({
      description:
        'Why the search ended; null while it continues. `found`: the interval is narrow enough; `highest_holds`: the highest load met the limits; `lowest_fails`: the lowest load missed one; `noise`: repetitions differ too much; `points`: the budget is used.',
    }),
    level: z.number().nullable().openapi({ description: 'The load at the limit; null if no load met the limits.' }),
    interval: z.object({ meets: z.number().nullable(), misses: z.number().nullable() }).openapi({
      description:
        'Concurrency: the highest load that certainly meets the limits, and the lowest that certainly misses one. Rate: the ends of the interval that contains the capacity with a probability of 80 %.',
    }),
    bound: z
      .string()
      .nullable()
      .openapi({ description: 'What the load above the interval missed: a limit, `failures` or `saturation`.' }),
    completed_req_s: z
      .number()
      .nullable()
      .openapi({ description: 'Completed requests per second at the highest load that met the limits.' }),
    saturated_from: z
      .number()
      .nullable()
      .openapi({ description: 'The lowest load at which throughput is flat and requests queue.' }),
    points: z.number().int(),
    requests: z.number().int(),
    text: z.string().openapi({ description: 'The answer in sentences.' }),
  })
  .openapi('FoundCapacity');

/** The search of a run and its answer. */
export const CapacitySchema = z
  .object({
    mode: z.enum(searchModes),
    limits: z.array(z.string()),
    from: z.number(),
    to: z.number().openapi({ description: 'The highest load that may be measured.' }),
    budget: z
      .object({
        points: z.number().int(),
        requests: z.number().int(),
        tokens: z.number().int().nullable(),
        duration_s: z.number().nullable(),
      })
      .openapi({ description: 'Maximum of all points together, fixed when the run is created.' }),
    found: FoundSchema.nullable().openapi({ description: 'The answer so far; null before the first point.' }),
  })
  .openapi('RunCapacity');
