import { z } from '@hono/zod-openapi';
import { datasetIds } from '@inferboard/core/plans/datasets';
import { tokensMax } from '@inferboard/core/plans/lengths';
import { mixPartsMax, weightMax } from '@inferboard/core/plans/mix';
import { capacityPlan, namedPlans } from '@inferboard/core/plans/named-plans';
import { errorsMost, errorsUsual, itemsMax, repetitionsMax, workersMax } from '@inferboard/core/plans/plan-schema';
import { seedMax } from '@inferboard/core/plans/point';
import { prefixesMax, thinkMax, turnsMax } from '@inferboard/core/plans/scenario-schema';
import { NameSchema } from '@inferboard/core/text/text';
import { findDocument } from './capacity-schema.ts';

// Input schemas, for the document only: `readPlan` of core parses the input and reports its errors.

const whole = (least: number, most: number) => z.int().min(least).max(most);
const requests = whole(1, 1_000_000).optional();
const warmup = whole(0, 1_000_000).optional().describe('Warm-up requests, which are not measured.');

/** Lengths in the document: a number of tokens, or a distribution. */
const fraction = '0\\.[0-9]{0,5}[1-9]';
const decimals = '(\\.[0-9]{1,6})?';
const positive = `(${fraction}|[1-9][0-9]{0,6}${decimals})`;
const lengthPattern = `^((uniform|normal):${positive}:${positive}|lognormal:${positive}:(${fraction}|[1-4]${decimals}|5))$`;
const tokens = (of: string) =>
  z
    .union([whole(1, tokensMax), z.string().max(500).meta({ pattern: lengthPattern })])
    .optional()
    .describe(
      `Tokens of ${of}, or the distribution that they are drawn from: \`uniform:MIN:MAX\`, \`normal:MEAN:SD\` or \`lognormal:MEDIAN:SIGMA\`.`,
    );

const scenario = z
  .union([
    NameSchema.describe('A scenario of the catalogue.'),
    z.strictObject({
      name: NameSchema.optional(),
      input_tokens: tokens('the prompt'),
      output_tokens: tokens('the response'),
      dataset: NameSchema.optional().describe(`A data set: ${datasetIds.join(', ')}.`),
      prefix: z
        .strictObject({
          groups: whole(1, prefixesMax).describe('Number of different prefixes.'),
          tokens: whole(1, tokensMax).describe('Tokens of each prefix, in addition to those of the prompt.'),
        })
        .optional()
        .describe('Each prompt begins with one of these prefixes, for servers with a prefix cache.'),
      turns: whole(2, turnsMax)
        .optional()
        .describe(
          'Turns of each conversation. Each turn contains all earlier messages and responses. `requests`, `warmup` and the load then count conversations; limits count each turn as a request.',
        ),
      think_s: z
        .union([z.number().positive().max(thinkMax), z.string().max(500).meta({ pattern: lengthPattern })])
        .optional()
        .describe(
          'Seconds from the end of a response to the next turn, or their distribution, with a mean of at most 3600. Requires `turns`.',
        ),
      mix: z
        .array(
          z.strictObject({
            name: NameSchema.optional().describe('A scenario of the catalogue, instead of lengths.'),
            input_tokens: whole(1, tokensMax).optional().describe('Tokens of the prompt.'),
            output_tokens: whole(1, tokensMax).optional().describe('Tokens of the response.'),
            weight: whole(1, weightMax).optional().describe('Its share is this by the sum of all weights. Default: 1.'),
          }),
        )
        .min(2)
        .max(mixPartsMax)
        .optional()
        .describe('A mix: each request has one of these shapes, drawn by weight. Without the other fields.'),
    }),
  ])
  .describe('The workload.');

const items = z.union([
  z.strictObject({
    scenario,
    load: z.strictObject({ mode: z.enum(['concurrency', 'burst', 'batch']), level: whole(1, 10_000) }),
    requests: requests.describe('For a closed loop, at least the number of users. Bursts and batches use their level.'),
    warmup,
  }),
  z.strictObject({
    scenario,
    load: z.strictObject({
      mode: z.literal('rate'),
      level: z.number().positive().max(10_000).describe('Requests per second.'),
      burstiness: z.number().min(0.01).max(1_000_000).optional().describe('Shape of the arrivals: 1 is Poisson.'),
      max_concurrency: whole(1, 10_000).optional().describe('Maximum number of requests in flight.'),
    }),
    requests,
    warmup,
  }),
]);

