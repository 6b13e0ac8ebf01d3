import type { z } from 'zod';
import { DomainError, type Fault } from '../errors.ts';
import { nearest } from '../nearest.ts';
import { listRepetitions, type RunPlan, repeatedItems } from './expand.ts';
import { findPlan } from './named-plans.ts';
import { PlanListSchema, PlanNameSchema, PlanRequestSchema, planFields, pointsMax } from './plan-schema.ts';
import type { PlanItem } from './point.ts';
import { noLimits, type PlanLimits } from './scale.ts';

/** A plan as it was asked for; without a seed the caller draws one, and stores it. */
export type AskedPlan = Omit<RunPlan, 'seed'> & { seed: number | null };

const faultsMax = 100;

type Path = readonly PropertyKey[];

const toPointer = (path: Path) =>
  path.map((step) => `/${String(step).slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

function unknownField(path: Path, key: string): Fault {
  const place = path.filter((step) => typeof step === 'string').join('.');
  const meant = nearest(key, planFields[place] ?? []);
  return {
    code: 'field_unknown',
    pointer: toPointer([...path, key]),
    message: `"${key.slice(0, 100)}" is not a field here.`,
    ...(meant === null ? {} : { hint: `Did you mean "${meant}"?` }),
  };
}

/** The schema's own words as people say them. */
const inOurWords = (message: string) =>
  message
    .replace(/^Invalid input: .*received undefined$/, 'is missing')
    .replace(/^Invalid input: expected (\w+), received .*$/, 'must be a $1')
    .replace(/\ba (?=array|object)/, 'an ');

/** What an issue of the schema means to the one who wrote the plan. */
function toFaults(issue: z.core.$ZodIssue, at: Path): Fault[] {
  const path = [...at, ...issue.path];
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownField(path, key));
  const pointer = toPointer(path);
  // The catalogue's faults are sentences of their own.
  const isSentence = issue.message.endsWith('.');
  const message = isSentence ? issue.message : `${pointer || 'The plan'} ${inOurWords(issue.message)}.`;
  const own: Partial<Fault> = issue.code === 'custom' ? (issue.params?.fault ?? {}) : {};
  const code = own.code ?? 'value_invalid';
  return [{ code, pointer, message, ...(own.hint === undefined ? {} : { hint: own.hint }) }];
}

const faultsOf = (result: z.ZodSafeParseResult<unknown>, at: Path): Fault[] =>
  result.success ? [] : result.error.issues.flatMap((issue) => toFaults(issue, at));

/** The plan itself, empty where it has faults. */
interface ReadPart {
  plan: string | PlanItem[];
  faults: Fault[];
}

function readNamed(written: unknown): ReadPart {
  const result = PlanNameSchema.safeParse(written);
  if (result.success) return { plan: result.data, faults: [] };
  const meant = typeof written === 'string' ? nearest(written, PlanNameSchema.options) : null;
  const hint = meant === null ? {} : { hint: `Did you mean "${meant}"?` };
  return { plan: [], faults: faultsOf(result, ['plan']).map((fault) => ({ ...fault, ...hint })) };
}

const lacksWarmup = (item: unknown): item is object =>
  typeof item === 'object' && item !== null && !Object.hasOwn(item, 'warmup');

/** A list, whose items have the run's warm-up where they tell none of their own. */
function readList(written: readonly unknown[], warmup: number | null): ReadPart {
  const items = warmup === null ? written : written.map((item) => (lacksWarmup(item) ? { ...item, warmup } : item));
  const result = PlanListSchema.safeParse(items);
  return result.success ? { plan: result.data, faults: [] } : { plan: [], faults: faultsOf(result, ['plan']) };
}

function checkList(items: readonly PlanItem[], repetitions: number): Fault[] {
  const again = repeatedItems(items).map(([first, index]) => ({
    code: 'item_repeated',
    pointer: `/plan/${index}`,
    message: `/plan/${index} is the workload and load of /plan/${first}.`,
    hint: 'Ask for repetitions instead.',
  }));
  const points = items.length * repetitions;
  if (points <= pointsMax) return again;
  const message = `The plan has ${points} points, more than ${pointsMax}.`;
  return [...again, { code: 'value_invalid', pointer: '/repetitions', message, hint: 'Ask for fewer repetitions.' }];
}

function toLimits(written: z.infer<typeof PlanRequestSchema>['limits']): PlanLimits {
  if (written == null) return noLimits;
  const { duration_s, requests, tokens, concurrency } = written;
  return {
    durationS: duration_s ?? null,
    requests: requests ?? null,
    tokens: tokens ?? null,
    concurrency: concurrency ?? null,
  };
}

/**
 * A plan as someone wrote it: `{plan, repetitions?, warmup?, seed?, limits?}`. Throws DomainError `request_invalid`
 * with every fault that was found, each with its place and what to do.
 */
export function readPlan(written: unknown): AskedPlan {
  const refuse = (faults: Fault[]): never => {
    throw new DomainError('request_invalid', 'The plan cannot be run as it is.', faults.slice(0, faultsMax));
  };
  const request = PlanRequestSchema.safeParse(written);
  const asked = typeof written === 'object' && written !== null && 'plan' in written ? written.plan : undefined;
  const outer = request.success ? request.data : null;
  const repetitions = outer?.repetitions ?? null;
  const { plan, faults: inPlan } = Array.isArray(asked) ? readList(asked, outer?.warmup ?? null) : readNamed(asked);
  const items = typeof plan === 'string' ? (findPlan(plan)?.items() ?? []) : plan;
  const faults = [...faultsOf(request, []), ...inPlan, ...checkList(items, repetitions ?? listRepetitions)];
  if (faults.length > 0 || outer === null) return refuse(faults);
  return { plan, repetitions, warmup: outer.warmup ?? null, seed: outer.seed ?? null, limits: toLimits(outer.limits) };
}
