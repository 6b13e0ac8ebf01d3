import { z } from '@hono/zod-openapi';
import { runStates } from '@inferboard/core/plans/run-state';
import { omissions } from '@inferboard/core/plans/scale';
import { loadModes } from '@inferboard/core/subjects/load';
import { LoadSchema, ScenarioSchema } from '../schemas/subjects.ts';
import { askedScenarioSchema, CapacitySchema, FindRequestSchema } from './capacity-schema.ts';
import { RunEndpointFactsSchema } from './endpoint-schema.ts';

const count = () => z.number().int();

const PlanItemSchema = z
  .object({
    scenario: askedScenarioSchema,
    load: z.object({
      mode: z.enum(loadModes),
      level: z.number(),
      burstiness: z.number().optional(),
      max_concurrency: count().optional(),
    }),
    requests: count().optional(),
    warmup: count().optional(),
  })
  .openapi('PlanItem');

/** A requested plan. */
export const askedPlanSchema = z
  .union([z.string(), z.array(PlanItemSchema)])
  .openapi({ description: 'As requested: a name, or a list.' });

export const PlanRequestSchema = z
  .object({
    find: FindRequestSchema.nullable(),
    repetitions: count().nullable(),
    until: z.string().nullable().openapi({ description: 'The width at which points are not repeated any more.' }),
    warmup: count().nullable(),
    seed: count().nullable().openapi({ description: 'Null for a schedule in which each run uses a random seed.' }),
    slo: z.string().nullable().openapi({ description: 'Latency limits of one request, for the goodput.' }),
    limits: z.object({
      duration_s: z.number().nullable(),
      requests: count().nullable(),
      tokens: count().nullable(),
      concurrency: count().nullable(),
      max_errors: count().nullable().openapi({ description: 'Consecutive failed requests that end a point.' }),
    }),
    workers: count().openapi({ description: 'Workers that share the requests of each point.' }),
  })
  .openapi('PlanRequest', { description: 'As requested; null if not given.' });

export const RunProgressSchema = z
  .object({
    points_done: count(),
    points_total: count(),
    requests_done: count(),
    requests_total: count(),
    eta_s: count()
      .nullable()
      .openapi({ description: 'Estimated seconds until the end; null if it is not being measured.' }),
  })
  .openapi('RunProgress');

const LiveLatencySchema = z
  .object({
    n: count(),
    p50: z.number().nullable(),
    p90: z.number().nullable(),
    p95: z.number().nullable(),
    p99: z.number().nullable(),
  })
  .openapi('LiveLatency', { description: 'Percentiles in ms so far; null if there are too few samples.' });

const LiveFiguresSchema = z
  .object({
    at: z.string(),
    point: z.string().openapi({ description: 'Key of the point that is being measured.' }),
    title: z.string().openapi({ description: 'Of the point: "chatbot, 4 concurrent".' }),
    requests: z.object({ done: count(), total: count() }).openapi({ description: 'Requests of the point.' }),
    in_flight: count(),
    req_s: z.number().nullable().openapi({ description: 'Requests per second in the last seconds.' }),
    output_tok_s: z.number().nullable().openapi({ description: 'Output tokens per second in the last seconds.' }),
    ttft_ms: LiveLatencySchema,
    itl_ms: LiveLatencySchema,
    e2e_ms: LiveLatencySchema,
    errors: z.record(z.string(), count()).openapi({ description: 'Failed requests by kind.' }),
    server: z
      .record(z.string(), z.number())
      .nullable()
      .openapi({ description: "Last reading of the server's metrics, by name; null if there is none." }),
  })
  .openapi('LiveFigures');

export const TimelineSchema = z
  .object({
    started_at: z.string(),
    bin_s: z.number().openapi({ description: 'Seconds per value.' }),
    series: z.array(
      z.object({
        name: z.string(),
        unit: z.string(),
        n: count().openapi({ description: 'Requests, or readings of the server.' }),
        values: z.array(z.number().nullable()).openapi({ description: 'One per bin; null if there is no sample.' }),
      }),
    ),
  })
  .openapi('RunTimeline');

const FailureSchema = z.object({ code: z.string(), message: z.string() }).openapi('RunFailure');

