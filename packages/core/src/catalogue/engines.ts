import { derived, memoize } from './memo.ts';
import { type Alias, compactKey, indexAliases, isWaived, nameLength, nearestIds } from './names/normalise.ts';
import { type Engine, engines, indexById } from './records.ts';

const byId = derived(() => indexById(engines));

/** Normalizes names of engines for comparison. */
export const engineKey = compactKey;

const aliases = derived((): Alias[] =>
  engines.flatMap((engine) =>
    [engine.id, engine.name, ...engine.aliases].map((alias) => ({ key: engineKey(alias), id: engine.id })),
  ),
);
const index = derived(() => indexAliases('engine', aliases()));

export function findEngine(id: string): Engine | null {
  return byId().get(id) ?? null;
}

export interface EngineMatch {
  id: string | null;
  /** The original text. */
  name: string;
  /** The version after a known engine's name: "0.11.0" of "vLLM v0.11.0"; null if the text has none. */
  version: string | null;
  suggestions: string[];
}

/** Separates name and version: "vLLM 0.11.0", "vllm/0.11", "sglang v0.4.6.post1", "llama.cpp b6413". */
const versioned = /^(?<name>.*?)[ /@=_-]+(?<build>build[ :]+)?(?<version>[vb]?\d[\w.+-]*)$/iu;

/** "v0.11.0" becomes 0.11.0; "b6413" is a tag, and "build 6413" means the same tag. */
function toVersion(written: string, build: string | undefined): string {
  const plain = written.replace(/^v(?=\d)/iu, '');
  return build !== undefined && /^\d/u.test(plain) ? `b${plain}` : plain;
}

function lookUp(text: string): EngineMatch {
  if (isWaived(text)) return { id: null, name: text, version: null, suggestions: [] };
  const key = compactKey(text);
  // Try the whole name first: the 2 of ExLlamaV2 is not a version.
  const whole = index().get(key);
  if (whole !== undefined) return { id: whole, name: text, version: null, suggestions: [] };
  const parts = versioned.exec(text.slice(0, nameLength).normalize('NFKC').trim())?.groups;
  const id = parts?.name === undefined ? undefined : index().get(compactKey(parts.name));
  if (id === undefined || parts?.version === undefined)
    return { id: null, name: text, version: null, suggestions: nearestIds(key, aliases()) };
  return { id, name: text, version: toVersion(parts.version, parts.build), suggestions: [] };
}

/** Resolves a text to serving software and its version. `id` is null if the catalogue has no such engine. */
export const resolveEngine: (text: string) => EngineMatch = memoize(lookUp, (text) => text);
