import { derived, memoize } from './memo.ts';
import { type Alias, compactKey, indexAliases, isWaived, lookupText, nearestIds } from './names/normalise.ts';
import { type Gpu, indexById, type Model, type Quantization, quantizations } from './records.ts';

const byId = derived(() => indexById(quantizations));

/** Normalizes names of quantizations for comparison. */
export const quantizationKey = compactKey;

const aliases = derived((): Alias[] =>
  quantizations.flatMap((quantization) =>
    [quantization.id, quantization.name, ...quantization.aliases].map((alias) => ({
      key: quantizationKey(alias),
      id: quantization.id,
    })),
  ),
);
const index = derived(() => indexAliases('quantization', aliases()));

export function findQuantization(id: string): Quantization | null {
  return byId().get(id) ?? null;
}

export interface QuantizationMatch {
  id: string | null;
  /** The original text. */
  name: string;
  /** How the weights were produced, in the order written: ["sparse", "smooth", "gptq"]. */
  recipe: string[];
  suggestions: string[];
}

/** Words for the method of a w{n}a{m} quantization. */
const recipeTags: ReadonlySet<string> = new Set(['sparse', 'smooth', 'smoothquant', 'gptq', 'awq', 'ptq']);
const widths = /^w\d{1,2}a\d{1,2}$/u;
/** Words for the published precision of the weights. */
const nativeWords: ReadonlySet<string> = new Set(['original', 'native']);
/** Unsloth's dynamic mixes are one entry, because the name does not determine the average bits. */
const dynamicGguf = /^ud[-_ ]?(?:iq|tq|q)\d/u;

/** Removes program output around the name: "mostly Q4_0", "IQ4_XS - 4.25 bpw", "torch.float16". */
function bare(lookup: string): string {
  return lookup
    .replace(/^(?:mostly |torch\.|gguf[ :_-]|i1-)/u, '')
    .replace(/[ _-]*\(?(?:imatrix|imat)\)?$/u, '')
    .replace(/[ _-]*\d[\d.]* ?bpw$/u, '')
    .replace(/^\d[\d.]* ?bpw[ _-]*/u, '');
}

function findAlias(lookup: string): string | null {
  const direct = index().get(compactKey(lookup)) ?? index().get(compactKey(bare(lookup)));
  return direct ?? (dynamicGguf.test(bare(lookup)) ? 'gguf-ud' : null);
}

function splitRecipe(lookup: string): { rest: string; recipe: string[] } | null {
  const tokens = lookup.split(/[^a-z0-9.]+/u).filter((token) => token !== '');
  if (!tokens.some((token) => widths.test(token))) return null;
  return {
    rest: tokens.filter((token) => !recipeTags.has(token)).join(' '),
    recipe: tokens.filter((token) => recipeTags.has(token)),
  };
}

type Vendor = Gpu['vendor'];

/** The four-bit float formats that a bare "fp4" can mean. */
const fp4Formats: ReadonlySet<string> = new Set(['mxfp4', 'nvfp4']);

/**
 * Returns the format that a bare "fp4" means: the published one of the model. Without one it is the open format on AMD cards
 * and NVIDIA's on others.
 */
function fp4Of(model: Model | null, vendor: Vendor | null): string {
  const published = model === null ? null : findAlias(model.nativePrecision);
  if (published !== null && fp4Formats.has(published)) return published;
  return vendor === 'amd' ? 'mxfp4' : 'nvfp4';
}

function lookUp(text: string, model: Model | null, vendor: Vendor | null): QuantizationMatch {
  if (isWaived(text)) return { id: null, name: text, recipe: [], suggestions: [] };
  const lookup = lookupText(text);
  if (nativeWords.has(lookup)) {
    const id = model === null ? null : findAlias(model.nativePrecision);
    return { id, name: text, recipe: [], suggestions: [] };
  }
  const direct = compactKey(lookup) === 'fp4' ? fp4Of(model, vendor) : findAlias(lookup);
  if (direct !== null) return { id: direct, name: text, recipe: [], suggestions: [] };
  const split = splitRecipe(lookup);
  const id = split === null ? null : findAlias(split.rest);
  const suggestions = id === null ? nearestIds(compactKey(lookup), aliases()) : [];
  return { id, name: text, recipe: id === null ? [] : (split?.recipe ?? []), suggestions };
}

const lookUpCached = memoize(lookUp, (text, model, vendor) => `${model?.id ?? ''}\n${vendor ?? ''}\n${text}`);

/**
 * Resolves a text to a weight quantization. "original" and "native" mean the published precision of `model`; without a known
 * model they resolve to nothing. A bare "fp4" means the model's published four-bit float, or else the format of the GPU's
 * vendor. KV-cache precision is a separate fact and is ignored.
 */
export function resolveQuantization(
  text: string,
  model: Model | null = null,
  vendor: Vendor | null = null,
): QuantizationMatch {
  return lookUpCached(text, model, vendor);
}

/**
 * True if the weights have the published precision or a format of at least 16 bits: the baseline for a quantization's gain.
 */
export function isUnquantized({ id, name }: { id: string | null; name: string }, model: Model | null): boolean {
  if (nativeWords.has(lookupText(name))) return true;
  const format = id === null ? null : findQuantization(id);
  if (format === null) return false;
  const isWide = format.family === 'float' && (format.weightBits ?? 0) >= 16;
  return isWide || (model !== null && resolveQuantization(model.nativePrecision).id === id);
}

/** Measured bits per weight of a file. `bytes` is the file size, `params` the parameter count. */
export function fileBits(bytes: number, params: number): number {
  return (bytes * 8) / params;
}
