import { derived, memoize } from './memo.ts';
import { type Alias, catalogueKey, indexAliases, isWaived, nameLength, nearestIds } from './names/normalise.ts';
import { quantizationHint } from './names/quantization-hint.ts';
import { indexById, llamaBenchTypes, type Model, type ModelFamily, modelFamilies, models } from './records.ts';

export { type ModelFamily, modelFamilies } from './records.ts';

const byId = derived(() => indexById(models));
const familyById = derived(() => indexById(modelFamilies));

export function findModel(id: string): Model | null {
  return byId().get(id) ?? null;
}

export function findModelFamily(id: string): ModelFamily | null {
  return familyById().get(id) ?? null;
}

/**
 * Splits a name into lower-case words. Dots separate words except in a version number (3.1). A word and the digits after it
 * are two words ("llama3.1" equals "llama-3.1"). One letter and its digits are one word (8b, a3b, v0.3).
 */
function words(text: string): string[] {
  return catalogueKey(text)
    .replace(/(?<!\d)\.|\.(?!\d)/gu, ' ')
    .replace(/(\p{L}{2})(?=\d)/gu, '$1 ')
    .split(/[^\p{L}\p{N}.]+/u)
    .filter((word) => word !== '');
}

/** Words for a tuning or a release of the same architecture. */
function isVariant(word: string): boolean {
  return /^(?:instruct|chat|it|base|thinking|hf|\d{4}|\d{6}|\d{8})$/u.test(word);
}

/** Packaging words, which do not identify the model. */
const packaging = /^(?:gguf|ggml|mlx|safetensors|quantized|dynamic|imat|imatrix|i1|qat|latest)$/u;

/** Developers and repackagers whose name may precede a model without a slash. */
const developers: readonly (readonly string[])[] = [
  ...'meta microsoft google openai mistralai alibaba nvidia moonshotai minimaxai'.split(' '),
  ...'unsloth bartowski thebloke'.split(' '),
  'meta llama',
  'deepseek ai',
  'zai org',
].map((name) => name.split(' '));

const withoutVariants = (all: readonly string[]) => all.filter((word) => !isVariant(word));

/** Normalizes names of models for comparison. */
export function modelKey(alias: string): string {
  return words(alias.slice(alias.indexOf('/') + 1)).join(' ');
}

const aliases = derived((): Alias[] =>
  models.flatMap((model) =>
    [...new Set([model.id, model.name, ...model.aliases].map(modelKey))].map((key) => ({ key, id: model.id })),
  ),
);
const exact = derived(() => indexAliases('model', aliases()));

/** Aliases without their variant words, if exactly one model matches: Kimi K2 Thinking is not Kimi K2. */
const general = derived(() => {
  const found = new Map<string, string | null>();
  for (const { key, id } of aliases()) {
    const short = withoutVariants(key.split(' ')).join(' ');
    const other = found.get(short);
    found.set(short, other === undefined || other === id ? id : null);
  }
  return found;
});

/** Aliases without separators, because names such as "gptoss" omit them. */
const familyByKey = derived(() => new Map(modelFamilies.map((family) => [words(family.id).join(''), family.id])));

function findKey(all: readonly string[]): string | null {
  const short = withoutVariants(all).join(' ');
  return exact().get(all.join(' ')) ?? exact().get(short) ?? general().get(short) ?? null;
}

interface Match {
  id: string | null;
  family: string | null;
}

/**
 * Names of hosts and services contain no dots: "llama-3-1-8b" is Llama 3.1 8B. Restores one dot between two single digits if
 * the result names exactly one model.
 */
function matchUndotted(all: readonly string[]): Match | null {
  const found = new Set<string>();
  for (const [at, word] of all.entries()) {
    const next = all[at + 1];
    if (next === undefined || !/(?<!\d)\d$/u.test(word) || !/^\d(?!\d)/u.test(next)) continue;
    const id = findKey([...all.slice(0, at), `${word}.${next}`, ...all.slice(at + 2)]);
    if (id !== null) found.add(id);
  }
  const [id] = found;
  return id !== undefined && found.size === 1 ? { id, family: findModel(id)?.family ?? null } : null;
}

function match(all: readonly string[]): Match | null {
  const id = findKey(all);
  if (id !== null) return { id, family: findModel(id)?.family ?? null };
  const family = familyByKey().get(withoutVariants(all).join(''));
  if (family !== undefined) return { id: null, family };
  const undotted = matchUndotted(all);
  if (undotted !== null) return undotted;
  // A developer may have the name of its models: `Qwen_Qwen3-8B-Q8_0.gguf`.
  if (all.length > 2 && all[0] === all[1]) return match(all.slice(1));
  for (const developer of developers) {
    const rest = all.slice(developer.length);
    const found = rest.length > 0 && developer.every((word, at) => word === all[at]) ? match(rest) : null;
    if (found !== null) return found;
  }
  return null;
}

