import type { Fault } from '../errors.ts';
import type { Load } from '../subjects/load.ts';
import type { MeasuredLengths, Scenario } from '../subjects/scenario.ts';
import { datasetSlug, readShapeName, roundLength, shapeName, unspecifiedShape } from '../workloads/shape-name.ts';
import { isWaived, lookupText } from './names/normalise.ts';
import { type NamedScenario, scenarios } from './records.ts';
import {
  type AskedShape,
  canonicalDataset,
  findNamedScenario,
  generatedId,
  nearestScenarios,
  readGenerated,
  readName,
} from './scenario-names.ts';

/** The known facts of a workload before it has an identity. Token counts are per request, as requested. */
export interface ScenarioFacts {
  name: string | null;
  inputTokens: number | null;
  outputTokens: number | null;
  dataset: string | null;
  /** Tokens in the KV cache before the timed part. 0 means none. */
  depth: number | null;
  /** Measured mean lengths. They define the shape if no lengths were requested. */
  measured?: MeasuredLengths;
  /** Mean lengths computed from a run's totals, used if no other lengths are known. They never contradict a name. */
  counted?: MeasuredLengths;
}

export interface ScenarioMatch {
  scenario: Scenario;
  /** Set if a stated fact contradicts the named scenario, or if an unknown name is the only fact. */
  fault: Fault | null;
  /** The given name if it is unknown but numbers or a data set define the workload; else null. */
  unknownName: string | null;
}

/** True if a stated data set matches the required one. Synthetic prompts of a given length need no name. */
function sameDataset(asked: string | null, stated: string | null): boolean {
  return stated === null || stated === asked || (asked === null && stated === 'random');
}

/** Lengths within this tolerance of a named shape count as that shape. */
const nearShare = 0.05;

const isNear = (tokens: number, named: number) => Math.abs(tokens - named) <= nearShare * named;

function contradictions(asked: AskedShape, facts: Stated, load: Load | null): { parameter: string; says: string }[] {
  const found: { parameter: string; says: string }[] = [];
  const isExact = findNamedScenario(asked.id) === null;
  const compare = (parameter: string, wanted: number | null, stated: number | null, measured: number | null) => {
    const tokens = stated ?? (isExact ? null : measured);
    if (wanted === null || tokens === null) return;
    if (isExact ? tokens !== wanted : !isNear(tokens, wanted))
      found.push({ parameter, says: `${wanted}, not ${tokens}` });
  };
  compare('input_tokens', asked.inputTokens, facts.inputTokens, facts.measured.inputTokens);
  compare('output_tokens', asked.outputTokens, facts.outputTokens, facts.measured.outputTokens);
  if (!sameDataset(asked.dataset, facts.dataset)) {
    found.push({ parameter: 'dataset', says: `${asked.dataset ?? 'none'}, not ${facts.dataset}` });
  }
  if (facts.depth !== null && asked.depth !== facts.depth && !(asked.depth === null && readGenerated(asked.id))) {
    found.push({ parameter: 'depth', says: `${asked.depth ?? 'none'}, not ${facts.depth}` });
  }
  if (asked.batch !== null && load !== null && (load.mode !== 'batch' || load.level !== asked.batch)) {
    found.push({ parameter: 'load', says: `one batch of ${asked.batch}, not ${load.mode} ${load.level}` });
  }
  return found;
}

/** Normalizes facts: the data set in the catalogue's spelling, and no depth for an empty cache. */
type Stated = Required<Omit<ScenarioFacts, 'name'>>;

/** A shape with the requested lengths. */
function toScenario(
  shape: Pick<AskedShape, 'id' | 'dataset' | 'depth'>,
  { inputTokens, outputTokens }: Stated,
): Scenario {
  const { id, dataset, depth } = shape;
  return { id, inputTokens, outputTokens, dataset, depth, kernel: null };
}

