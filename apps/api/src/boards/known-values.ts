import { tools } from '@inferboard/core/adapters/tools';
import {
  modelFamilies,
  nearestScenarios,
  readScenarioName,
  resolveEngine,
  resolveGpu,
  resolveModel,
  resolveQuantization,
} from '@inferboard/core/catalogue/index';
import { DomainError, type Fault } from '@inferboard/core/errors';
import { contradictions } from '@inferboard/core/filters/contradictions';
import {
  type Match,
  matchEngine,
  matchGpu,
  matchGpus,
  matchModel,
  matchQuantization,
  matchWorkload,
} from '@inferboard/core/filters/filters';
import { filterValuesMax } from '@inferboard/core/filters/parameters';
import { knownTasks, minQuality, qualityWithin, taskKey, taskOfAxis } from '@inferboard/core/filters/quality';
import { parseStatedPrices } from '@inferboard/core/prices/stated-prices';
import { nearest } from '@inferboard/core/text/nearest';
import { parseWorkload } from '@inferboard/core/workloads/workload-id';
import { type AskedName, nameExists, namesExist } from '@inferboard/db/catalogue/name-exists';
import { qualityTaskExists } from '@inferboard/db/catalogue/quality-task-exists';
import type { Queryable } from '@inferboard/db/connection/transaction';
import { gpuOfPrice } from '../prices/prices-schema.ts';

/** A filter whose values are names: known to the catalogue, or known from a submission. */
interface NamedFilter {
  parameter: string;
  /** The value to look up among the submissions; null if the catalogue has it. */
  toLookUp(text: string): string | null;
  suggestions(text: string): readonly string[];
}

const orNull = (found: string | null): string[] => (found === null ? [] : [found]);

/** The shape part of a workload's name, in its canonical form. */
const shapeOf = (text: string) => parseWorkload(matchWorkload(text)).shape;

/** A workload by its shape. It is known to the catalogue or from a submission. */
const workloadFilter = (parameter: 'workload' | 'scenario'): NamedFilter => ({
  parameter,
  toLookUp: (text) => (readScenarioName(shapeOf(text)) === null ? shapeOf(text) : null),
  suggestions: (text) => nearestScenarios(parseWorkload(text).shape),
});

/** Resolves a GPU, or a vendor name to one of its GPUs in the catalogue. */
const matchNamedGpu = (text: string): Match => matchGpus(text)[0] ?? matchGpu(text);

const namedFilters: readonly NamedFilter[] = [
  ...(
    [
      ['model', matchModel, resolveModel],
      ['quantization', matchQuantization, (text: string) => resolveQuantization(text)],
      ['gpu', matchNamedGpu, resolveGpu],
      ['not_model', matchModel, resolveModel],
      ['not_quantization', matchQuantization, (text: string) => resolveQuantization(text)],
      ['not_gpu', matchNamedGpu, resolveGpu],
      ['not_engine', matchEngine, resolveEngine],
      ['engine', matchEngine, resolveEngine],
    ] as const
  ).map(([parameter, match, resolve]) => ({
    parameter,
    toLookUp: (text: string) => {
      const found = match(text);
      return found.by === 'name' ? found.key : null;
    },
    suggestions: (text: string) => resolve(text).suggestions,
  })),
  {
    parameter: 'model_family',
    toLookUp: (text) => (modelFamilies.some((family) => family.id === text) ? null : text),
    suggestions: (text) =>
      orNull(
        nearest(
          text,
          modelFamilies.map((family) => family.id),
        ),
      ),
  },
  workloadFilter('workload'),
  workloadFilter('scenario'),
  {
    parameter: 'tool',
    toLookUp: (text) => (tools.some(({ id, name }) => id === text || name === text) ? null : text),
    suggestions: (text) =>
      orNull(
        nearest(
          text,
          tools.map(({ id }) => id),
        ),
      ),
  },
  { parameter: 'engine_version', toLookUp: (text) => (/^[\d.]+\.x$/.test(text) ? null : text), suggestions: () => [] },
  { parameter: 'account', toLookUp: (text) => text, suggestions: () => [] },
  { parameter: 'system', toLookUp: (text) => text, suggestions: () => [] },
];

const listed = new Set(['model', 'gpu', 'quantization', 'engine', 'scenario', 'workload', 'tool']);

function unknownValue({ parameter, suggestions }: NamedFilter, text: string): Fault {
  const near = suggestions(text);
  const hint = listed.has(parameter) ? { hint: `GET /v1/catalogue/${parameter}s lists the known values.` } : {};
  return {
    code: 'value_unknown',
    parameter,
    message: `Unknown ${parameter} "${text.slice(0, 100)}": it is not in the catalogue and in no result.`,
    ...(near.length === 0 ? hint : { hint: `Did you mean ${near.join(', ')}?` }),
  };
}

/** Rejects a GPU name with a count, which would be dropped: the count is a separate filter. */
function countFault(text: string): Fault[] {
  const { count } = resolveGpu(text);
  if (count === null) return [];
  const message = `gpu "${text.slice(0, 100)}" contains a count, which is a separate filter.`;
  return [
    { code: 'count_in_name', parameter: 'gpu', message, hint: `Use gpu_count=${count} and remove the count from gpu.` },
  ];
}

const textMax = 200;

