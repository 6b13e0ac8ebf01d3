import { type Alias, compactKey, indexAliases, isWaived, lookupText, nearestIds } from './normalise.ts';
import { type Engine, engines, indexById } from './records.ts';

const byId = indexById(engines);

const aliases: Alias[] = engines.flatMap((engine) =>
  [engine.id, engine.name, ...engine.aliases].map((alias) => ({ key: compactKey(alias), id: engine.id })),
);
const index = indexAliases('engine', aliases);

export function findEngine(id: string): Engine | null {
  return byId.get(id) ?? null;
}

export interface EngineMatch {
  id: string | null;
  /** The text as it was given. */
  name: string;
  suggestions: string[];
}

/** "vLLM 0.11.0", "vllm/0.11", "sglang v0.4.6.post1", "llama.cpp b6413": the version is another fact. */
const version = /[ /@=_-]+(?:v|b|build |build:)?\d[\w.+-]*$/u;

/** The serving software that a text names; `id` null where the catalogue has no such engine. */
export function resolveEngine(text: string): EngineMatch {
  if (isWaived(text)) return { id: null, name: text, suggestions: [] };
  const lookup = lookupText(text);
  const key = compactKey(lookup);
  const id = index.get(key) ?? index.get(compactKey(lookup.replace(version, ''))) ?? null;
  return { id, name: text, suggestions: id === null ? nearestIds(key, aliases) : [] };
}
