import { z } from '@hono/zod-openapi';
import { PriceSchema, PricesSchema, pricesDescription } from '../prices/prices-schema.ts';
import { MetricValuesSchema } from '../schemas/common.ts';
import {
  ListedLoadSchema,
  ListedScenarioSchema,
  ListedSystemSchema,
  ListedWorkloadSchema,
  LoadSchema,
  ScenarioSchema,
  SystemSchema,
  WorkloadSchema,
} from '../schemas/subjects.ts';
import {
  KindSchema,
  SourceSchema,
  StatisticsSchema,
  StatusSchema,
  TrustSchema,
} from '../submissions/actions/result-schema.ts';
import {
  ChoiceSchema,
  excludedAtLeastSchema,
  excludedDescription,
  importedShape,
  orNull,
  RankChoiceSchema,
  WorkloadChoiceSchema,
} from './choice-schema.ts';

const AccountFigureSchema = z
  .object({
    account: z.string().openapi({ description: 'Account id.' }),
    n: z.number().int().nullable(),
    mean: z.number().openapi({ description: "In the metric's unit." }),
    ci95: z.tuple([z.number(), z.number()]).nullable(),
  })
  .openapi('AccountFigure');

export const ReplicationSchema = z
  .object({
    replicated: z.array(z.string()).openapi({
      description:
        'Ids of the accounts whose claims another account replicated: every mean and rate that both have, by the same formula, ' +
        'within 5 %, and with records of requests or at least three runs. A claim that has neither is replicated ' +
        'only if it is earlier than every claim that confirms it.',
    }),
    agreeing: z.number().int().openapi({ description: 'Claims that agree with the chosen one.' }),
    disagreeing: z
      .number()
      .int()
      .openapi({ description: 'Claims that disagree with it. Their figures are never pooled with it.' }),
    conflicts: z
      .array(
        z.object({
          metric: z.string(),
          definition: z.string().nullable(),
          apart: z.number().openapi({ description: 'Difference of the two as a fraction of the larger.' }),
          low: AccountFigureSchema,
          high: AccountFigureSchema,
        }),
      )
      .openapi({
        description: 'Metrics on which another account disagrees with the chosen claim, with both figures.',
      }),
  })
  .openapi('Replication');

const pointFields = {
  kind: KindSchema,
  status: StatusSchema,
  scenario: ScenarioSchema,
  workload: WorkloadSchema,
  load: LoadSchema,
  metrics: MetricValuesSchema,
  derived: MetricValuesSchema,
  definitions: z.record(z.string(), z.string()),
  trust: TrustSchema,
  findings: z.number().int().openapi({ description: 'Findings of all results of the point, including infos.' }),
  warnings: z.number().int().openapi({ description: 'Those of them that are warnings or violations.' }),
  replication: ReplicationSchema.nullable().openapi({
    description:
      'What other accounts report about this point; null if only one account measured it. The figures are those of one claim.',
  }),
} as const;

const leftOut = (value: string) => `A short response omits it if it is ${value}.`;

const EntryStatisticsSchema = StatisticsSchema.extend({
  assumed: z
    .object({
      cv: z.number().openapi({ description: 'Coefficient of variation of the repeated points, pooled; a fraction.' }),
      n_points: z
        .number()
        .int()
        .openapi({ description: 'Number of repeated points of the same tool that it is based on.' }),
      interval: z.tuple([z.number(), z.number()]),
    })
    .nullable()
    .openapi({
      description:
        'For a single measurement: the 95 % interval used for ranking, assuming the same scatter as the repeated points of ' +
        'its tool. `ci95` stays null. Null if the point was repeated, or if no point of the tool was.',
    }),
  runs: z
    .array(
      z.object({
        result_id: z.string(),
        submission_id: z.string(),
        repetition: z.number().int().nullable(),
        value: z.number(),
      }),
    )
    .openapi({ description: 'The repetitions of the value, the first 20.' }),
})
  .partial()
  .required({ n: true, sd: true, ci95: true })
  .openapi('EntryStatistics', {
    description:
      'Statistics of the ranked metric. A short response omits `mean` if it is the value, and `outliers` if there are none.',
  });

