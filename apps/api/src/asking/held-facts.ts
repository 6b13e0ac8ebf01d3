import { gpuFamilies } from '@inferboard/core/catalogue/index';
import type { QuestionFilters } from '@inferboard/core/questions/index';
import { titleOfId } from '@inferboard/core/subjects/system-label';

interface Named {
  id: string | null;
  name: string;
}

/** The facts of an entry that a comparison may hold equal. */
export interface ComparedEntry {
  system: {
    model: Named;
    quantization: Named;
    gpu: Named;
    gpu_count: number | null;
    engine: Named;
  };
}

/** Facts that a comparison holds equal, each with the filter of the same name. */
export type HeldFact = keyof ComparedEntry['system'];

const nameOf = ({ id, name }: Named) => id ?? (name === 'unspecified' || name === 'n/a' ? null : name);

/** The family of a GPU: sources often omit its variant. A GPU without a family is its own. */
function familyOf(gpu: Named): string | null {
  const name = nameOf(gpu);
  return gpuFamilies.find(({ id, members }) => id === name || members.some((member) => member === name))?.id ?? name;
}

/** The filter value of each fact; null if it is not stated. */
export const factOf: Record<HeldFact, (entry: ComparedEntry) => string | number | null> = {
  model: ({ system }) => nameOf(system.model),
  gpu: ({ system }) => familyOf(system.gpu),
  quantization: ({ system }) => nameOf(system.quantization),
  gpu_count: ({ system }) => system.gpu_count,
  engine: ({ system }) => nameOf(system.engine),
};

/** The facts of a system, with their names in a sentence. */
export const factWords: Readonly<Record<HeldFact, string>> = {
  model: 'model',
  gpu: 'GPU',
  quantization: 'quantization',
  gpu_count: 'number of GPUs',
  engine: 'engine',
};

export const heldFactNames = Object.keys(factWords) as HeldFact[];

/** The facts that the sides of a comparison name. A family of models names the model. */
export function namedFacts(sides: readonly QuestionFilters[]): Set<HeldFact> {
  const names = new Set(sides.flatMap((side) => Object.keys(side)));
  return new Set(heldFactNames.filter((fact) => names.has(fact) || (fact === 'model' && names.has('model_family'))));
}

/** Metrics that grow with the number of GPUs. */
const totals: ReadonlySet<string> = new Set(['output_tok_s', 'total_tok_s', 'input_tok_s', 'req_s']);

/**
 * Facts that a comparison by a metric holds equal if it can, the most important one first: a comparison of formats needs the same
 * engine, one of models the same format and engine, all others the same format. The number of GPUs matters most to totals, and
 * also to rates per GPU.
 */
function preferredFacts(named: ReadonlySet<HeldFact>, metric: string): HeldFact[] {
  const ofModels: HeldFact[] = named.has('model') ? ['quantization', 'engine'] : ['quantization'];
  const facts: HeldFact[] = named.has('quantization') ? ['engine'] : ofModels;
  const ordered: HeldFact[] = totals.has(metric) ? ['gpu_count', ...facts] : [...facts, 'gpu_count'];
  return ordered.filter((fact) => !named.has(fact));
}

/**
 * The sets of facts to hold equal, those with the most important facts first. The GPU is in all of them, because the same engine
 * on two GPUs is not a comparison of engines. The model is chosen before.
 */
export function heldSets(named: ReadonlySet<HeldFact>, metric: string): HeldFact[][] {
  const free = preferredFacts(named, metric);
  const gpu: HeldFact[] = named.has('gpu') ? [] : ['gpu'];
  return Array.from({ length: free.length + 1 }, (_, dropped) => [...gpu, ...free.slice(0, free.length - dropped)]);
}

/** True if values hold all facts equal that others do. The number of GPUs may differ, unless the metric grows with it. */
export const keepsFacts = (values: QuestionFilters, others: QuestionFilters, metric: string): boolean =>
  Object.keys(others).every((fact) => fact in values || (fact === 'gpu_count' && !totals.has(metric)));

/**
 * Returns the values of facts that an entry of each side has, as filters, those of the entries with the best ranks first. Empty
 * if the sides have no values in common.
 *
 * @param sides the entries of each side in rank order
 */
export function commonValues(
  sides: readonly (readonly ComparedEntry[])[],
  facts: readonly HeldFact[],
): QuestionFilters[] {
  const places = sides.map((entries) => {
    const first = new Map<string, number>();
    for (const [place, entry] of entries.entries()) {
      const values = facts.map((fact) => factOf[fact](entry));
      const key = JSON.stringify(values);
      if (!values.includes(null) && !first.has(key)) first.set(key, place);
    }
    return first;
  });
  const [one, ...others] = places;
  const common = [...(one ?? [])].flatMap(([key, place]) => {
    const rest = others.map((side) => side.get(key));
    return rest.includes(undefined) ? [] : [{ key, sum: rest.reduce<number>((sum, at) => sum + (at ?? 0), place) }];
  });
  return common
    .sort((a, b) => a.sum - b.sum)
    .map(({ key }) => {
      const values = JSON.parse(key) as (string | number)[];
      return Object.fromEntries(facts.map((fact, at) => [fact, [values[at] ?? '']]));
    });
}

/** True if an entry has the values of facts. */
export const hasFacts = (entry: ComparedEntry, held: QuestionFilters): boolean =>
  heldFactNames.every((fact) => held[fact] === undefined || [held[fact]].flat()[0] === factOf[fact](entry));

const notStated = 'not stated';

/** The facts in which the entries differ and that the sides do not name, such as "quantization (FP8, NVFP4)". */
export function differences(entries: readonly ComparedEntry[], named: ReadonlySet<HeldFact>): string[] {
  return heldFactNames
    .filter((fact) => !named.has(fact))
    .flatMap((fact) => {
      const values = entries.map((entry) =>
        fact === 'gpu' ? (nameOf(entry.system.gpu) ?? notStated) : (factOf[fact](entry) ?? notStated),
      );
      const titles = values.map((value) => titleOfId(fact, String(value)) ?? value);
      return new Set(values).size < 2 ? [] : [`${factWords[fact]} (${titles.join(', ')})`];
    });
}

/** The versions of one engine, if the entries differ in them: "engine version (0.9.2, 0.10.1)". */
export function differentVersions(entries: readonly { system: { engine: { version: string | null } } }[]): string[] {
  const versions = entries.map(({ system }) => system.engine.version ?? notStated);
  return new Set(versions).size < 2 ? [] : [`engine version (${versions.join(', ')})`];
}
