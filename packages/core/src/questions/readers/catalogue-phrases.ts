import {
  findGpu,
  findGpuFamily,
  quantizations,
  readScenarioName,
  resolveEngine,
  resolveGpu,
  resolveModel,
  resolveQuantization,
} from '../../catalogue/index.ts';
import { fp4Formats, vendorOf } from '../../filters/filters.ts';
import { readCount } from '../words/numbers.ts';
import { spelled, type Words } from '../words/tokens.ts';
import { type CatalogueKind, catalogueKinds, isExplained, mayName, withoutPublisher } from './catalogue-words.ts';

/** The meaning of a name in a question: alternative values of filters. */
export interface NamedEntry {
  kind: CatalogueKind;
  ids: string[];
  /** Number of GPUs in the phrase: "2x h200". */
  count: number | null;
  /** A quantization in a model's name: "Llama-3.1-8B-FP8". */
  quantization: string[];
  /** Stated GPU memory that does not identify a variant: "m3 max 64gb". */
  memoryGb: number | null;
  length: number;
}

type Reading = Omit<NamedEntry, 'kind' | 'length'>;

const reading = (ids: string[], more: Partial<Reading> = {}): Reading => ({
  ids,
  count: null,
  quantization: [],
  memoryGb: null,
  ...more,
});

/** Maximum words of a name. The longest of the catalogue has a dozen, including words such as "w/". */
const longestName = 12;

const withMemory = /^(?<card>.+?)[ _-]?(?<gb>\d{1,4}) ?(?:gb|gib|g)$/u;

const formFactor = /\b(?:pcie|sxm\d?|nvl)\b/u;

/** "a100 80gb" matches every A100 with that memory, and "a100 pcie 80gb" one of them. */
function readGpu(text: string): Reading | null {
  const found = resolveGpu(text);
  const plural =
    found.id === null && found.family === null && text.endsWith('s') ? resolveGpu(text.slice(0, -1)) : found;
  const sized = withMemory.exec(text)?.groups;
  const card = sized?.card === undefined ? null : resolveGpu(sized.card);
  const isOne = found.id !== null && formFactor.test(text);
  if (!isOne && card !== null && card.id === null && card.family !== null) {
    const members = (findGpuFamily(card.family)?.members ?? []).filter(
      (member) => findGpu(member)?.memoryGb === Number(sized?.gb),
    );
    if (members.length > 0) return reading([...members].sort(), { count: card.count });
    // No variant has this memory. Matching only the family would ignore it.
    if (plural.id === null) return null;
  }
  const id = plural.id ?? plural.family;
  if (id === null || (plural.id === null && findGpu(id) !== null)) return null;
  // Shared memory has sizes that do not define variants.
  const memoryGb = sized === undefined || findGpu(id)?.unifiedMemory !== true ? null : Number(sized.gb);
  return reading([id], { count: plural.count, memoryGb });
}

/** All GGUF formats. */
export const ggufFormats = () => quantizations.filter(({ family }) => family === 'gguf').map(({ id }) => id);

function readModel(written: string): Reading | null {
  const text = withoutPublisher(written);
  const { id, family, quantization } = resolveModel(text);
  const named = id ?? family;
  if (named === null) return null;
  // "qwen3 8b gguf" states two facts in separate words; a repository name contains both.
  const isGguf = /[-_ ]gguf\b/u.test(text);
  if (isGguf && /\s/u.test(text)) return null;
  if (quantization === null && isExplained('model', named, text))
    return reading([named], isGguf ? { quantization: ggufFormats() } : {});
  if (quantization === null) return null;
  // "llama 3.1 8b fp8" states two facts in separate words; a repository name contains both.
  const carried = /\s/u.test(text) ? null : readQuantization(quantization);
  return carried === null ? null : reading([named], { quantization: carried.ids });
}

/** Words for a width without a format: "4 bit", "int8", "q4". */
export const width = /^(?:(?:int|fp)\d{1,2}|\d-? ?bits?|q[2-8])$/u;

