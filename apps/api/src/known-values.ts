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
import { matchEngine, matchGpu, matchModel, matchQuantization, matchWorkload } from '@inferboard/core/filters/filters';
import { knownTasks, minQuality, qualityWithin, taskKey } from '@inferboard/core/filters/quality';
import { nearest } from '@inferboard/core/nearest';
import { parseStatedPrices } from '@inferboard/core/prices/stated-prices';
import { parseWorkload } from '@inferboard/core/workloads/workload-id';
import { type AskedName, nameExists, namesExist } from '@inferboard/db/queries/name-exists';
import { qualityTaskExists } from '@inferboard/db/queries/quality-task-exists';
import type { Queryable } from '@inferboard/db/transaction';
import { gpuOfPrice } from './schemas/prices.ts';

/** One filter whose values name something: known by itself, or else only if it was ever submitted. */
interface NamedFilter {
  parameter: string;
  /** What to look for among the submissions; null if the catalogue knows the value. */
  toLookUp(text: string): string | null;
  suggestions(text: string): readonly string[];
}

const orNull = (found: string | null): string[] => (found === null ? [] : [found]);

/** The shape of a workload's name, in its canonical form. */
const shapeOf = (text: string) => parseWorkload(matchWorkload(text)).shape;

/** A workload by its shape, which is known by itself or because somebody submitted it. */
const workloadFilter = (parameter: 'workload' | 'scenario'): NamedFilter => ({
  parameter,
  toLookUp: (text) => (readScenarioName(shapeOf(text)) === null ? shapeOf(text) : null),
  suggestions: (text) => nearestScenarios(parseWorkload(text).shape),
});

const namedFilters: readonly NamedFilter[] = [
  ...(
    [
      ['model', matchModel, resolveModel],
      ['quantization', matchQuantization, (text: string) => resolveQuantization(text)],
      ['gpu', matchGpu, resolveGpu],
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
  { parameter: 'engine_version', toLookUp: (text) => text, suggestions: () => [] },
  { parameter: 'account', toLookUp: (text) => text, suggestions: () => [] },
  { parameter: 'system', toLookUp: (text) => text, suggestions: () => [] },
];

const listed = new Set(['model', 'gpu', 'quantization', 'engine', 'scenario', 'workload', 'tool']);

function unknownValue({ parameter, suggestions }: NamedFilter, text: string): Fault {
  const near = suggestions(text);
  const hint = listed.has(parameter) ? { hint: `GET /v1/catalogue/${parameter}s lists what is known.` } : {};
  return {
    code: 'value_unknown',
    parameter,
    message: `Nothing is known or was ever submitted as ${parameter} "${text.slice(0, 100)}".`,
    ...(near.length === 0 ? hint : { hint: `Did you mean ${near.join(', ')}?` }),
  };
}

/** A count in a GPU's name would be dropped: it is a filter of its own. */
function countFault(text: string): Fault[] {
  const { count } = resolveGpu(text);
  if (count === null) return [];
  const message = `gpu "${text.slice(0, 100)}" holds a count, which is a filter of its own.`;
  return [
    { code: 'count_in_name', parameter: 'gpu', message, hint: `Add gpu_count=${count} and leave it out of gpu.` },
  ];
}

const textMax = 200;

/** Tasks and quantizations that bounds on quality name. What has another form is left to the schema. */
async function unknownQualityFaults(db: Queryable, given: Record<string, string[]>): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (const parameter of ['min_quality', 'quality_within'] as const)
    for (const text of new Set(given[parameter]?.slice(0, 50))) {
      const [, task, of] = (parameter === 'min_quality' ? minQuality : qualityWithin).exec(text) ?? [];
      if (task === undefined) continue;
      const isKnown = knownTasks.some((known) => taskKey(known) === taskKey(task));
      if (!isKnown && !(await qualityTaskExists(db, taskKey(task)))) {
        const near = nearest(task, knownTasks);
        const hint = near === null ? 'GET /v1/quality lists what was evaluated.' : `Did you mean ${near}?`;
        faults.push({ code: 'value_unknown', parameter, message: `Nothing was evaluated by a task "${task}".`, hint });
      }
      const match = parameter === 'quality_within' && of !== undefined ? matchQuantization(of) : null;
      if (match?.by === 'name' && !(await nameExists(db, 'quantization', match.key))) {
        const message = `Nothing is known or was ever submitted as quantization "${of}".`;
        faults.push({ code: 'value_unknown', parameter, message });
      }
    }
  return faults;
}

/** A price is of a GPU that the catalogue or a submission names. */
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
  const message = `No GPU is known or was ever submitted as "${text.slice(0, 100)}".`;
  const hint = near.length === 0 ? 'GET /v1/catalogue/gpus lists what is known.' : `Did you mean ${near.join(', ')}?`;
  return [{ code: 'value_unknown', ...place, message, hint }];
}

/**
 * Faults of filter values that neither the catalogue nor any submission knows: an empty answer would hide a typing error.
 * Values that are no names at all are left to the schema.
 */
export async function unknownValueFaults(db: Queryable, given: Record<string, string[]>): Promise<Fault[]> {
  const faults: Fault[] = [];
  const ofPrices = Object.keys(given).flatMap((name) => {
    const gpu = gpuOfPrice(name);
    return gpu === null ? [] : [{ name, gpu }];
  });
  ofPrices.push(...parseStatedPrices(given.prices?.[0] ?? '').prices.map(({ gpu }) => ({ name: 'prices', gpu })));
  faults.push(...(await unknownQualityFaults(db, given)));
  for (const { name, gpu } of ofPrices.slice(0, 50))
    faults.push(...(await unknownGpuFaults(db, { parameter: name.slice(0, 120) }, gpu)));
  const lookUps: (AskedName & { filter: NamedFilter; text: string })[] = [];
  for (const filter of namedFilters) {
    for (const raw of new Set(given[filter.parameter]?.slice(0, 50))) {
      const text = raw.normalize('NFC').trim();
      if (text === '' || text.length > textMax || /[\p{Cc}\ud800-\udfff]/u.test(text)) continue;
      if (filter.parameter === 'gpu') faults.push(...countFault(text));
      const key = filter.toLookUp(text);
      if (key !== null) lookUps.push({ kind: filter.parameter, key, filter, text });
    }
  }
  const found = await namesExist(db, lookUps);
  faults.push(...lookUps.filter((_, at) => found[at] !== true).map(({ filter, text }) => unknownValue(filter, text)));
  return faults;
}

/**
 * @param others faults that the caller found, to be told together with ours
 * @throws DomainError `request_invalid` naming each filter value that nobody knows, with the nearest known ones
 */
export async function requireKnownValues(
  db: Queryable,
  given: Record<string, string[]>,
  others: readonly Fault[] = [],
): Promise<void> {
  const faults = [...(await unknownValueFaults(db, given)), ...others];
  if (faults.length > 0) throw new DomainError('request_invalid', 'The query is not valid.', faults);
}
