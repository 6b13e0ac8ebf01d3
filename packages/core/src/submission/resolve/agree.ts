import type { Gpu, Model } from '../../catalogue/index.ts';
import {
  catalogueKey,
  readScenarioName,
  resolveEngine,
  resolveGpu,
  resolveModel,
  resolveQuantization,
  resolveScenario,
} from '../../catalogue/index.ts';

// Compares two spellings of a fact. Each function returns the more exact one, or null for a contradiction.

interface Resolved {
  id: string | null;
  family: string | null;
}

/** A family does not contradict one of its members. */
function agreeByFamily(given: string, found: string, a: Resolved, b: Resolved): string | null {
  if (a.family === null || a.family !== b.family) return null;
  if (a.id === b.id || b.id === null) return given;
  return a.id === null ? found : null;
}

const sameName = (given: string, found: string) => (catalogueKey(given) === catalogueKey(found) ? given : null);

export function agreeOnGpu(given: string, found: string): string | null {
  const [a, b] = [resolveGpu(given), resolveGpu(found)];
  if (a.count !== null && b.count !== null && a.count !== b.count) return null;
  return a.family === null && b.family === null ? sameName(given, found) : agreeByFamily(given, found, a, b);
}

export function agreeOnModel(given: string, found: string): string | null {
  const [a, b] = [resolveModel(given), resolveModel(found)];
  if (a.id !== null && a.id === b.id) return given;
  // A file may have any name ("model.gguf"), so an unknown name does not contradict a known one.
  if (b.id === null && b.family === null) return a.id !== null || a.family !== null ? given : sameName(given, found);
  return agreeByFamily(given, found, a, b);
}

/** A width without a recipe agrees with any of its recipes; "original" agrees with the model's published precision. */
export function agreeOnQuantization(
  model: Model | null,
  vendor: Gpu['vendor'] | null = null,
): (given: string, found: string) => string | null {
  return (given, found) => {
    const [a, b] = [resolveQuantization(given, model, vendor), resolveQuantization(found, model, vendor)];
    if (a.id === null || a.id !== b.id) return a.id === b.id ? sameName(given, found) : null;
    if (a.recipe.every((tag) => b.recipe.includes(tag)) && b.recipe.length > a.recipe.length) return found;
    return b.recipe.every((tag) => a.recipe.includes(tag)) ? given : null;
  };
}

/** Engines whose programs print what those of the engine that they are built on print. */
const builtOn: Readonly<Record<string, string>> = {
  'ik_llama.cpp': 'llama.cpp',
  'bitnet.cpp': 'llama.cpp',
  'ipex-llm': 'llama.cpp',
  llamafile: 'llama.cpp',
  koboldcpp: 'llama.cpp',
  'lm-studio': 'llama.cpp',
};

/** A fork of llama.cpp that the catalogue does not have: `llama-cpp-turboquant`. */
const fork = /llama[.-]?cpp/i;

export function agreeOnEngine(given: string, found: string): string | null {
  const [a, b] = [resolveEngine(given), resolveEngine(found)];
  if (a.id === null && b.id === null) return sameName(given, found);
  if (a.id === null && b.id === 'llama.cpp' && fork.test(given)) return given;
  return a.id === b.id || (a.id !== null && builtOn[a.id] === b.id) ? given : null;
}

export function agreeOnScenario(given: string, found: string): string | null {
  const [a, b] = [readScenarioName(given), readScenarioName(found)];
  if (a === null) return sameName(given, found);
  return a === b ? given : null;
}

/** File names of a data set count as its name: "ShareGPT_V3_unfiltered_cleaned_split.json". */
const dataSetOf = (name: string) => {
  const { scenario } = resolveScenario(
    { name: null, inputTokens: null, outputTokens: null, dataset: name, depth: null },
    null,
  );
  return scenario.dataset ?? name;
};

export function agreeOnDataSet(given: string, found: string): string | null {
  return catalogueKey(dataSetOf(given)) === catalogueKey(dataSetOf(found)) ? given : null;
}

/** Removes a leading v: v0.11.0 is 0.11.0. A build number such as b6413 keeps its letter. */
export const plainVersion = (version: string) => version.trim().replace(/^v(?=\d)/i, '');

export function agreeOnVersion(given: string, found: string): string | null {
  return plainVersion(given).toLowerCase() === plainVersion(found).toLowerCase() ? given : null;
}