export const EntrySchema = z
  .object({
    rank: z.number().int().nullable().openapi({
      description: 'Null for an entry that is listed without a rank, such as one of a new account.',
    }),
    rank_spread: z.tuple([z.number().int(), z.number().int()]).nullable().openapi({
      description: 'First and last rank that the 95 % interval, measured or assumed, allows; equal ranks are ties.',
    }),
    high_at_least: z
      .boolean()
      .optional()
      .openapi({
        description: `True if the last rank may be further behind. Ranks are counted up to 1,000 places below the page, or 100 on a board with filters. ${leftOut('false')}`,
      }),
    disputed: z
      .boolean()
      .optional()
      .openapi({
        description: `True if another established account contradicts the figures by more than 10 % and more than their intervals: the entry takes the last rank that its interval allows. ${leftOut('false')}`,
      }),
    value: z.number().openapi({ description: 'Value of the ranked metric, in the `unit` of the board.' }),
    statistics: EntryStatisticsSchema,
    system: ListedSystemSchema,
    ...pointFields,
    kind: KindSchema.optional(),
    derived: pointFields.derived.optional(),
    definitions: pointFields.definitions.optional(),
    status: StatusSchema.optional().openapi({ description: leftOut('accepted') }),
    scenario: ListedScenarioSchema,
    workload: ListedWorkloadSchema.optional(),
    load: ListedLoadSchema,
    warnings: pointFields.warnings.optional(),
    replication: pointFields.replication.optional(),
    usd_per_mtok_output: z.number().nullable().optional().openapi({
      description:
        'US dollars per million output tokens, if ranked by cost. It is then the value, and the statistics are those of tokens per second and GPU.',
    }),
    price: PriceSchema.optional().openapi({ description: 'The price behind the cost, if ranked by cost.' }),
    source: orNull(SourceSchema)
      .optional()
      .openapi({
        description:
          'The publication, if an operator imported it; the earliest for a claim of several results. ' +
          'A short response omits it.',
      }),
    links: z
      .object({ system: z.string(), page: z.string(), results: z.string() })
      .partial({ system: true, results: true }),
  })
  .openapi('Entry');

export const LeaderboardSchema = z
  .object({
    rank_by: z.string(),
    order: z.enum(['asc', 'desc']),
    unit: z.string(),
    rank_by_choice: RankChoiceSchema.openapi({ description: 'Why this metric was chosen.' }),
    workload: orNull(WorkloadChoiceSchema).openapi({ description: 'Null if nothing could be ranked.' }),
    definition: orNull(ChoiceSchema).openapi({
      description: 'The group of formulas that is ranked; null if the metric has only one.',
    }),
    prices: PricesSchema.optional().openapi({ description: pricesDescription }),
    data: z.array(EntrySchema),
    excluded: z.record(z.string(), z.number().int()).openapi({ description: excludedDescription }),
    excluded_at_least: excludedAtLeastSchema,
    ...importedShape,
    next_cursor: z.string().nullable(),
  })
  .openapi('Leaderboard');

const ClaimSchema = z
  .object({
    account: z.object({ id: z.string(), name: z.string() }),
    status: StatusSchema.openapi({
      description:
        'Provisional claims of new accounts are listed with the accepted ones. They are not counted and change no figure.',
    }),
    trust: TrustSchema,
    stands: z.boolean().openapi({ description: 'True of the one claim that represents the point.' }),
    agreement: z.enum(['agreeing', 'disagreeing']).nullable().openapi({
      description:
        'Whether its means and rates are within 5 % of the chosen claim; null for the chosen claim, and if they share no metric.',
    }),
    ratio: z.number().nullable().openapi({
      description: 'Its figure divided by that of the chosen claim, for the metric on which they differ most.',
    }),
    runs: z.number().int().openapi({ description: 'Number of repetitions.' }),
    result_count: z.number().int(),
    statistics: z.record(
      z.string(),
      z.object({
        n: z.number().int().nullable(),
        mean: z.number(),
        ci95: z.tuple([z.number(), z.number()]).nullable(),
      }),
    ),
  })
  .openapi('Claim');

export const PointSchema = z
  .object({
    ...pointFields,
    result_count: z.number().int(),
    claims: z.array(ClaimSchema).openapi({
      description:
        'What each account reports about the point, the chosen claim first. Accounts are never pooled. Empty if a system is shown with others.',
    }),
    statistics: z.record(z.string(), StatisticsSchema),
    links: z.object({ results: z.string() }),
  })
  .openapi('Point');

export const SystemDetailSchema = SystemSchema.extend({ points: z.array(PointSchema) }).openapi('SystemDetail');
export const SystemListItemSchema = SystemSchema.extend({
  point_count: z.number().int(),
  sources: z
    .array(SourceSchema)
    .openapi({ description: 'Publications of its imported figures, at most 10; empty if there are none.' }),
}).openapi('SystemListItem');
