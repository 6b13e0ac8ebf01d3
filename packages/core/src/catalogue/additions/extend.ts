import type { Fault } from '../../errors.ts';
import { engineKey, resolveEngine } from '../engines.ts';
import { findGpuFamily, gpuKey, resolveGpu } from '../gpus.ts';
import { findModel, findModelFamily, modelKey, resolveModel } from '../models.ts';
import { quantizationKey, resolveQuantization } from '../quantizations.ts';
import { builtIn, currentTables, type Model, replaceTables, type Tables } from '../records.ts';
import { type Addition, type AdditionKind, factsKind, type Row, toRow } from './additions.ts';

const tableOf = { model: 'models', gpu: 'gpus', quantization: 'quantizations', engine: 'engines' } as const;

/** Normalizes names of each kind for comparison. */
const keyOf: Record<AdditionKind, (name: string) => string> = {
  model: modelKey,
  gpu: gpuKey,
  quantization: quantizationKey,
  engine: engineKey,
};

const resolvers: Record<AdditionKind, (text: string) => { id: string | null; family?: string | null }> = {
  model: resolveModel,
  gpu: resolveGpu,
  quantization: (text) => resolveQuantization(text),
  engine: resolveEngine,
};

/** Returns the current catalogue entry of a name, or null if the name is unknown or means only a family. */
export const meaningOf = (kind: AdditionKind, name: string): string | null => resolvers[kind](name).id;

const namesOf = (row: { id: string; name: string; aliases: readonly string[] }): string[] => [
  row.id,
  row.name,
  ...row.aliases,
];

const owners = (kind: AdditionKind, rows: readonly Row[]) =>
  new Map(rows.flatMap((row) => namesOf(row).map((name) => [keyOf[kind](name), row.id] as const)));

/** The tables after one more addition, and the conflicting parts that were left out. */
function addTo(tables: Tables, addition: Addition): { tables: Tables; leftOut: string[] } {
  const { kind, id } = addition;
  const rows: readonly Row[] = tables[tableOf[kind]];
  const owner = owners(kind, rows);
  const isFree = (name: string) => (owner.get(keyOf[kind](name)) ?? id) === id;
  const replaced = (next: readonly Row[]) => ({ ...tables, [tableOf[kind]]: next }) as Tables;
  const leftOut = addition.aliases
    .filter((alias) => !isFree(alias))
    .map((alias) => `alias "${alias}" of the added ${kind} ${id}: it names ${owner.get(keyOf[kind](alias))}`);
  const aliases = addition.aliases.filter(isFree);
  const known = rows.find((row) => row.id === id);
  if (known !== undefined) {
    const all = [...new Set([...known.aliases, ...aliases])];
    return { tables: replaced(rows.map((row) => (row === known ? { ...row, aliases: all } : row))), leftOut };
  }
  const row = toRow({ ...addition, aliases }, (base) => tables.models.find((model) => model.id === base) ?? null);
  const taken = row === null ? undefined : namesOf(row).find((name) => !isFree(name));
  if (row !== null && taken === undefined) return { tables: replaced([...rows, row]), leftOut };
  const why = taken === undefined ? 'its facts are not complete' : `"${taken}" names ${owner.get(keyOf[kind](taken))}`;
  return { tables, leftOut: [`the added ${kind} ${id}: ${why}`] };
}

/**
 * Replaces the catalogue of this process with the release's catalogue plus these additions, applied in creation order. The
 * release wins conflicts over entries and names.
 *
 * @returns what was left out, for the log
 */
export function extendCatalogue(additions: readonly Addition[]): string[] {
  let tables = builtIn;
  const leftOut: string[] = [];
  for (const addition of additions) {
    const added = addTo(tables, addition);
    tables = added.tables;
    leftOut.push(...added.leftOut);
  }
  replaceTables(tables);
  return leftOut;
}

interface Given {
  pointer: string;
  name: string;
}

function givenNames({ id, facts, aliases }: Addition): Given[] {
  return [
    { pointer: '/id', name: id },
    ...(typeof facts?.name === 'string' ? [{ pointer: '/facts/name', name: facts.name }] : []),
    ...aliases.map((name, at) => ({ pointer: `/aliases/${at}`, name })),
  ];
}

/** Finds names that already mean something else. */
function takenNames({ kind, id, facts, aliases }: Addition, family: string | null): Fault[] {
  return givenNames({ kind, id, facts, aliases }).flatMap(({ pointer, name }): Fault[] => {
    const found = resolvers[kind](name);
    const isOwn = found.id === id || (found.id === null && [null, undefined, family].includes(found.family));
    if (isOwn) return [];
    const other = found.id === null ? `the family ${found.family}` : `the ${kind} ${found.id}`;
    const message = `"${name}" is already a name of ${other}, so it cannot name ${id}.`;
    return [{ code: 'name_taken', pointer, message, hint: 'Remove it, or choose another name.' }];
  });
}

