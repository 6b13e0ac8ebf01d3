import { z } from 'zod';
import { resolveScenario, type ScenarioMatch } from '../catalogue/scenarios.ts';
import type { Fault } from '../errors.ts';
import { type KnownLoad, loadModes } from '../load.ts';
import { NameSchema } from '../text.ts';

import { datasetIds } from './datasets.ts';
import { planItem } from './items.ts';
import { namedPlans } from './named-plans.ts';
import { type PlanItem, seedMax } from './point.ts';

/** Points of a run at most: as many results as one submission may hold. */
export const pointsMax = 10_000;
export const itemsMax = 1000;
export const repetitionsMax = 100;
const levelMax = 10_000;
const requestsMax = 1_000_000;

/** A message of ours in place of the schema's, told apart from an absent value. */
const say = (message: string) => ({
  error: ({ input }: { input?: unknown }) => (input === undefined ? 'is missing' : message),
});

function whole(least: number, most: number) {
  const told = say(`must be a whole number from ${least} to ${most}`);
  return z.number(told).int(told).min(least, told).max(most, told);
}

function positive(most: number) {
  const told = say(`must be a number above 0, ${most} at most`);
  return z.number(told).positive(told).max(most, told);
}

const ScenarioSchema = z.strictObject({
  name: NameSchema.nullish(),
  input_tokens: whole(0, 10_000_000).nullish(),
  output_tokens: whole(0, 10_000_000).nullish(),
  dataset: NameSchema.nullish(),
});

const LoadSchema = z.strictObject({
  mode: z.enum(loadModes, say(`must be one of ${loadModes.join(', ')}`)),
  level: positive(levelMax),
  burstiness: positive(1_000_000).min(0.01, say('must be 0.01 at least')).nullish(),
  max_concurrency: whole(1, levelMax).nullish(),
});

const ItemShape = z.strictObject({
  scenario: z.preprocess((value) => (typeof value === 'string' ? { name: value } : value), ScenarioSchema),
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

type At = (place: string, code: string, message: string, hint: string) => void;

function checkLoad({ load, requests }: WrittenItem, at: At): void {
  const { mode, level } = load;
  if (mode === 'rate') return;
  if (!Number.isInteger(level))
    at('load/level', 'value_invalid', 'must be a whole number', `A ${mode} counts requests.`);
  for (const field of ['burstiness', 'max_concurrency'] as const)
    if (load[field] != null)
      at(`load/${field}`, 'value_invalid', `belongs to a rate, not to a ${mode}`, 'Leave it out.');
  if (requests == null) return;
  if (mode === 'concurrency' && requests < level)
    at(
      'requests',
      'requests_unfit',
      `must be ${level} at least, one for each user`,
      'Ask for more, or for a lower level.',
    );
  if (mode !== 'concurrency' && requests !== level)
    at('requests', 'requests_unfit', `must be ${level}, as many as are sent at once`, 'Leave it out; repeat for more.');
}

const placeOf = (parameter: string | undefined) =>
  parameter === 'load'
    ? 'load'
    : parameter === undefined || parameter === 'scenario'
      ? 'scenario'
      : `scenario/${parameter}`;

/** A workload that can be sent: made-up prompts of a length, or a data set that there is a reader for. */
function checkScenario({ scenario, fault }: ScenarioMatch, at: At): void {
  if (fault !== null) {
    at(placeOf(fault.parameter), fault.code, fault.message, fault.hint ?? '');
    return;
  }
  const { id, inputTokens, outputTokens, dataset, depth } = scenario;
  if (datasetIds.some((known) => known === id)) {
    if (inputTokens !== null || outputTokens !== null)
      at('scenario', 'scenario_not_runnable', 'has the lengths of its data set', 'Leave the numbers of tokens out.');
    return;
  }
  const sets = `Data sets are ${datasetIds.join(', ')}; any other workload is made up.`;
  if (dataset !== null && dataset !== 'random')
    at('scenario/dataset', 'scenario_not_runnable', `${dataset} is no data set that can be sent`, sets);
  const lengths = 'State input_tokens and output_tokens, or name a scenario that has them.';
  if (depth !== null)
    at('scenario', 'scenario_not_runnable', 'asks for a filled cache, which a server has no way to take', lengths);
  if (inputTokens === null || inputTokens === 0)
    at('scenario', 'scenario_not_runnable', 'has no tokens to send', lengths);
  if (outputTokens === null || outputTokens === 0)
    at(
      'scenario',
      'scenario_not_runnable',
      'has no tokens to answer with, and a streamed answer has one at least',
      lengths,
    );
}

/** One workload under one load, as it is written, to an item of a plan. */
export const ItemSchema = ItemShape.transform((written, context): PlanItem => {
  const at: At = (place, code, message, hint) => {
    const fault: Fault = { code, message, ...(hint === '' ? {} : { hint }) };
    context.addIssue({ code: 'custom', message, path: place.split('/'), params: { fault } });
  };
  checkLoad(written, at);
  const { name, input_tokens, output_tokens, dataset } = written.scenario;
  const load = toLoad(written.load);
  const facts = {
    name: name ?? null,
    inputTokens: input_tokens ?? null,
    outputTokens: output_tokens ?? null,
    dataset: dataset ?? null,
    depth: null,
  };
  const match = resolveScenario(facts, load);
  checkScenario(match, at);
  return planItem(match.scenario, load, {
    requests: written.requests ?? undefined,
    warmup: written.warmup ?? undefined,
  });
});

const planNames = namedPlans.map(({ id }) => id);

export const PlanNameSchema = z.enum(planNames, say(`must be one of ${planNames.join(', ')}, or a list`));
export const PlanListSchema = z
  .array(z.unknown(), say('must be a list'))
  .min(1, 'must have an item at least')
  .max(itemsMax, `must have ${itemsMax} items at most`)
  .pipe(z.array(ItemSchema));

const LimitsSchema = z.strictObject({
  duration_s: positive(30 * 86_400).nullish(),
  requests: whole(1, 100_000_000).nullish(),
  tokens: whole(1, Number.MAX_SAFE_INTEGER).nullish(),
  concurrency: whole(1, levelMax).nullish(),
});

/** What a run is asked for, but for its plan, which is a name or a list. */
export const PlanRequestSchema = z.strictObject({
  plan: z.unknown().optional(),
  repetitions: whole(1, repetitionsMax).nullish(),
  warmup: whole(0, requestsMax).nullish(),
  seed: whole(0, seedMax).nullish(),
  limits: LimitsSchema.nullish(),
});

/** Field names by place without indexes, for the hint beside an unknown one. */
export const planFields: Readonly<Record<string, readonly string[]>> = {
  '': Object.keys(PlanRequestSchema.shape),
  limits: Object.keys(LimitsSchema.shape),
  plan: Object.keys(ItemShape.shape),
  'plan.scenario': Object.keys(ScenarioSchema.shape),
  'plan.load': Object.keys(LoadSchema.shape),
};
