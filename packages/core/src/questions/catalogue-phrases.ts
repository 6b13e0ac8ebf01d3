import {
  findGpu,
  findGpuFamily,
  quantizations,
  readScenarioName,
  resolveEngine,
  resolveGpu,
  resolveModel,
  resolveQuantization,
} from '../catalogue/index.ts';
import { type CatalogueKind, catalogueKinds, isExplained, mayName } from './catalogue-words.ts';
import { readCount } from './numbers.ts';
import { type Words, written } from './tokens.ts';

/** What a name in a question stands for: values of filters, any of which fits. */
export interface NamedEntry {
  kind: CatalogueKind;
  ids: string[];
  /** GPUs, where the phrase counts them: "2x h200". */
  count: number | null;
  /** A quantization that a model's name carries: "Llama-3.1-8B-FP8". */
  quantization: string[];
  length: number;
}

type Reading = Omit<NamedEntry, 'kind' | 'length'>;

const reading = (ids: string[], more: Partial<Reading> = {}): Reading => ({
  ids,
  count: null,
  quantization: [],
  ...more,
});

/** Longest name of the catalogue is a dozen words; "w/" and the like stand in it. */
const longestName = 12;

const withMemory = /^(?<card>.+?)[ _-]?(?<gb>\d{1,4}) ?(?:gb|gib|g)$/u;

/** "a100 80gb" is every A100 of that memory; the name alone would be one of them. */
function readGpu(text: string): Reading | null {
  const found = resolveGpu(text);
  const plural =
    found.id === null && found.family === null && text.endsWith('s') ? resolveGpu(text.slice(0, -1)) : found;
  const sized = withMemory.exec(text)?.groups;
  const card = sized?.card === undefined ? null : resolveGpu(sized.card);
  if (card !== null && card.id === null && card.family !== null) {
    const members = (findGpuFamily(card.family)?.members ?? []).filter(
      (member) => findGpu(member)?.memoryGb === Number(sized?.gb),
    );
    if (members.length > 0) return reading([...members].sort(), { count: card.count });
    // A memory that no variant has: the family alone would pass over it.
    if (plural.id === null) return null;
  }
  const id = plural.id ?? plural.family;
  if (id === null || (plural.id === null && findGpu(id) !== null)) return null;
  return reading([id], { count: plural.count });
}

function readModel(text: string): Reading | null {
  const { id, family, quantization } = resolveModel(text);
  const named = id ?? family;
  if (named === null) return null;
  if (quantization === null) return isExplained('model', named, text) ? reading([named]) : null;
  // "llama 3.1 8b fp8" is two facts in words of their own; a repository's name carries both.
  const carried = /\s/u.test(text) ? null : readQuantization(quantization);
  return carried === null ? null : reading([named], { quantization: carried.ids });
}

const width = /^(?:(?:int|fp)\d{1,2}|\d-?bit)$/u;

/** "int4" names no one recipe: it is every format that is called so. */
function ofWidth(word: string): string[] {
  const plain = word.replace('-', '');
  return quantizations
    .filter(({ id, aliases }) =>
      [id, ...aliases].some((name) => {
        const lower = name.toLowerCase();
        return lower === plain || lower.endsWith(`-${plain}`);
      }),
    )
    .map(({ id }) => id)
    .sort();
}

function readQuantization(text: string): Reading | null {
  const lower = text.toLowerCase();
  if (width.test(lower)) {
    const ids = ofWidth(lower);
    return ids.length === 0 ? null : reading(ids);
  }
  const { id, recipe } = resolveQuantization(text);
  if (id === null || !isExplained('quantization', id, text)) return null;
  return reading([recipe.length === 0 ? id : lower.replace(/[ -]+/gu, '_')]);
}

function readEngine(text: string): Reading | null {
  const { id, version } = resolveEngine(text);
  return id === null || version !== null || !isExplained('engine', id, text) ? null : reading([id]);
}

function readScenario(text: string): Reading | null {
  const id = readScenarioName(text);
  return id === null ? null : reading([id]);
}

const readers: Record<CatalogueKind, (text: string) => Reading | null> = {
  model: readModel,
  gpu: readGpu,
  quantization: readQuantization,
  engine: readEngine,
  scenario: readScenario,
};

/** Words that say what kind of thing a name is neither begin nor end it: "best gpu h200", "best h100 gpu". */
const kindWord = /^(?:gpus?|cards?|accelerators?|x|models?|engines?|scenarios?)$/u;

/** "max" is mostly a greatest value, "base" a tuning: alone they name nothing. */
const tooCommon: ReadonlySet<string> = new Set(['max', 'base', 'half', 'it', 'core']);

/** The longest name of a kind that begins at a word; null where none does. */
export function readName(kind: CatalogueKind, words: Words, at: number): NamedEntry | null {
  const { tokens } = words;
  const first = tokens[at];
  if (first === undefined || first.quoted !== null || kindWord.test(first.text)) return null;
  let end = at;
  while (end < at + longestName) {
    const token = tokens[end];
    if (token === undefined || token.quoted !== null || !mayName(kind, token.text)) break;
    end++;
  }
  for (; end > at; end--) {
    const last = tokens[end - 1]?.text ?? '';
    // Some engines are called so.
    if (end - at > 1 && kindWord.test(last) && kind !== 'engine') continue;
    const text = written(words, at, end).replace(/\s+/gu, ' ');
    if (tooCommon.has(text.toLowerCase())) continue;
    const found = readers[kind](text.toLowerCase());
    if (found !== null && (found.count ?? 1) <= countMax) return { kind, ...found, length: end - at };
  }
  return null;
}

/** Most GPUs that a number before a name may count; "4090 h100" are two cards. */
const countMax = 1024;

/** "two h200", "dual h100": a count in words before a GPU; digits the resolver reads itself. */
function readCountedGpu(words: Words, at: number): NamedEntry | null {
  const count = readCount(words.tokens[at]?.text);
  const gpu = count === null || count > countMax ? null : readName('gpu', words, at + 1);
  if (gpu === null || gpu.count !== null) return null;
  return { ...gpu, count, length: gpu.length + 1 };
}

/** The longest names that begin at a word: several where one name is an entry of several kinds. */
export function readNames(words: Words, at: number): NamedEntry[] {
  const named = catalogueKinds.map((kind) => readName(kind, words, at)).filter((found) => found !== null);
  const counted = named.some(({ count }) => count !== null) ? null : readCountedGpu(words, at);
  const all = counted === null ? named : [counted, ...named];
  const longest = Math.max(...all.map(({ length }) => length));
  return all.filter(({ length }) => length === longest);
}
