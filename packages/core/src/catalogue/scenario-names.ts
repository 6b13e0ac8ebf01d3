import { type Alias, compactKey, indexAliases, isWaived, lookupText, nearestIds } from './names/normalise.ts';
import { indexById, type NamedScenario, scenarios } from './records.ts';

const byId = indexById(scenarios);

/** "Random (1500 \Rightarrow 250)", "decode_bound", "Tool Calling Agentic": compared without separators. */
function nameKey(name: string): string {
  return compactKey(lookupText(name).replace(/\\rightarrow|[=-]>|[⇒→]/gu, ' '));
}

const aliases: Alias[] = scenarios.flatMap((row) =>
  [row.id, row.title, ...row.aliases].map((alias) => ({ key: nameKey(alias), id: row.id })),
);
const index = indexAliases('scenario', aliases);

/**
 * The requested lengths of a name. Generated names (pp512, tg128, pp512+tg128, each @d4096) have the same type but no row.
 */
export interface AskedShape {
  id: string;
  inputTokens: number | null;
  outputTokens: number | null;
  dataset: string | null;
  depth: number | null;
  batch: number | null;
}

/** Returns the catalogue's scenario with an id. Generated ids (pp512) have no row. */
export function findNamedScenario(id: string): NamedScenario | null {
  return byId.get(id) ?? null;
}

const generated = /^(?:pp(?<prompt>[1-9]\d{0,8}))?\+?(?:tg(?<answer>[1-9]\d{0,8}))?(?:@d(?<depth>\d{1,9}))?$/u;

/** Builds the id of llama-bench's phases: pp512, tg128, pp512+tg128@d4096. */
export function generatedId(input: number, output: number, depth: number | null): string {
  const phases = [input > 0 ? `pp${input}` : null, output > 0 ? `tg${output}` : null].filter((phase) => phase !== null);
  return phases.join('+') + (depth === null ? '' : `@d${depth}`);
}

/** Parses a generated name; null for any other name. */
export function readGenerated(name: string): AskedShape | null {
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

/** Returns the requested lengths of a scenario name or generated name; null if it is unknown. */
export function readName(name: string): AskedShape | null {
  const row = byId.get(index.get(nameKey(name)) ?? '');
  return row === undefined ? readGenerated(name) : { ...row, depth: null };
}

const randomDatasets: ReadonlySet<string> = new Set(['random', 'randomids', 'synthetic']);

/** Returns the catalogue's spelling of a data set, the given spelling if it is unknown, or null if none was stated. */
export function canonicalDataset(dataset: string | null): string | null {
  if (dataset === null || isWaived(dataset)) return null;
  const key = compactKey(dataset);
  if (randomDatasets.has(key)) return 'random';
  if (key.includes('sharegpt')) return 'sharegpt';
  if (/edit10k(?:char|$)/u.test(key)) return 'vdaita/edit_10k_char';
  if (/numina-?math/u.test(key)) return 'AI-MO/NuminaMath';
  const row = byId.get(index.get(nameKey(dataset)) ?? '');
  return row?.inputTokens === null ? row.dataset : dataset.trim();
}

/** Returns the ids of the scenarios with the most similar names, most similar first. */
export const nearestScenarios = (name: string): string[] => nearestIds(nameKey(name), aliases);
