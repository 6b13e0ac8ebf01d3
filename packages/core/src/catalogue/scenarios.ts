import type { Fault } from '../errors.ts';
import type { Load } from '../load.ts';
import type { Scenario } from '../scenario.ts';
import { type Alias, compactKey, indexAliases, isWaived, lookupText, nearestIds } from './normalise.ts';
import { indexById, type NamedScenario, scenarios } from './records.ts';

/** What is known of a workload before it has an identity. Token counts are per request, as asked for. */
export interface ScenarioFacts {
  name: string | null;
  inputTokens: number | null;
  outputTokens: number | null;
  dataset: string | null;
  /** Tokens in the KV cache before the timed part. 0 is none. */
  depth: number | null;
}

export interface ScenarioMatch {
  scenario: Scenario;
  /** Set where a stated fact is not the named scenario's, and where a name is all there is and nobody knows it. */
  fault: Fault | null;
  /** A name that is no scenario's, as it was given, beside numbers or a data set that tell the workload; else null. */
  unknownName: string | null;
}

const byId = indexById(scenarios);

/** "Random (1500 \Rightarrow 250)", "decode_bound", "Tool Calling Agentic": compared without separators. */
function nameKey(name: string): string {
  return compactKey(lookupText(name).replace(/\\rightarrow|[=-]>|[⇒→]/gu, ' '));
}

const aliases: Alias[] = scenarios.flatMap((row) =>
  [row.id, row.title, ...row.aliases].map((alias) => ({ key: nameKey(alias), id: row.id })),
);
const index = indexAliases('scenario', aliases);

/** What a name asks for. Generated names (pp512, tg128, pp512+tg128, each @d4096) are not rows but have the same shape. */
interface Asked {
  id: string;
  inputTokens: number | null;
  outputTokens: number | null;
  dataset: string | null;
  depth: number | null;
  batch: number | null;
}

/** The catalogue's scenario of an id; generated ones (pp512) are not rows. */
export function findNamedScenario(id: string): NamedScenario | null {
  return byId.get(id) ?? null;
}

const generated = /^(?:pp(?<prompt>[1-9]\d{0,8}))?\+?(?:tg(?<answer>[1-9]\d{0,8}))?(?:@d(?<depth>\d{1,9}))?$/u;

function generatedId(input: number, output: number, depth: number | null): string {
  const phases = [input > 0 ? `pp${input}` : null, output > 0 ? `tg${output}` : null].filter((phase) => phase !== null);
  return phases.join('+') + (depth === null ? '' : `@d${depth}`);
}

function readGenerated(name: string): Asked | null {
  const groups = generated.exec(lookupText(name).replace(/\s/gu, ''))?.groups;
  if (groups === undefined) return null;
  const inputTokens = Number(groups.prompt ?? 0);
  const outputTokens = Number(groups.answer ?? 0);
  if (inputTokens === 0 && outputTokens === 0) return null;
  const depth = Number(groups.depth ?? 0) || null;
  return {
    id: generatedId(inputTokens, outputTokens, depth),
    inputTokens,
    outputTokens,
    dataset: null,
    depth,
    batch: null,
  };
}

function readName(name: string): Asked | null {
  const row = byId.get(index.get(nameKey(name)) ?? '');
  return row === undefined ? readGenerated(name) : { ...row, depth: null };
}

const randomDatasets: ReadonlySet<string> = new Set(['random', 'randomids', 'synthetic']);

/** The catalogue's spelling of a data set, the given one where it has none, null where none was stated. */
function canonicalDataset(dataset: string | null): string | null {
  if (dataset === null || isWaived(dataset)) return null;
  const key = compactKey(dataset);
  if (randomDatasets.has(key)) return 'random';
  if (key.includes('sharegpt')) return 'sharegpt';
  if (/edit10k(?:char|$)/u.test(key)) return 'vdaita/edit_10k_char';
  if (/numina-?math/u.test(key)) return 'AI-MO/NuminaMath';
  return dataset.trim();
}

/** Whether a stated data set may be the asked one. Made-up prompts of a given length need no name. */
function sameDataset(asked: string | null, stated: string | null): boolean {
  return stated === null || stated === asked || (asked === null && stated === 'random');
}

