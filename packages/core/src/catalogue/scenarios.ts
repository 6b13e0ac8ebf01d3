import type { Fault } from '../errors.ts';
import type { Load } from '../load.ts';
import type { MeasuredLengths, Scenario } from '../scenario.ts';
import { datasetSlug, readShapeName, roundLength, shapeName, unspecifiedShape } from '../workloads/shape-name.ts';
import { isWaived, lookupText } from './normalise.ts';
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

/** What is known of a workload before it has an identity. Token counts are per request, as asked for. */
export interface ScenarioFacts {
  name: string | null;
  inputTokens: number | null;
  outputTokens: number | null;
  dataset: string | null;
  /** Tokens in the KV cache before the timed part. 0 is none. */
  depth: number | null;
  /** Mean lengths that were measured: they name the shape where none were asked for. */
  measured?: MeasuredLengths;
  /** Mean lengths by the totals of a run, where nothing else tells any. They contradict no name. */
  counted?: MeasuredLengths;
}

export interface ScenarioMatch {
  scenario: Scenario;
  /** Set where a stated fact is not the named scenario's, and where a name is all there is and nobody knows it. */
  fault: Fault | null;
  /** A name that is no scenario's, as it was given, beside numbers or a data set that tell the workload; else null. */
  unknownName: string | null;
}

/** Whether a stated data set may be the asked one. Made-up prompts of a given length need no name. */
function sameDataset(asked: string | null, stated: string | null): boolean {
  return stated === null || stated === asked || (asked === null && stated === 'random');
}

/** Lengths so near to those of a named shape are that shape. */
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

/** Facts with their data set in the catalogue's spelling and an empty cache as no depth. */
type Stated = Required<Omit<ScenarioFacts, 'name'>>;

/** A shape with the lengths that were asked for. */
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
    hint: 'Leave the scenario out to have the workload named by its numbers, or correct the one that is wrong.',
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

/** A name such as "200-60" asks for these lengths, or for those beside it that round to them. */
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

/** How far lengths are from those of a named shape, 0 where they are the same; null where they are not that shape. */
function distanceTo(row: NamedScenario, facts: Stated, load: Load | null): number | null {
  if (facts.depth !== null) return null;
  // A recorded data set is the workload; lengths only describe it.
  if (row.inputTokens === null || row.outputTokens === null) return row.dataset === facts.dataset ? 0 : null;
  // Made-up prompts need no name where the shape asks for none.
  if (facts.dataset !== 'random' && facts.dataset !== row.dataset) return null;
  if (row.batch !== null && (load?.mode !== 'batch' || load.level !== row.batch)) return null;
  const { inputTokens: input, outputTokens: output } = knownLengths(facts);
  if (input === null || output === null || !isNear(input, row.inputTokens) || !isNear(output, row.outputTokens))
    return null;
  return Math.abs(input - row.inputTokens) / row.inputTokens + Math.abs(output - row.outputTokens) / row.outputTokens;
}

/** Lengths asked for, else measured, else counted. */
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

/** A data set that no shape knows, as part of a name; never a name that another shape has. */
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
  // Recorded lengths vary: of a data set only those that were asked for tell one shape from another.
  const id = shapeName(slug === null ? knownLengths(facts) : facts, { dataset: slug, depth });
  return toScenario({ id, dataset, depth }, facts);
}

/** Without numbers a name that nobody knows tells no workload, and two such names would become one. */
function byUnknownName(name: string, facts: Stated, load: Load | null): ScenarioMatch {
  const scenario = byNumbers(facts, load);
  if (scenario.id === lookupText(name)) return { scenario, fault: null, unknownName: null };
  const { inputTokens, outputTokens } = knownLengths(facts);
  if (inputTokens !== null || outputTokens !== null || facts.dataset !== null)
    return { scenario, fault: null, unknownName: name };
  const near = nearestScenarios(name);
  const known =
    near.length > 0 ? `Nearest known: ${near.join(', ')}.` : `Known are ${scenarios.map(({ id }) => id).join(', ')}.`;
  return {
    scenario,
    fault: {
      code: 'scenario_unknown',
      message: `There is no scenario "${name.trim().slice(0, 200)}".`,
      hint: `${known} For a workload without a name state input_tokens and output_tokens.`,
      parameter: 'scenario',
    },
    unknownName: null,
  };
}

const noLengths: MeasuredLengths = { inputTokens: null, outputTokens: null };
const noFacts: Stated = { ...noLengths, dataset: null, depth: null, measured: noLengths, counted: noLengths };

/** The id of the shape that a name asks for: a named one, "pp512", "200-60". Null of a name that is no shape's. */
export function readScenarioName(name: string): string | null {
  const known = readName(name)?.id;
  if (known !== undefined) return known;
  const lengths = readShapeName(lookupText(name));
  return lengths === null ? null : byNumbers({ ...noFacts, ...lengths }, null).id;
}

/** What older clients said for "no name". */
const withoutName = 'custom';

/**
 * The workload that a name, or else the numbers, the data set and the load tell. A named scenario whose numbers are
 * contradicted comes back as a fault beside the shape that the numbers tell; a name that is no scenario's never becomes
 * one, and is a fault where nothing else is told. Scenarios of the offline grid belong to one batch size: the same
 * lengths under another load are another shape.
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