function contradicted(name: string, found: { parameter: string; says: string }[]): Fault {
  return {
    code: 'scenario_contradicted',
    message: `The scenario "${name.trim()}" has ${found.map(({ parameter, says }) => `${parameter} ${says}`).join('; ')}.`,
    hint: 'Omit the scenario to name the workload by its numbers, or correct the wrong value.',
    ...(found[0] === undefined ? {} : { parameter: found[0].parameter }),
  };
}

function byName(name: string, asked: AskedShape, facts: Stated, load: Load | null): ScenarioMatch {
  const found = contradictions(asked, facts, load);
  if (found.length > 0)
    return { scenario: byNumbers(facts, load), fault: contradicted(name, found), unknownName: null };
  const withDepth =
    readGenerated(asked.depth === null && facts.depth !== null ? `${asked.id}@d${facts.depth}` : asked.id) ?? asked;
  const scenario = toScenario(withDepth, {
    ...facts,
    inputTokens: facts.inputTokens ?? asked.inputTokens,
    outputTokens: facts.outputTokens ?? asked.outputTokens,
  });
  return { scenario, fault: null, unknownName: null };
}

/** Matches a name such as "200-60" with these lengths, or with stated lengths that round to them. */
function byLengthsName(
  name: string,
  asked: MeasuredLengths & { depth: number | null },
  facts: Stated,
  load: Load | null,
): ScenarioMatch {
  const found = (
    [
      ['input_tokens', asked.inputTokens, facts.inputTokens ?? facts.measured.inputTokens],
      ['output_tokens', asked.outputTokens, facts.outputTokens ?? facts.measured.outputTokens],
      ['depth', asked.depth, facts.depth],
    ] as const
  ).flatMap(([parameter, wanted, stated]) => {
    const isSame = wanted === null || stated === null || roundLength(wanted) === roundLength(stated);
    return isSame ? [] : [{ parameter, says: `${wanted}, not ${stated}` }];
  });
  if (found.length > 0)
    return { scenario: byNumbers(facts, load), fault: contradicted(name, found), unknownName: null };
  const both = {
    ...facts,
    inputTokens: facts.inputTokens ?? asked.inputTokens,
    outputTokens: facts.outputTokens ?? asked.outputTokens,
    depth: facts.depth ?? asked.depth,
  };
  return { scenario: byNumbers(both, load), fault: null, unknownName: null };
}

/** Returns the distance of lengths from a named shape: 0 if equal, null if they are not that shape. */
function distanceTo(row: NamedScenario, facts: Stated, load: Load | null): number | null {
  if (facts.depth !== null) return null;
  // A recorded data set defines the workload; its lengths only describe it.
  if (row.inputTokens === null || row.outputTokens === null) return row.dataset === facts.dataset ? 0 : null;
  // Synthetic prompts need no name if the shape requires none.
  if (facts.dataset !== 'random' && facts.dataset !== row.dataset) return null;
  if (row.batch !== null && (load?.mode !== 'batch' || load.level !== row.batch)) return null;
  const { inputTokens: input, outputTokens: output } = knownLengths(facts);
  if (input === null || output === null || !isNear(input, row.inputTokens) || !isNear(output, row.outputTokens))
    return null;
  return Math.abs(input - row.inputTokens) / row.inputTokens + Math.abs(output - row.outputTokens) / row.outputTokens;
}

/** Returns the requested lengths, else the measured, else the counted ones. */
const knownLengths = ({ inputTokens, outputTokens, measured, counted }: Stated): MeasuredLengths => ({
  inputTokens: inputTokens ?? measured.inputTokens ?? counted.inputTokens,
  outputTokens: outputTokens ?? measured.outputTokens ?? counted.outputTokens,
});

function nearestShape(facts: Stated, load: Load | null): NamedScenario | null {
  let nearest: { row: NamedScenario; distance: number } | null = null;
  for (const row of scenarios) {
    const distance = distanceTo(row, facts, load);
    if (distance !== null && (nearest === null || distance < nearest.distance)) nearest = { row, distance };
  }
  return nearest?.row ?? null;
}

/** Returns the name part of an unknown data set. It never equals the name of another shape. */
function slugOf(dataset: string): string | null {
  const slug = datasetSlug(dataset);
  if (slug === null) return null;
  const isTaken = readName(slug) !== null || readShapeName(slug) !== null || slug === unspecifiedShape;
  return isTaken ? `data-${slug}` : slug;
}

