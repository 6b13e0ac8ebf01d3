import { type Alias, compactKey, indexAliases, isWaived, lookupText, nearestIds } from './normalise.ts';
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

/** What a name asks for. Generated names (pp512, tg128, pp512+tg128, each @d4096) are not rows but have the same shape. */
export interface AskedShape {
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

/** The id of llama-bench's phases: pp512, tg128, pp512+tg128@d4096. */
export function generatedId(input: number, output: number, depth: number | null): string {
  const phases = [input > 0 ? `pp${input}` : null, output > 0 ? `tg${output}` : null].filter((phase) => phase !== null);
  return phases.join('+') + (depth === null ? '' : `@d${depth}`);
}

/** Reads a generated name; null of any other. */
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

/** What the name of a scenario, or a generated one, asks for; null where nobody knows it. */
export function readName(name: string): AskedShape | null {
  const row = byId.get(index.get(nameKey(name)) ?? '');
  return row === undefined ? readGenerated(name) : { ...row, depth: null };
}

const randomDatasets: ReadonlySet<string> = new Set(['random', 'randomids', 'synthetic']);

/** The catalogue's spelling of a data set, the given one where it has none, null where none was stated. */
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

/** Ids of the scenarios whose names are most like this one, nearest first. */
export const nearestScenarios = (name: string): string[] => nearestIds(nameKey(name), aliases);