function contradictions(asked: Asked, facts: Stated, load: Load | null): { parameter: string; says: string }[] {
  const found: { parameter: string; says: string }[] = [];
  const compare = (parameter: string, wanted: number | null, stated: number | null) => {
    if (wanted !== null && stated !== null && wanted !== stated)
      found.push({ parameter, says: `${wanted}, not ${stated}` });
  };
  compare('input_tokens', asked.inputTokens, facts.inputTokens);
  compare('output_tokens', asked.outputTokens, facts.outputTokens);
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
type Stated = Omit<ScenarioFacts, 'name'>;

function toScenario(asked: Omit<Asked, 'batch'>, facts: Stated): Scenario {
  return {
    id: asked.id,
    inputTokens: asked.inputTokens ?? facts.inputTokens,
    outputTokens: asked.outputTokens ?? facts.outputTokens,
    dataset: asked.dataset,
    depth: asked.depth,
    kernel: null,
  };
}

const custom = (facts: Stated): Scenario => ({ id: 'custom', ...facts, kernel: null });

function byName(name: string, asked: Asked, facts: Stated, load: Load | null): ScenarioMatch {
  const [first, ...others] = contradictions(asked, facts, load);
  if (first !== undefined) {
    const all = [first, ...others].map(({ parameter, says }) => `${parameter} ${says}`).join('; ');
    return {
      scenario: custom(facts),
      fault: {
        code: 'scenario_contradicted',
        message: `The scenario "${name.trim()}" has ${all}.`,
        hint: 'Leave the scenario out to have the workload named by its numbers, or correct the one that is wrong.',
        parameter: first.parameter,
      },
      unknownName: null,
    };
  }
  const withDepth = readGenerated(
    asked.depth === null && facts.depth !== null ? `${asked.id}@d${facts.depth}` : asked.id,
  );
  return { scenario: toScenario(withDepth ?? asked, facts), fault: null, unknownName: null };
}

function fits(row: NamedScenario, facts: Stated, load: Load | null): boolean {
  if (facts.depth !== null) return false;
  // A recorded data set is the workload; lengths only describe it.
  if (row.inputTokens === null) return row.dataset === facts.dataset;
  if (row.inputTokens !== facts.inputTokens || row.outputTokens !== facts.outputTokens) return false;
  if (row.dataset === null ? facts.dataset !== null && facts.dataset !== 'random' : facts.dataset !== row.dataset)
    return false;
  return row.batch === null || (load?.mode === 'batch' && load.level === row.batch);
}

function byNumbers(facts: Stated, load: Load | null): Scenario {
  const row = scenarios.find((candidate) => fits(candidate, facts, load));
  if (row !== undefined) return toScenario({ ...row, depth: null }, facts);
  const { inputTokens, outputTokens, dataset, depth } = facts;
  const onePhase = (inputTokens === 0) !== (outputTokens === 0) && inputTokens !== null && outputTokens !== null;
  if (!onePhase || (dataset !== null && dataset !== 'random')) return custom(facts);
  return toScenario(
    { id: generatedId(inputTokens, outputTokens, depth), inputTokens, outputTokens, dataset: null, depth },
    facts,
  );
}

/** Without numbers a name that nobody knows tells no workload, and two such names would become one. */
function byUnknownName(name: string, facts: Stated): ScenarioMatch {
  const { inputTokens, outputTokens, dataset } = facts;
  // Not even numbers that another scenario has make it that one: "chatbt" is no "rag".
  const scenario = custom(facts);
  if (inputTokens !== null || outputTokens !== null || dataset !== null)
    return { scenario, fault: null, unknownName: name };
  const near = nearestIds(nameKey(name), aliases);
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

/**
 * The workload that a name, or else the numbers, the data set and the load tell. A named scenario whose numbers are
 * contradicted comes back as a fault beside the numbers; a name that is no scenario's never becomes one, and is a fault
 * where nothing else is told. Scenarios of the offline grid belong to one batch size: the same lengths under another
 * load are custom.
 */
export function resolveScenario(given: ScenarioFacts, load: Load | null): ScenarioMatch {
  const { name, ...rest } = given;
  const facts: Stated = {
    inputTokens: rest.inputTokens,
    outputTokens: rest.outputTokens,
    dataset: canonicalDataset(rest.dataset),
    depth: rest.depth === 0 ? null : rest.depth,
  };
  if (name === null || isWaived(name) || lookupText(name) === 'custom')
    return { scenario: byNumbers(facts, load), fault: null, unknownName: null };
  const asked = readName(name);
  return asked === null ? byUnknownName(name, facts) : byName(name, asked, facts, load);
}
