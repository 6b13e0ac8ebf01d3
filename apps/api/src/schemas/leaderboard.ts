import { z } from '@hono/zod-openapi';
import {
  ChoiceSchema,
  excludedAtLeastSchema,
  excludedDescription,
  importedShape,
  orNull,
  WorkloadChoiceSchema,
} from './choice.ts';
import { MetricValuesSchema } from './common.ts';
import { PriceSchema, PricesSchema, pricesDescription } from './prices.ts';
import {
  KindSchema,
  ListedLoadSchema,
  ListedScenarioSchema,
  ListedSystemSchema,
  ListedWorkloadSchema,
  LoadSchema,
  ScenarioSchema,
  SourceSchema,
  StatisticsSchema,
  StatusSchema,
  SystemSchema,
  TrustSchema,
  WorkloadSchema,
} from './result.ts';

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
        'within 5 %, and with records of requests or at least three runs of its own. A claim that has neither is replicated ' +
        'only if it is earlier than every claim that confirms it.',
    }),
    agreeing: z.number().int().openapi({ description: 'Claims that agree with the one that stands.' }),
    disagreeing: z
      .number()
      .int()
      .openapi({ description: 'Claims that do not. Their figures are never pooled with it.' }),
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
        description: 'Metrics on which another account disagrees with the claim that stands, and both figures.',
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
  findings: z.number().int().openapi({ description: 'Findings over all results of the point, infos included.' }),
  warnings: z.number().int().openapi({ description: 'Those of them that are warnings or violations.' }),
  replication: ReplicationSchema.nullable().openapi({
    description:
      'What other accounts say of this point; null where one account measured it. The figures are those of one claim alone.',
  }),
} as const;

const leftOut = (value: string) => `A short answer leaves it out where it is ${value}.`;

const EntryStatisticsSchema = StatisticsSchema.extend({
  assumed: z
    .object({
      cv: z.number().openapi({ description: 'Coefficient of variation of the repeated points, pooled; a fraction.' }),
      n_points: z.number().int().openapi({ description: 'Repeated points of the same tool that it rests on.' }),
      interval: z.tuple([z.number(), z.number()]),
    })
    .nullable()
    .openapi({
      description:
        'Of a single measurement: the 95 % interval it is ranked by, as if it scattered like the repeated points of ' +
        'its tool. `ci95` stays null. Null where the point was repeated, or no point of the tool was.',
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
    .openapi({ description: 'The repetitions behind the value, the first 20.' }),
})
  .partial()
  .required({ n: true, sd: true, ci95: true })
  .openapi('EntryStatistics', {
    description:
      'Of the ranked metric. A short answer leaves out `mean` where it is the value, and `outliers` where there are none.',
  });

export const EntrySchema = z
  .object({
    rank: z.number().int().nullable().openapi({
      description: 'Null of an entry that is listed without a number, such as one of a new account.',
    }),
    rank_spread: z.tuple([z.number().int(), z.number().int()]).nullable().openapi({
      description: 'First and last place the 95 % interval, measured or assumed, allows; equal ranks are ties.',
    }),
    high_at_least: z
      .boolean()
      .optional()
      .openapi({
        description: `True where the last place may be further behind: it is exact for boards that end within 1,000 places below the page. ${leftOut('false')}`,
      }),
    disputed: z
      .boolean()
      .optional()
      .openapi({
        description: `True where another established account contradicts the figures by more than 10 % and more than their intervals: ranked after its equals. ${leftOut('false')}`,
      }),
    value: z.number().openapi({ description: 'Of the metric that ranks, in the `unit` of the board.' }),
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
        'Dollars per million output tokens, where cost ranks; it is then the value, and the statistics are those of tokens per GPU and second.',
    }),
    price: PriceSchema.optional().openapi({ description: 'The price behind the cost, where cost ranks.' }),
    source: orNull(SourceSchema)
      .optional()
      .openapi({
        description:
          'Where it was published, if an operator imported it from there; of a claim of several results, the earliest. ' +
          'A short answer leaves it out.',
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
    rank_by_choice: ChoiceSchema.openapi({ description: 'Why it is ranked by this metric.' }),
    workload: orNull(WorkloadChoiceSchema).openapi({ description: 'Null where nothing could be ranked.' }),
    definition: orNull(ChoiceSchema).openapi({
      description: 'The group of formulas that is ranked; null where the metric has only one.',
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
        'Provisional claims of new accounts are listed beside accepted ones. They are not counted and change no figure.',
    }),
    trust: TrustSchema,
    stands: z.boolean().openapi({ description: 'True of the one claim that represents the point.' }),
    agreement: z.enum(['agreeing', 'disagreeing']).nullable().openapi({
      description:
        'Whether its means and rates are within 5 % of the claim that stands; null of that one, and where they share no metric.',
    }),
    ratio: z.number().nullable().openapi({
      description: 'Its figure over that of the claim that stands, for the metric on which they are furthest apart.',
    }),
    runs: z.number().int().openapi({ description: 'Repetitions behind it.' }),
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
        'What each account says of the point, the claim that stands first. Accounts are never pooled. Empty where a system is shown beside others.',
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
    .openapi({ description: 'Where its imported figures were published, the first 10; empty where none were.' }),
}).openapi('SystemListItem');