const requestLimit = '(ttft|tpot|itl|e2e)<=?[0-9]+(\\.[0-9]+)?';

/** The plan of a run, as given by the caller. */
export const planShape = {
  plan: z
    .union([z.enum([...namedPlans.map(({ id }) => id), capacityPlan]), z.array(items).min(1).max(itemsMax)])
    .describe('The name of a plan, or a list of workloads, each with a load.'),
  find: findDocument(scenario).nullish(),
  repetitions: whole(1, repetitionsMax)
    .nullish()
    .describe('Repetitions of every point. Default: 3 for named plans, 1 for lists.'),
  until: z
    .string()
    .max(500)
    .meta({ pattern: '^ci=[0-9]+(\\.[0-9]+)?%(,max=[0-9]+)?$' })
    .nullish()
    .describe(
      `Repeats each point until the 95 % intervals of its throughput, mean TTFT and mean TPOT are this narrow, such as \`ci=2%\` or \`ci=2%,max=20\`. Instead of \`repetitions\`. Default maximum: 10 repetitions; at most ${repetitionsMax}. Limits apply to the maximum.`,
    ),
  warmup: whole(0, 1_000_000).nullish().describe('Requests before each point that are not measured.'),
  seed: whole(0, seedMax).nullish().describe('Seed of the prompts and arrivals. Default: random.'),
  slo: z
    .string()
    .max(500)
    .meta({ pattern: `^${requestLimit}(,${requestLimit})*$` })
    .nullish()
    .describe(
      'Latency limits of one request in ms, such as `ttft<500,tpot<30`. Each point then has the goodput: the rate of requests that met all of them. Metrics: ttft, tpot, itl, e2e. Default: none; with the plan `capacity`, the limits of `find`.',
    ),
  limits: z
    .strictObject({
      duration_s: z.number().positive().max(2_592_000).nullish().describe('Seconds of sending.'),
      requests: whole(1, 100_000_000).nullish().describe('Requests, including the warm-up.'),
      tokens: whole(1, Number.MAX_SAFE_INTEGER).nullish().describe('Requested tokens, input and output.'),
      concurrency: whole(1, 10_000).nullish().describe('Requests in flight.'),
      max_errors: whole(1, errorsMost)
        .nullish()
        .describe(`Consecutive failed requests that end a point. Default: ${errorsUsual}.`),
    })
    .nullish()
    .describe('Limits of the whole run. Points that do not fit get fewer requests or are skipped.'),
  workers: whole(1, workersMax)
    .nullish()
    .describe(
      'Workers that share the requests of each point; default: 1. If fewer are free within 30 seconds, these measure the run. ' +
        'More than one requires an endpoint whose control is proven, and a plan other than `capacity`, without `until`.',
    ),
};

export const endpointIdSchema = z
  .string()
  .regex(/^ep_[0-9a-f]{32}$/)
  .describe('The endpoint to measure.');

export const runBodyDocument = z.toJSONSchema(z.strictObject({ endpoint_id: endpointIdSchema, ...planShape }), {
  io: 'input',
}) as object;

export const runExamples = {
  named: { endpoint_id: 'ep_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f', plan: 'inference-report', limits: { concurrency: 8 } },
  capacity: {
    endpoint_id: 'ep_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f',
    plan: 'capacity',
    find: { limits: 'ttft_p99<2000,tpot_p99<50', scenario: 'chatbot', mode: 'concurrency', from: 1, to: 256 },
    limits: { requests: 10_000 },
  },
  listed: {
    endpoint_id: 'ep_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f',
    plan: [
      { scenario: 'chatbot', load: { mode: 'concurrency', level: 2 } },
      { scenario: { input_tokens: 2000, output_tokens: 100 }, load: { mode: 'rate', level: 2 }, requests: 20 },
      {
        scenario: { input_tokens: 'normal:512:64', output_tokens: 256, prefix: { groups: 8, tokens: 1024 } },
        load: { mode: 'concurrency', level: 8 },
      },
      {
        scenario: {
          mix: [
            { name: 'chatbot', weight: 7 },
            { input_tokens: 4096, output_tokens: 64, weight: 3 },
          ],
        },
        load: { mode: 'concurrency', level: 8 },
      },
    ],
    seed: 42,
  },
};
