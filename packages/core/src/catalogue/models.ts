import { derived, remember } from './memo.ts';
import { type Alias, catalogueKey, indexAliases, isWaived, nameLength, nearestIds } from './normalise.ts';
import { quantizationHint } from './quantization-hint.ts';
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
 * Words of a name, lower case. A dot parts words except inside a version number (3.1), a word and the digits behind it
 * are two ("llama3.1" is "llama-3.1"), one letter and its digits are one (8b, a3b, v0.3).
 */
function words(text: string): string[] {
  return catalogueKey(text)
    .replace(/(?<!\d)\.|\.(?!\d)/gu, ' ')
    .replace(/(\p{L}{2})(?=\d)/gu, '$1 ')
    .split(/[^\p{L}\p{N}.]+/u)
    .filter((word) => word !== '');
}

/** Words that select a tuning or a release of the same architecture. */
function isVariant(word: string): boolean {
  return /^(?:instruct|chat|it|base|thinking|hf|\d{4}|\d{6}|\d{8})$/u.test(word);
}

/** Words of packaging: they say nothing about the model. */
const packaging = /^(?:gguf|ggml|mlx|safetensors|quantized|dynamic|imat|imatrix|i1|qat|latest)$/u;

/** Developers and repackagers whose name is put in front of a model without a slash. */
const developers: readonly (readonly string[])[] = [
  ...'meta microsoft google openai mistralai alibaba nvidia unsloth bartowski thebloke'.split(' '),
  'meta llama',
  'deepseek ai',
].map((name) => name.split(' '));

const withoutVariants = (all: readonly string[]) => all.filter((word) => !isVariant(word));

/** The form in which names of models are compared. */
export function modelKey(alias: string): string {
  return words(alias.slice(alias.indexOf('/') + 1)).join(' ');
}

const aliases = derived((): Alias[] =>
  models.flatMap((model) =>
    [...new Set([model.id, model.name, ...model.aliases].map(modelKey))].map((key) => ({ key, id: model.id })),
  ),
);
const exact = derived(() => indexAliases('model', aliases()));

/** Aliases without their variant words, where that leaves one model only: Kimi K2 Thinking is not Kimi K2. */
const general = derived(() => {
  const found = new Map<string, string | null>();
  for (const { key, id } of aliases()) {
    const short = withoutVariants(key.split(' ')).join(' ');
    const other = found.get(short);
    found.set(short, other === undefined || other === id ? id : null);
  }
  return found;
});

/** Without separators, for "gptoss" is written as well. */
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
 * Names of hosts and services hold no dot: "llama-3-1-8b" is Llama 3.1 8B. One dot is put back between two lone digits,
 * wherever that names one model only.
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
  for (const developer of developers) {
    const rest = all.slice(developer.length);
    const found = rest.length > 0 && developer.every((word, at) => word === all[at]) ? match(rest) : null;
    if (found !== null) return found;
  }
  return null;
}

/** A file or folder that is called the same whatever lies in it. */
const anonymous =
  /^(?:(?:ggml-)?(?:model|weights|checkpoint|pytorch_model|consolidated|snapshots)|[0-9a-f]{40}|main)$/u;

function withoutPackaging(segment: string): string {
  return segment
    .replace(/\.(?:gguf|ggml|safetensors|bin|pt|pth)$/iu, '')
    .replace(/-\d{5}-of-\d{1,6}$/u, '')
    .replace(/[-_.](?:gguf|ggml)$/iu, '');
}

/** The part of a path or repository name that names the model. "models--org--name" is how the hub's cache spells it. */
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

/** Takes quantizations off the end; the last word of the name they leave is the model's. */
function splitQuantization(segment: string): { all: string[]; quantization: string | null } {
  const quantization = quantizationHint(segment);
  const rest = quantization === null ? segment : segment.slice(0, segment.indexOf(quantization));
  const more = quantization === null ? '' : segment.slice(segment.indexOf(quantization) + quantization.length);
  // A second quantization or "-KV" behind the first changes nothing; a further name makes it another model.
  const tail = more
    .split(/[^\p{L}\p{N}.]+/u)
    .filter((word) => word.toLowerCase() !== 'kv' && quantizationHint(word) === null);
  return { all: words([rest, ...tail].join(' ')).filter((word) => !packaging.test(word)), quantization };
}

export interface ModelMatch {
  id: string | null;
  /** Set too where only the generation is certain ("llama3.1", no size said). */
  family: string | null;
  /** The text as it was given. */
  name: string;
  /** A quantization that the name carries, as it was written ("Q4_K_M"): for `resolveQuantization`. */
  quantization: string | null;
  suggestions: string[];
}

function lookUp(text: string): ModelMatch {
  if (isWaived(text)) return { id: null, family: null, name: text, quantization: null, suggestions: [] };
  const segment = modelSegment(text.normalize('NFKC').trim());
  const whole = match(words(segment));
  if (whole !== null && quantizationHint(segment) === null)
    return { ...whole, name: text, quantization: null, suggestions: [] };
  const { all, quantization } = splitQuantization(segment);
  const found = whole ?? match(all);
  if (found !== null) return { ...found, name: text, quantization, suggestions: [] };
  const suggestions = nearestIds(withoutVariants(all).join(' '), aliases());
  return { id: null, family: null, name: text, quantization, suggestions };
}

/**
 * The model that a repository, a path, a file, an Ollama tag or a plain name means. Organisation, packaging and
 * quantization do not matter, and of the tuning only what the catalogue tells apart; a name with any other word in it
 * is a model of its own and unknown.
 */
export const resolveModel: (text: string) => ModelMatch = remember(lookUp, (text) => text);

/** How far the parameter count that llama-bench prints may lie from the catalogue's for the same model. */
const paramsTolerance = 0.005;

/**
 * Models that llama-bench may mean by the type it prints ("llama 13B", with or without the quantization behind it) and
 * a parameter count. One is a suggestion to confirm, several are a family at most, none is unknown.
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