/** Finds names, new or existing, that would no longer resolve to their entry after the addition. */
function lostNames({ kind, id, facts, aliases }: Addition): Fault[] {
  const { [tableOf[kind]]: rows } = currentTables();
  const given = new Map(givenNames({ kind, id, facts, aliases }).map(({ name, pointer }) => [name, pointer]));
  return (rows as readonly Row[]).flatMap((row) =>
    [...new Set(namesOf(row))].flatMap((name): Fault[] => {
      const found = resolvers[kind](name).id;
      if (found === row.id) return [];
      const pointer = row.id === id ? given.get(name) : undefined;
      if (pointer !== undefined) {
        const message = `"${name}" would not resolve to the ${kind} ${id}.`;
        return [{ code: 'value_invalid', pointer, message, hint: 'Use a name that states no other fact.' }];
      }
      const would = found === null ? 'would be ambiguous' : `would name ${found}`;
      const message = `"${name}" is a name of the ${kind} ${row.id}. With ${id} it ${would}.`;
      return [{ code: 'name_taken', pointer: '/id', message }];
    }),
  );
}

/** Finds names with nothing left to compare, and names that state a GPU count. */
function unreadableNames(addition: Addition): Fault[] {
  const { kind } = addition;
  return givenNames(addition).flatMap(({ pointer, name }): Fault[] => {
    if (keyOf[kind](name) === '')
      return [{ code: 'value_invalid', pointer, message: `"${name}" contains no letter or digit.` }];
    const count = kind === 'gpu' ? resolveGpu(name).count : null;
    if (count === null) return [];
    const message = `"${name}" contains a GPU count (${count}), which is another fact.`;
    return [{ code: 'value_invalid', pointer, message, hint: 'Remove the count.' }];
  });
}

/** Finds references to entries that the catalogue does not contain. */
function missingReferences({ kind, id, facts }: Addition): Fault[] {
  const faults: Fault[] = [];
  const refuse = (field: string, message: string, hint: string) =>
    faults.push({ code: 'value_unknown', pointer: `/facts/${field}`, message, hint });
  if (facts === null || (kind !== 'model' && kind !== 'gpu')) return [];
  const { base, family, nativePrecision } = facts as Partial<Record<string, string>>;
  if (base !== undefined && findModel(base) === null)
    refuse('base', `The catalogue has no model "${base}".`, 'GET /v1/catalogue/models lists them.');
  if (nativePrecision !== undefined && resolveQuantization(nativePrecision).id === null)
    refuse(
      'native_precision',
      `The catalogue has no quantization "${nativePrecision}".`,
      'GET /v1/catalogue/quantizations lists them.',
    );
  if (kind === 'gpu' && family !== undefined && family !== id && findGpuFamily(family) === null)
    refuse('family', `The catalogue has no family of GPUs "${family}".`, 'Omit it for a GPU without variants.');
  return faults;
}

const familyOf = ({ kind, id, facts }: Addition): string | null => {
  if (facts === null || (kind !== 'model' && kind !== 'gpu')) return null;
  const { base, family = id } = facts as Partial<Record<string, string>>;
  return factsKind(kind, facts) === 'derivative' ? (findModel(base ?? '')?.family ?? null) : family;
};

/** A model family whose name already means something else would be misread as that. */
function familyFaults({ kind, facts }: Addition, family: string | null): Fault[] {
  if (kind !== 'model' || typeof facts?.family !== 'string' || findModelFamily(facts.family) !== null) return [];
  const found = resolveModel(facts.family);
  if (found.family === null || found.family === family) return [];
  const message = `"${facts.family}" is already a name of the model ${found.id ?? found.family}, so it cannot name a family.`;
  return [{ code: 'name_taken', pointer: '/facts/family', message }];
}

/**
 * Returns every reason to reject an addition. Rejects an id or name of another entry, a name that would not resolve to this
 * entry, and a reference to a missing entry. The catalogue does not change.
 */
export function additionFaults(addition: Addition): Fault[] {
  const { kind, id, facts } = addition;
  const before = currentTables();
  const known = (before[tableOf[kind]] as readonly Row[]).find((row) => row.id === id);
  if (facts === null && known === undefined) {
    const message = `The catalogue has no ${kind} "${id}" to add names to.`;
    return [{ code: 'value_unknown', pointer: '/id', message, hint: 'Add facts to create the entry.' }];
  }
  const family = facts === null ? ((known as Partial<Model>)?.family ?? null) : familyOf(addition);
  const faults = [
    ...missingReferences(addition),
    ...unreadableNames(addition),
    ...takenNames(addition, family),
    ...familyFaults(addition, family),
  ];
  if (facts !== null && known !== undefined)
    faults.unshift({
      code: 'name_taken',
      pointer: '/id',
      message: `The catalogue already has the ${kind} ${id} ("${namesOf(known)[1] ?? id}").`,
      hint: 'Omit facts to add names to it.',
    });
  if (faults.length > 0) return faults;
  const { tables, leftOut } = addTo(before, addition);
  if (leftOut.length > 0) return leftOut.map((message) => ({ code: 'name_taken', pointer: '/aliases', message }));
  try {
    replaceTables(tables);
    return lostNames(addition);
  } finally {
    replaceTables(before);
  }
}
