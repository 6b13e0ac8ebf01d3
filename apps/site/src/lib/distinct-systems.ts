import type { System } from './api.ts';
import { hardwareText, quantizationText, type RowName, rowName, systemTitle } from './words.ts';

type Features = System['features'];

/** A fact of a system in words; null if it is not stated. */
type FactText = (system: System) => string | null;

const isStated = (value: Features[string] | null | undefined) => value !== undefined && value !== null && value !== '';
const firstOf = (features: Features, names: readonly string[]) => names.map((name) => features[name]).find(isStated);

const algorithmNames = ['speculative_algorithm', 'speculative_algo', 'speculative_method'];
const draftNames = ['speculative_num_draft_tokens', 'num_speculative_tokens', 'draft_tokens'];

function speculationText({ features }: System): string | null {
  const algorithm = firstOf(features, algorithmNames);
  if (algorithm !== undefined) return `speculative decoding with ${algorithm}`;
  return features.speculative_decoding === true ? 'speculative decoding' : null;
}

function draftText({ features }: System): string | null {
  const tokens = firstOf(features, draftNames);
  return tokens === undefined ? null : `${tokens} draft tokens`;
}

/** "2 prefill + 4 decode workers", of a server with separate prefill. */
const splitText =
  (what: string, unit: string): FactText =>
  ({ features }) => {
    const [prefill, decode] = [features[`prefill_${what}`], features[`decode_${what}`]];
    return isStated(prefill) && isStated(decode) ? `${prefill} prefill + ${decode} decode ${unit}` : null;
  };

const widthText =
  (name: keyof System['parallelism']): FactText =>
  ({ parallelism }) => {
    const width = parallelism[name];
    return width === null ? null : `${name} parallelism ${width}`;
  };

/** Facts with their own words, the most important first. */
const worded: readonly FactText[] = [
  speculationText,
  draftText,
  widthText('expert'),
  widthText('tensor'),
  widthText('pipeline'),
  widthText('data'),
  splitText('workers', 'workers'),
  splitText('gpus', 'GPUs'),
  ({ quantization: { recipe } }) => (recipe.length === 0 ? null : recipe.join(', ')),
];

const wordedNames: ReadonlySet<string> = new Set([
  ...[...algorithmNames, ...draftNames, 'speculative_decoding'],
  ...['prefill_workers', 'decode_workers', 'prefill_gpus', 'decode_gpus'],
]);

/** "dp attention", "without prefix caching", "kv cache dtype fp8". */
const featureText =
  (name: string): FactText =>
  ({ features }) => {
    const value = features[name];
    if (!isStated(value)) return null;
    if (typeof value !== 'boolean')
      return `${name.replace(/_parallel$/u, '_parallelism').replaceAll('_', ' ')} ${value}`;
    const words = name.replace(/^(?:enable|disable)_/u, '').replaceAll('_', ' ');
    return value === name.startsWith('disable_') ? `without ${words}` : words;
  };

/** Facts of published results that readers know, before the others in alphabetical order. */
const known = ['submitter', 'server'];

/** Maximum number of facts that all systems of a name get, so that they fit a row. */
const factsMax = 3;

/**
 * The facts that distinguish systems of the same name, in words. Each fact separates systems that are equal in the facts before.
 * Systems that are equal in all of these facts get further ones.
 */
function differencesAmong(systems: readonly System[]): string[][] {
  const names = new Set(systems.flatMap(({ features }) => Object.keys(features)));
  const others = [
    ...known.filter((name) => names.has(name)),
    ...[...names].filter((name) => !wordedNames.has(name) && !known.includes(name)).toSorted(),
  ];
  const chosen: FactText[] = [];
  const textsOf = (facts: readonly FactText[]) => systems.map((system) => facts.map((fact) => fact(system)));
  const kindsOf = (facts: readonly FactText[]) => new Set(textsOf(facts).map((texts) => JSON.stringify(texts))).size;
  for (const fact of [...worded, ...others.map(featureText)]) {
    if (chosen.length === factsMax) break;
    if (kindsOf([...chosen, fact]) > kindsOf(chosen)) chosen.push(fact);
  }
  const found = textsOf(chosen).map((texts) => texts.filter((text) => text !== null));
  if (chosen.length === 0) return found;
  for (const places of Map.groupBy(found.keys(), (at) => JSON.stringify(found[at])).values()) {
    if (places.length === 1) continue;
    const further = differencesAmong(places.flatMap((at) => systems[at] ?? []));
    for (const [place, at] of places.entries()) found[at]?.push(...(further[place] ?? []));
  }
  return found;
}

/**
 * By system id, the facts that distinguish a system of a list from others with the same name, in words: "speculative decoding with
 * EAGLE3". Empty if no other system has its name, or if it states none of the facts.
 *
 * @param nameOf the name of a system in the list
 */
export function distinguishingFacts(
  systems: readonly System[],
  nameOf: (system: System) => string,
): ReadonlyMap<string, string[]> {
  const distinct = [...new Map(systems.map((system) => [system.id, system])).values()];
  const groups = [...Map.groupBy(distinct, nameOf).values()];
  return new Map(
    groups.flatMap((alike) => {
      const facts = alike.length === 1 ? [] : differencesAmong(alike);
      return alike.map(({ id }, at) => [id, facts[at] ?? []] as const);
    }),
  );
}

const joined = (text: string, facts: readonly string[] = []) =>
  [text, ...facts].filter((part) => part !== '').join(' · ');

/** The names of board rows by system id. Rows of the same name also have the facts that distinguish their systems. */
export function rowNames(systems: readonly System[], subject: string | null): ReadonlyMap<string, RowName> {
  const facts = distinguishingFacts(systems, (system) => JSON.stringify(rowName(system, subject)));
  return new Map(
    systems.map((system) => {
      const name = rowName(system, subject);
      return [system.id, { ...name, rest: joined(name.rest, facts.get(system.id)) }];
    }),
  );
}

/** As `hardwareText`, by system id, with the facts that distinguish systems of the same title, quantization and hardware. */
export function hardwareTexts(systems: readonly System[]): ReadonlyMap<string, string> {
  const facts = distinguishingFacts(systems, (system) =>
    JSON.stringify([systemTitle(system), quantizationText(system), hardwareText(system)]),
  );
  return new Map(systems.map((system) => [system.id, joined(hardwareText(system), facts.get(system.id))]));
}