const RetrySchema = z
  .object({
    message: z.string().openapi({ description: 'Why the last attempt ended.' }),
    failed_at: z.string(),
    next_attempt_at: z.string().nullable().openapi({ description: 'Null if the next attempt has begun.' }),
    attempts_failed: count()
      .nullable()
      .openapi({ description: 'Failed attempts since the last measured point; null if they are not counted.' }),
    attempts_max: count().nullable().openapi({ description: 'The run fails after this number of failed attempts.' }),
  })
  .openapi('RunRetry');

export const CutShortSchema = z
  .object({
    points: count().openapi({
      description: 'Points that ended before their planned requests, of those in `points_done`.',
    }),
    last_error: z.string().nullable().openapi({
      description:
        "How the last failed request of these points ended, with at most 100 characters of the server's message; null if none failed.",
      example: 'status 503: "overloaded"',
    }),
  })
  .openapi('RunCutShort');

const summaryShape = {
  id: z.string(),
  state: z.enum(runStates),
  endpoint: z.object({
    id: z.string(),
    name: z.string().nullable().openapi({ description: 'Name given by its account; null in public responses.' }),
    model: z.string(),
    facts: RunEndpointFactsSchema,
  }),
  progress: RunProgressSchema,
  cut_short: CutShortSchema.nullable().openapi({
    description:
      'Points that consecutive failures, a cancellation or a stopped worker ended early. Null if there are none; a time limit does not count. In `GET /v1/runs/{id}`, `cut` in the summary of a point has the details.',
  }),
  failure: FailureSchema.nullable(),
  retry: RetrySchema.nullable().openapi({
    description: 'Why the run is retried, such as an unreachable endpoint; null if the last attempt measured a point.',
  }),
  cancel_requested_at: z.string().nullable(),
  attempt: count().openapi({ description: 'How often a worker claimed it.' }),
  schedule_id: z.string().nullable(),
  submissions: z
    .array(z.object({ id: z.string(), links: z.object({ self: z.string(), page: z.string() }) }))
    .openapi({ description: 'The submission that has its results.' }),
  created_at: z.string(),
  started_at: z.string().nullable(),
  ended_at: z.string().nullable(),
  links: z.object({ self: z.string(), page: z.string(), events: z.string(), endpoint: z.string() }),
};

export const RunSummarySchema = z
  .object({
    ...summaryShape,
    plan: z.string().nullable().openapi({ description: 'Name of the plan; null for a list, which `plan` has.' }),
  })
  .openapi('RunSummary');

const RunPointSchema = z
  .object({
    key: z.string().openapi({ description: 'The same for the same workload, load and repetition in every run.' }),
    scenario: ScenarioSchema,
    load: LoadSchema,
    repetition: count(),
    requests: count().openapi({ description: 'Requests that are measured.' }),
    measured_at: z.string().nullable(),
    summary: z.record(z.string(), z.unknown()).nullable().openapi({
      description:
        'Its figures; null until it is measured. `cut` is null if all planned requests ended; otherwise it has the reason (`failures`, `canceled`, `stopped` or `time_limit`), `requests_ended`, `requests_planned` and `last_error`. `samples` counts the samples of each latency. A percentile in `metrics` is null if there are too few: 5 for p50, 29 for p90, 59 for p95, 299 for p99.',
    }),
  })
  .openapi('RunPoint');

export const RunSchema = z
  .object({
    ...summaryShape,
    plan: askedPlanSchema,
    request: PlanRequestSchema,
    omitted: z
      .array(
        z.object({
          key: z.string(),
          title: z.string().nullable().openapi({
            description: 'Scenario and load: "agentic, burst of 256"; null for runs of earlier releases.',
          }),
          reason: z.enum(omissions),
        }),
      )
      .openapi({ description: 'Points of the plan that did not fit the limits.' }),
    capacity: CapacitySchema.nullable().openapi({
      description: 'What the plan `capacity` searches and finds; null for other plans.',
    }),
    live: LiveFiguresSchema.nullable().openapi({
      description: 'Figures of the current point, at most two seconds old; null if the run is not being measured.',
    }),
    timeline: TimelineSchema.nullable().openapi({
      description:
        "Throughput, TTFT and the server's metrics over the time of the run; null if no metrics of the server were read.",
    }),
    points: z.array(RunPointSchema).openapi({ description: 'In measurement order.' }),
  })
  .openapi('Run');
