import { z } from 'zod';
import type { Fault } from '../errors.ts';
import { type KnownLoad, loadModes } from '../subjects/load.ts';
import { planItem } from './items.ts';
import { readRequestLimits } from './latency-limits.ts';
import { capacityPlan, namedPlans } from './named-plans.ts';
import { type PlanItem, seedMax } from './point.ts';
import { sizeFault } from './point-size.ts';
import { MixPartSchema, NamedScenarioSchema, resolveWorkload, ScenarioSchema } from './scenario-schema.ts';
import { type At, limitsLengthMax, positive, reportTo, say, whole } from './schema-parts.ts';
import { readUntil } from './until.ts';

/** Maximum points of a run, equal to the maximum results of one submission. */
export const pointsMax = 10_000;
export const itemsMax = 1000;
export const repetitionsMax = 100;
export const levelMax = 10_000;
export const requestsMax = 1_000_000;
/** Consecutive failed requests that end a point of a managed run, by default and at most. */
export const errorsUsual = 5;
export const errorsMost = 10_000;
/** Maximum workers that share the requests of a run. */
export const workersMax = 8;

const LoadSchema = z.strictObject({
  mode: z.enum(loadModes, say(`must be one of ${loadModes.join(', ')}`)),
  level: positive(levelMax),
  burstiness: positive(1_000_000).min(0.01, say('must be at least 0.01')).nullish(),
  max_concurrency: whole(1, levelMax).nullish(),
});

const ItemShape = z.strictObject({
  scenario: NamedScenarioSchema,
  load: LoadSchema,
  requests: whole(1, requestsMax).nullish(),
  warmup: whole(0, requestsMax).nullish(),
});
type WrittenItem = z.infer<typeof ItemShape>;

function toLoad({ mode, level, burstiness, max_concurrency }: WrittenItem['load']): KnownLoad {
  return {
    mode,
    level,
    ...(burstiness == null ? {} : { burstiness }),
    ...(max_concurrency == null ? {} : { maxConcurrency: max_concurrency }),
  };
}

function checkLoad({ load, requests }: WrittenItem, at: At): void {
  const { mode, level } = load;
  if (mode === 'rate') return;
  if (!Number.isInteger(level))
    at('load/level', 'value_invalid', 'must be a whole number', `A ${mode} counts requests.`);
  for (const field of ['burstiness', 'max_concurrency'] as const)
    if (load[field] != null) at(`load/${field}`, 'value_invalid', `belongs to a rate, not to a ${mode}`, 'Omit it.');
  if (requests == null) return;
  if (mode === 'concurrency' && requests < level)
    at('requests', 'requests_unfit', `must be at least ${level}, one for each user`, 'Raise it, or lower the level.');
  if (mode !== 'concurrency' && requests !== level)
    at(
      'requests',
      'requests_unfit',
      `must be ${level}, the number that is sent at once`,
      'Omit it. Use repetitions for more.',
    );
}

/** Converts one workload under one load to an item of a plan. */
export const ItemSchema = ItemShape.transform((written, context): PlanItem => {
  const at = reportTo(context);
  checkLoad(written, at);
  const load = toLoad(written.load);
  const item = planItem(resolveWorkload(written.scenario, load, at), load, {
    requests: written.requests ?? undefined,
    warmup: written.warmup ?? undefined,
  });
  const size = sizeFault(item);
  if (size !== null) at('requests', 'requests_unfit', size, 'Send fewer requests, or shorter prompts and responses.');
  return item;
});

const planNames = [...namedPlans.map(({ id }) => id), capacityPlan];

export const PlanNameSchema = z.enum(planNames, say(`must be one of ${planNames.join(', ')}, or a list`));
export const PlanListSchema = z
  .array(z.unknown(), say('must be a list'))
  .min(1, 'must have at least one item')
  .max(itemsMax, `must have at most ${itemsMax} items`)
  .pipe(z.array(ItemSchema));

const LimitsSchema = z.strictObject({
  duration_s: positive(30 * 86_400).nullish(),
  requests: whole(1, 100_000_000).nullish(),
  tokens: whole(1, Number.MAX_SAFE_INTEGER).nullish(),
  concurrency: whole(1, levelMax).nullish(),
  max_errors: whole(1, errorsMost).nullish(),
});

/** Text that `read` reads; a RangeError is a fault. */
const textOf = (example: string, code: string, read: (text: string) => unknown) =>
  z
    .string(say(`must be text, such as "${example}"`))
    .max(limitsLengthMax, `must have at most ${limitsLengthMax} characters`)
    .superRefine((text, context) => {
      try {
        read(text.slice(0, limitsLengthMax));
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        const fault: Fault = { code, message: error.message };
        context.addIssue({ code: 'custom', message: error.message, params: { fault } });
      }
    });

function readUntilOfRun(text: string): void {
  const { max } = readUntil(text);
  if (max > repetitionsMax) throw new RangeError(`"${text}" has more than ${repetitionsMax} repetitions.`);
}

/** A run request without its plan, which is a name or a list, and without its search. */
export const PlanRequestSchema = z.strictObject({
  plan: z.unknown().optional(),
  find: z.unknown().optional(),
  repetitions: whole(1, repetitionsMax).nullish(),
  warmup: whole(0, requestsMax).nullish(),
  seed: whole(0, seedMax).nullish(),
  /** Limits of one request for the goodput. */
  slo: textOf('ttft<500,tpot<30', 'limits_unreadable', readRequestLimits).nullish(),
  /** Repeats each point until it is stable. */
  until: textOf('ci=2%', 'until_unreadable', readUntilOfRun).nullish(),
  limits: LimitsSchema.nullish(),
  workers: whole(1, workersMax).nullish(),
});

/** Field names by path without indexes, for the hint of an unknown field. */
export const planFields: Readonly<Record<string, readonly string[]>> = {
  '': Object.keys(PlanRequestSchema.shape),
  limits: Object.keys(LimitsSchema.shape),
  plan: Object.keys(ItemShape.shape),
  'plan.scenario': Object.keys(ScenarioSchema.shape),
  'plan.scenario.mix': Object.keys(MixPartSchema.shape),
  'plan.load': Object.keys(LoadSchema.shape),
};