/** The error for a task that nothing was evaluated by; none if something was. */
async function unknownTaskFaults(db: Queryable, parameter: string, task: string): Promise<Fault[]> {
  const isKnown = knownTasks.some((known) => taskKey(known) === taskKey(task));
  if (isKnown || (await qualityTaskExists(db, taskKey(task)))) return [];
  const near = nearest(task, knownTasks);
  const hint = near === null ? 'GET /v1/quality lists the evaluations.' : `Did you mean ${near}?`;
  return [{ code: 'value_unknown', parameter, message: `No evaluation has the task "${task}".`, hint }];
}

/** Checks the tasks of axes of scores. */
async function unknownAxisFaults(db: Queryable, given: Record<string, string[]>): Promise<Fault[]> {
  const tasks = (['x', 'y'] as const).map((axis) => ({ axis, task: taskOfAxis(given[axis]?.[0] ?? '') }));
  const faults = await Promise.all(
    tasks.map(({ axis, task }) => (task === null ? [] : unknownTaskFaults(db, axis, task))),
  );
  return faults.flat();
}

/** Checks the tasks and quantizations in quality bounds. The schema rejects values of other formats. */
async function unknownQualityFaults(db: Queryable, given: Record<string, string[]>): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (const parameter of ['min_quality', 'quality_within'] as const)
    for (const text of new Set(given[parameter]?.slice(0, filterValuesMax))) {
      const [, task, of] = (parameter === 'min_quality' ? minQuality : qualityWithin).exec(text) ?? [];
      if (task === undefined) continue;
      faults.push(...(await unknownTaskFaults(db, parameter, task)));
      const match = parameter === 'quality_within' && of !== undefined ? matchQuantization(of) : null;
      if (match?.by === 'name' && !(await nameExists(db, 'quantization', match.key))) {
        const message = `Unknown quantization "${of}": it is not in the catalogue and in no result.`;
        faults.push({ code: 'value_unknown', parameter, message });
      }
    }
  return faults;
}

/** Rejects prices for GPUs that are neither in the catalogue nor in a submission. */
export async function unknownGpuFaults(
  db: Queryable,
  place: Pick<Fault, 'parameter' | 'pointer'>,
  raw: string,
): Promise<Fault[]> {
  const text = raw.normalize('NFC').trim();
  const found = matchGpu(text);
  const isName = text !== '' && text.length <= textMax && !/[\p{Cc}\ud800-\udfff]/u.test(text);
  if (isName && (found.by !== 'name' || (await nameExists(db, 'gpu', found.key)))) return [];
  const near = isName ? resolveGpu(text).suggestions : [];
  const message = `Unknown GPU "${text.slice(0, 100)}": it is not in the catalogue and in no result.`;
  const hint =
    near.length === 0 ? 'GET /v1/catalogue/gpus lists the known values.' : `Did you mean ${near.join(', ')}?`;
  return [{ code: 'value_unknown', ...place, message, hint }];
}

/** Errors for workloads in a list of a body that are neither in the catalogue nor in a submission. */
export async function unknownWorkloadFaults(
  db: Queryable,
  pointer: string,
  texts: readonly string[],
): Promise<Fault[]> {
  const filter = workloadFilter('workload');
  const faults: Fault[] = [];
  for (const [at, text] of texts.entries()) {
    const key = filter.toLookUp(text);
    if (key === null || (await nameExists(db, 'workload', key))) continue;
    const { parameter: _, ...fault } = unknownValue(filter, text);
    faults.push({ ...fault, pointer: `${pointer}/${at}` });
  }
  return faults;
}

/**
 * Errors for filter values that are neither in the catalogue nor in a submission, and for bounds that contradict one another: an
 * empty list would hide a typo. The schema rejects values that are not names or numbers.
 */
export async function unknownValueFaults(db: Queryable, given: Record<string, string[]>): Promise<Fault[]> {
  const faults: Fault[] = contradictions(given);
  const ofPrices = Object.keys(given).flatMap((name) => {
    const gpu = gpuOfPrice(name);
    return gpu === null ? [] : [{ name, gpu }];
  });
  ofPrices.push(...parseStatedPrices(given.prices?.[0] ?? '').prices.map(({ gpu }) => ({ name: 'prices', gpu })));
  faults.push(...(await unknownQualityFaults(db, given)), ...(await unknownAxisFaults(db, given)));
  for (const { name, gpu } of ofPrices.slice(0, 50))
    faults.push(...(await unknownGpuFaults(db, { parameter: name.slice(0, 120) }, gpu)));
  const lookUps: (AskedName & { filter: NamedFilter; text: string })[] = [];
  for (const filter of namedFilters) {
    for (const raw of new Set(given[filter.parameter]?.slice(0, filterValuesMax))) {
      const text = raw.normalize('NFC').trim();
      if (text === '' || text.length > textMax || /[\p{Cc}\ud800-\udfff]/u.test(text)) continue;
      if (filter.parameter === 'gpu') faults.push(...countFault(text));
      const key = filter.toLookUp(text);
      if (key !== null) lookUps.push({ kind: filter.parameter.replace(/^not_/, ''), key, filter, text });
    }
  }
  const found = await namesExist(db, lookUps);
  faults.push(...lookUps.filter((_, at) => found[at] !== true).map(({ filter, text }) => unknownValue(filter, text)));
  return faults;
}

/**
 * @param others errors that the caller found, to report together with these
 * @throws DomainError `request_invalid` naming each unknown filter value, with the closest known ones, and each contradiction
 */
export async function requireKnownValues(
  db: Queryable,
  given: Record<string, string[]>,
  others: readonly Fault[] = [],
): Promise<void> {
  const faults = [...(await unknownValueFaults(db, given)), ...others];
  if (faults.length > 0) throw new DomainError('request_invalid', 'The query is not valid.', faults);
}