/** Generic names of files and folders, regardless of content. */
const anonymous =
  /^(?:(?:ggml-)?(?:model|weights|checkpoint|pytorch_model|consolidated|snapshots)|[0-9a-f]{40}|main)$/u;

function withoutPackaging(segment: string): string {
  return segment
    .replace(/\.(?:gguf|ggml|safetensors|bin|pt|pth)$/iu, '')
    .replace(/-\d{5}-of-\d{1,6}$/u, '')
    .replace(/[-_.](?:gguf|ggml)$/iu, '');
}

/** Extracts the model name from a path or repository name. The hub's cache writes "models--org--name". */
function modelSegment(text: string): string {
  const segments = text
    .slice(-2 * nameLength)
    .replaceAll('\\', '/')
    .replace(/(?<=^|\/)(?:models--)?([\w.]+(?:-[\w.]+)*)--(?=[\w.])/gu, '$1/')
    .split('/')
    .map((segment) => withoutPackaging(segment.trim()))
    .filter((segment) => segment !== '');
  return (segments.findLast((segment) => !anonymous.test(segment.toLowerCase())) ?? '').slice(-nameLength);
}

/** Splits off the quantization. Words after it stay part of the model's name. */
function splitQuantization(segment: string): { all: string[]; quantization: string | null } {
  const quantization = quantizationHint(segment);
  const rest = quantization === null ? segment : segment.slice(0, segment.indexOf(quantization));
  const more = quantization === null ? '' : segment.slice(segment.indexOf(quantization) + quantization.length);
  // A second quantization or "-KV" or "-FP8KV" after the first changes nothing. Any further name makes it another model.
  const tail = more
    .split(/[^\p{L}\p{N}.]+/u)
    .filter((word) => !/^(?:fp8)?kv$/iu.test(word) && quantizationHint(word) === null);
  return { all: words([rest, ...tail].join(' ')).filter((word) => !packaging.test(word)), quantization };
}

export interface ModelMatch {
  id: string | null;
  /** Also set if only the generation is certain, such as "llama3.1" without a size. */
  family: string | null;
  /** The original text. */
  name: string;
  /** The quantization in the name, as written ("Q4_K_M"), for `resolveQuantization`. */
  quantization: string | null;
  suggestions: string[];
}

/** A model as llama.cpp prints it, with its architecture, size and file type. Qwen2.5 has the architecture of Qwen2. */
const printedArchitecture = /^\s*qwen2 \d{1,3}(?:\.\d)?B \S/u;

/** The entry of a name, and the words of a name without one. */
function findEntry(text: string): { found: Match | null; quantization: string | null; all: string[] } {
  const segment = modelSegment(text.normalize('NFKC').trim());
  const whole = match(words(segment));
  if (whole !== null && quantizationHint(segment) === null) return { found: whole, quantization: null, all: [] };
  const { all, quantization } = splitQuantization(segment);
  return { found: printedArchitecture.test(text) ? null : (whole ?? match(all)), quantization, all };
}

function lookUp(text: string): ModelMatch {
  if (isWaived(text)) return { id: null, family: null, name: text, quantization: null, suggestions: [] };
  const { found, quantization, all } = findEntry(text);
  if (found !== null) return { ...found, name: text, quantization, suggestions: [] };
  const suggestions = nearestIds(withoutVariants(all).join(' '), aliases());
  return { id: null, family: null, name: text, quantization, suggestions };
}

/** Whether a text is the name of a model or family of the catalogue. Costs less than `resolveModel` for other text. */
export function isModelName(text: string): boolean {
  return findEntry(text).found !== null;
}

/**
 * Resolves a repository, path, file, Ollama tag or plain name to a model. Ignores organization, packaging, quantization and
 * tunings that the catalogue does not distinguish. A name with any other word is a separate, unknown model.
 */
export const resolveModel: (text: string) => ModelMatch = memoize(lookUp, (text) => text);

/** Maximum relative difference between llama-bench's parameter count and the catalogue's for the same model. */
const paramsTolerance = 0.005;

/**
 * Returns the models that match llama-bench's type ("llama 13B", with or without a quantization suffix) and parameter count.
 * One match is a suggestion to confirm; several are a family at most.
 */
export function llamaBenchCandidates(printedModel: string, params: number): string[] {
  const printed = catalogueKey(printedModel.slice(0, nameLength));
  const rows = llamaBenchTypes.filter((row) => {
    const type = catalogueKey(row.printed);
    const billions = params / 1e9;
    return (
      (printed === type || printed.startsWith(`${type} `)) &&
      Math.abs(billions - row.paramsB) <= paramsTolerance * row.paramsB
    );
  });
  return [...new Set(rows.flatMap((row) => row.candidates))];
}
