import type { z } from 'zod';
import { DomainError, type Fault } from '../errors.ts';
import { toPointer } from '../text/json-pointer.ts';
import { nearest } from '../text/nearest.ts';
import { type AskedSearch, FindSchema, findFields } from './capacity-search.ts';
import { listRepetitions, type RunPlan, repeatedItems } from './expand.ts';
import { turnsOf } from './made-up-prompts.ts';
import { capacityPlan, findPlan } from './named-plans.ts';
import { PlanListSchema, PlanNameSchema, PlanRequestSchema, planFields, pointsMax } from './plan-schema.ts';
import type { PlanItem } from './point.ts';
import { noLimits, type PlanLimits } from './scale.ts';
import { readUntil } from './until.ts';

/** A requested plan. */
export interface AskedPlan extends Omit<RunPlan, 'seed'> {
  /** Null: the caller generates and stores one. */
  seed: number | null;
  /** Limits of one request for the goodput, see `readRequestLimits`; null: none, or those of the search. */
  slo: string | null;
  /** Consecutive failed requests that end a point; null: `errorsUsual`. */
  errorsMax: number | null;
  /** Workers that share the requests of each point of a managed run. */
  workers: number;
}

const faultsMax = 100;

const fieldsAt: typeof planFields = {
  ...planFields,
  find: findFields,
  'find.scenario': planFields['plan.scenario'] ?? [],
  'find.scenario.mix': planFields['plan.scenario.mix'] ?? [],
};

type Path = readonly PropertyKey[];

function unknownField(path: Path, key: string): Fault {
  const place = path.filter((step) => typeof step === 'string').join('.');
  const meant = nearest(key, fieldsAt[place] ?? []);
  return {
    code: 'field_unknown',
    pointer: toPointer([...path, key]),
    message: `Unknown field "${key.slice(0, 100)}".`,
    ...(meant === null ? {} : { hint: `Did you mean "${meant}"?` }),
  };
}

/** Rewrites the schema's messages in plain words. */
const inOurWords = (message: string) =>
  message
    .replace(/^Invalid input: .*received undefined$/, 'is missing')
    .replace(/^Invalid input: expected (\w+), received .*$/, 'must be a $1')
    .replace(/\ba (?=array|object)/, 'an ');

/** Converts an issue of the schema to faults for the author of the plan. */
function toFaults(issue: z.core.$ZodIssue, at: Path): Fault[] {
  const path = [...at, ...issue.path];
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownField(path, key));
  const pointer = toPointer(path);
  // Faults of the catalogue are complete sentences.
  const isSentence = issue.message.endsWith('.');
  const message = isSentence ? issue.message : `${pointer || 'The plan'} ${inOurWords(issue.message)}.`;
  const own: Partial<Fault> = issue.code === 'custom' ? (issue.params?.fault ?? {}) : {};
  const code = own.code ?? 'value_invalid';
  return [{ code, pointer, message, ...(own.hint === undefined ? {} : { hint: own.hint }) }];
}

const faultsOf = (result: z.ZodSafeParseResult<unknown>, at: Path): Fault[] =>
  result.success ? [] : result.error.issues.flatMap((issue) => toFaults(issue, at));

/** Parses the search of the plan `capacity`. Other plans have none. */
function readFind(written: unknown, isSearch: boolean): { find: AskedSearch | undefined; faults: Fault[] } {
  const refuse = (fault: Omit<Fault, 'pointer'>) => ({ find: undefined, faults: [{ ...fault, pointer: '/find' }] });
  if (written == null && !isSearch) return { find: undefined, faults: [] };
  if (written == null)
    return refuse({
      ...{ code: 'plan_inconsistent', message: `/find is missing: the plan ${capacityPlan} needs it.` },
      hint: 'Send {"limits": "ttft_p99<2000,tpot_p99<50", "scenario": "chatbot"}.',
    });
  if (!isSearch)
    return refuse({
      ...{ code: 'plan_inconsistent', message: `/find belongs to the plan ${capacityPlan}.` },
      hint: `Set plan to "${capacityPlan}", or omit find.`,
    });
  const result = FindSchema.safeParse(written);
  return { find: result.success ? result.data : undefined, faults: faultsOf(result, ['find']) };
}

/** The plan, empty if it has faults. */
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