function byNumbers(facts: Stated, load: Load | null): Scenario {
  const row = nearestShape(facts, load);
  if (row !== null) return toScenario({ ...row, depth: null }, facts);
  const { inputTokens, outputTokens, dataset, depth } = facts;
  const isMadeUp = dataset === null || dataset === 'random';
  if (isMadeUp && inputTokens !== null && outputTokens !== null && (inputTokens === 0) !== (outputTokens === 0))
    return toScenario({ id: generatedId(inputTokens, outputTokens, depth), dataset: null, depth }, facts);
  const slug = isMadeUp ? null : slugOf(dataset);
  // Recorded lengths vary, so within a data set only requested lengths distinguish shapes.
  const id = shapeName(slug === null ? knownLengths(facts) : facts, { dataset: slug, depth });
  return toScenario({ id, dataset, depth }, facts);
}

/** The fault of a name that is not in the catalogue, with the closest names and another way to state the workload. */
export function unknownScenario(name: string, fix: string): Fault {
  const near = nearestScenarios(name);
  const known =
    near.length > 0
      ? `Closest scenarios: ${near.join(', ')}.`
      : `Scenarios: ${scenarios.map(({ id }) => id).join(', ')}.`;
  return {
    code: 'scenario_unknown',
    message: `Unknown scenario "${name.trim().slice(0, 200)}".`,
    hint: `${known} ${fix}`,
    parameter: 'scenario',
  };
}

/** Without numbers, an unknown name does not define a workload: two such names would become one. */
function byUnknownName(name: string, facts: Stated, load: Load | null): ScenarioMatch {
  const scenario = byNumbers(facts, load);
  if (scenario.id === lookupText(name)) return { scenario, fault: null, unknownName: null };
  const { inputTokens, outputTokens } = knownLengths(facts);
  if (inputTokens !== null || outputTokens !== null || facts.dataset !== null)
    return { scenario, fault: null, unknownName: name };
  const fix = 'For a workload without a name state input_tokens and output_tokens.';
  return { scenario, fault: unknownScenario(name, fix), unknownName: null };
}

const noLengths: MeasuredLengths = { inputTokens: null, outputTokens: null };
const noFacts: Stated = { ...noLengths, dataset: null, depth: null, measured: noLengths, counted: noLengths };

/** Returns the id of the shape that a name means: a named one, "pp512" or "200-60". Null if the name is not a shape's. */
export function readScenarioName(name: string): string | null {
  const known = readName(name)?.id;
  if (known !== undefined) return known;
  const lengths = readShapeName(lookupText(name));
  return lengths === null ? null : byNumbers({ ...noFacts, ...lengths }, null).id;
}

/** Sent by older clients that have no name. */
const withoutName = 'custom';

/**
 * Resolves the workload from a name, or else from the numbers, the data set and the load. If the numbers contradict a named
 * scenario, returns a fault and the shape that the numbers define. An unknown name never becomes a scenario; it is a fault
 * if no other fact is known. Scenarios of the offline grid require one batch size: the same lengths under another load are
 * another shape.
 */
export function resolveScenario(given: ScenarioFacts, load: Load | null): ScenarioMatch {
  const { name, ...rest } = given;
  const facts: Stated = {
    inputTokens: rest.inputTokens,
    outputTokens: rest.outputTokens,
    dataset: canonicalDataset(rest.dataset),
    depth: rest.depth === 0 ? null : rest.depth,
    measured: rest.measured ?? noLengths,
    counted: rest.counted ?? noLengths,
  };
  if (name === null || isWaived(name) || lookupText(name) === withoutName)
    return { scenario: byNumbers(facts, load), fault: null, unknownName: null };
  const asked = readName(name);
  if (asked !== null) return byName(name, asked, facts, load);
  const lengths = readShapeName(lookupText(name));
  return lengths === null ? byUnknownName(name, facts, load) : byLengthsName(name, lengths, facts, load);
}