/**
 * Formats of a width. "4 bit", "4-bit", "4bit" and "int4" are one set: the formats called int4, which are `awq-int4`, `gptq-int4`
 * and `w4a16`. "q4" matches the GGUF formats of that name: "q4_0", "q4_k_m". MLX formats have separate names: "mlx 4bit". Other
 * widths match every integer format of that width; "fp8" and similar words match the formats of that name, "fp4" both NVFP4 and MXFP4.
 */
function ofWidth(word: string): string[] {
  if (/^q\d$/u.test(word))
    return quantizations
      .map(({ id }) => id)
      .filter((id) => id.startsWith(`gguf-${word}`))
      .sort();
  if (word === 'fp4') return [...fp4Formats].sort();
  const bits = /^fp/u.test(word) ? null : Number(/\d+/u.exec(word)?.[0]);
  const name = bits === 4 ? 'int4' : word;
  return quantizations
    .filter(({ id, aliases, family, weightBits }) => {
      if (bits !== null && bits !== 4) return family !== 'float' && weightBits === bits;
      return [id, ...aliases].map((one) => one.toLowerCase()).some((one) => one === name || one.endsWith(`-${name}`));
    })
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

/** "pp512/tg128", "pp512 tg128": two tests of llama-bench. Only "+" joins them to one. */
const twoTests = /^(?<prompt>pp\d+)(?<separator>[/ ])(?<answer>tg\d+)$/u;

function readScenario(text: string): Reading | null {
  const { prompt, answer } = twoTests.exec(text)?.groups ?? {};
  if (prompt !== undefined && answer !== undefined) return reading([prompt, answer]);
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

/** Nouns of a kind neither start nor end a name: "best gpu h200", "best h100 gpu". */
const kindWord = /^(?:gpus?|cards?|accelerators?|x|models?|engines?|scenarios?)$/u;

/** "max" usually means a highest value and "base" a tuning: alone they are not names. */
const tooCommon: ReadonlySet<string> = new Set(['max', 'base', 'half', 'it', 'core']);

const separators = /^(?:vs\.?|versus|or|than|against)$/u;

/** Returns the longest name of a kind that starts at a word; null if there is none. */
export function readName(kind: CatalogueKind, words: Words, at: number): NamedEntry | null {
  const { tokens } = words;
  const first = tokens[at];
  if (first === undefined || first.quoted !== null || kindWord.test(first.text)) return null;
  // "amd vs nvidia deepseek r1" compares vendors, although models have names such as "nvidia/deepseek-r1".
  if (kind === 'model' && vendorOf(first.text) !== null && separators.test(tokens[at - 1]?.text ?? '')) return null;
  let end = at;
  while (end < at + longestName) {
    const token = tokens[end];
    if (token === undefined || token.quoted !== null || !mayName(kind, token.text)) break;
    end++;
  }
  for (; end > at; end--) {
    const last = tokens[end - 1]?.text ?? '';
    // The names of some engines end like this.
    if (end - at > 1 && kindWord.test(last) && kind !== 'engine') continue;
    const text = spelled(words, at, end).replace(/\s+/gu, ' ');
    if (tooCommon.has(text.toLowerCase())) continue;
    const found = readers[kind](text.toLowerCase());
    if (found !== null && (found.count ?? 1) <= countMax) return { kind, ...found, length: end - at };
  }
  return null;
}

/** Maximum count before a GPU's name; "4090 h100" means two cards. */
const countMax = 1024;

/** "two h200", "dual h100": a count in words before a GPU. The resolver parses digits. */
function readCountedGpu(words: Words, at: number): NamedEntry | null {
  const count = readCount(words.tokens[at]?.text);
  const gpu = count === null || count > countMax ? null : readName('gpu', words, at + 1);
  if (gpu === null || gpu.count !== null) return null;
  return { ...gpu, count, length: gpu.length + 1 };
}

/** Returns the longest names that start at a word; several if one name belongs to entries of several kinds. */
export function readNames(words: Words, at: number): NamedEntry[] {
  const named = catalogueKinds.map((kind) => readName(kind, words, at)).filter((found) => found !== null);
  const counted = named.some(({ count }) => count !== null) ? null : readCountedGpu(words, at);
  const all = counted === null ? named : [counted, ...named];
  const longest = Math.max(...all.map(({ length }) => length));
  return all.filter(({ length }) => length === longest);
}