/** Parses a list. Items without a warm-up use the run's. */
function readList(written: readonly unknown[], warmup: number | null): ReadPart {
  const items = warmup === null ? written : written.map((item) => (lacksWarmup(item) ? { ...item, warmup } : item));
  const result = PlanListSchema.safeParse(items);
  return result.success ? { plan: result.data, faults: [] } : { plan: [], faults: faultsOf(result, ['plan']) };
}

function checkList(items: readonly PlanItem[], repetitions: number): Fault[] {
  const again = repeatedItems(items).map(([first, index]) => ({
    code: 'item_repeated',
    pointer: `/plan/${index}`,
    message: `/plan/${index} has the same workload and load as /plan/${first}.`,
    hint: 'Use repetitions instead.',
  }));
  const points = items.length * repetitions;
  if (points <= pointsMax) return again;
  const message = `The plan has ${points} points, more than ${pointsMax}.`;
  return [...again, { code: 'value_invalid', pointer: '/repetitions', message, hint: 'Use fewer repetitions.' }];
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

const unfit = (pointer: string, message: string): Fault => ({
  ...{ code: 'plan_inconsistent', pointer, message: `${pointer} ${message}` },
  hint: 'Omit it.',
});

/** Checks that a plan states at most one rule for its repetitions. */
function repetitionFaults(isSearch: boolean, isRepeated: boolean, hasUntil: boolean): Fault[] {
  const own = `does not fit the plan ${capacityPlan}, which repeats points itself.`;
  return [
    ...(isSearch && isRepeated ? [unfit('/repetitions', own)] : []),
    ...(isSearch && hasUntil ? [unfit('/until', own)] : []),
    ...(!isSearch && isRepeated && hasUntil ? [unfit('/repetitions', 'does not fit until, which sets them.')] : []),
  ];
}

const workersUnfit = unfit(
  '/workers',
  `must be 1 for the plan ${capacityPlan} and with until: one worker decides which point is next.`,
);

/** Conversations cannot be divided among workers: a turn contains the responses to earlier ones. */
function conversationFaults(items: readonly PlanItem[], workers: number): Fault[] {
  const at = items.findIndex(({ scenario }) => turnsOf(scenario) > 1);
  if (workers === 1 || at < 0) return [];
  return [
    unfit('/workers', `must be 1, because /plan/${at} has conversations, whose turns cannot be divided among workers.`),
  ];
}

/**
 * Parses a plan: `{plan, find?, repetitions?, until?, warmup?, seed?, slo?, limits?, workers?}`. Throws DomainError `request_invalid`
 * with all faults, each with its location and fix.
 */
export function readPlan(written: unknown): AskedPlan {
  const refuse = (faults: Fault[]): never => {
    throw new DomainError('request_invalid', 'The plan is not valid.', faults.slice(0, faultsMax));
  };
  const request = PlanRequestSchema.safeParse(written);
  const asked = typeof written === 'object' && written !== null && 'plan' in written ? written.plan : undefined;
  const outer = request.success ? request.data : null;
  const repetitions = outer?.repetitions ?? null;
  const until = outer?.until == null ? undefined : readUntil(outer.until);
  const { plan, faults: inPlan } = Array.isArray(asked) ? readList(asked, outer?.warmup ?? null) : readNamed(asked);
  const items = typeof plan === 'string' ? (findPlan(plan)?.items() ?? []) : plan;
  const isSearch = plan === capacityPlan;
  const { find, faults: inFind } = readFind(outer?.find, isSearch);
  const repeated = repetitionFaults(isSearch, repetitions !== null, until !== undefined);
  const isAdaptive = isSearch || until !== undefined;
  const shared = isAdaptive && (outer?.workers ?? 1) > 1 ? [workersUnfit] : [];
  const inList = checkList(items, until?.max ?? repetitions ?? listRepetitions);
  const turns = conversationFaults(items, outer?.workers ?? 1);
  const faults = [...faultsOf(request, []), ...inPlan, ...inFind, ...repeated, ...shared, ...turns, ...inList];
  if (faults.length > 0 || outer === null) return refuse(faults);
  const { warmup = null, seed = null, slo = null, limits } = outer;
  const errorsMax = limits?.max_errors ?? null;
  const workers = outer.workers ?? 1;
  return {
    ...{ plan, repetitions, warmup, seed, slo, errorsMax, limits: toLimits(limits), workers },
    ...(find !== undefined && { find }),
    ...(until !== undefined && { until }),
  };
}
