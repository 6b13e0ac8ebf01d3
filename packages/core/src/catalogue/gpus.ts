import { derived, memoize } from './memo.ts';
import { type Alias, indexAliases, isWaived, lookupText, nearestIds } from './names/normalise.ts';
import { type Gpu, type GpuFamily, gpuFamilies, gpus, indexById, namedGpuFamilies } from './records.ts';

export { type GpuFamily, gpuFamilies } from './records.ts';

/** A GPU and the words that may appear in its name without changing its identity. */
interface Candidate {
  gpu: Gpu;
  words: ReadonlySet<string>;
}

const byId = derived(() => indexById(gpus));
const familyById = derived(() => indexById(gpuFamilies));

export function findGpu(id: string): Gpu | null {
  return byId().get(id) ?? null;
}

export function findGpuFamily(id: string): GpuFamily | null {
  return familyById().get(id) ?? null;
}

/** The vendor of a GPU, or of all variants of a family; null if neither is known. */
export function gpuVendor({ id, family }: { id: string | null; family: string | null }): Gpu['vendor'] | null {
  const member = id ?? (family === null ? undefined : findGpuFamily(family)?.members[0]);
  return member === undefined ? null : (findGpu(member)?.vendor ?? null);
}

/** Display names of vendors and of their product lines, which select GPUs in filters. */
const vendorTitles = ['NVIDIA', 'GeForce', 'AMD', 'Radeon', 'Instinct', 'Intel', 'Apple', 'Google'];

/** "NVIDIA" for nvidia; null for any other word. */
export function vendorTitle(word: string): string | null {
  return vendorTitles.find((title) => title.toLowerCase() === word.toLowerCase()) ?? null;
}

const vendorWords: Record<Gpu['vendor'], readonly string[]> = {
  nvidia: ['nvidia', 'corporation', 'tesla', 'geforce'],
  // RADV is the Vulkan driver; VF is a full card passed through to a virtual machine.
  amd: ['amd', 'radeon', 'instinct', 'radv', 'vf'],
  intel: ['intel', 'habana'],
  apple: ['apple', 'metal'],
  google: ['google', 'cloud'],
};
const neutralWords = ['gpu', 'gpus', 'graphics', 'card', 'accelerator', 'tensor', 'core', 'generation', 'gen', 'vram'];

/**
 * Splits a name into words. A memory size is one word ("80 GB", "80GiB", "144G" become 80gb, 144gb); underscores count as
 * spaces.
 */
function words(lookup: string): string[] {
  return lookup
    .replace(/_/gu, ' ')
    .replace(/(\d)[ -]?(?:gib|gb|g)(?![a-z0-9])/gu, '$1gb ')
    .split(/[^\p{L}\p{N}+.]+/u)
    .filter((word) => word !== '');
}

function aliasWords(text: string): string[] {
  return words(lookupText(text));
}

const candidates = derived((): readonly Candidate[] =>
  gpus.map((gpu) => ({
    gpu,
    words: new Set([
      ...neutralWords,
      ...vendorWords[gpu.vendor],
      ...[gpu.id, gpu.name, gpu.formFactor, gpu.memoryType, ...gpu.aliases].flatMap(aliasWords),
      `${gpu.memoryGb}gb`,
    ]),
  })),
);
const candidateById = derived(() => new Map(candidates().map((candidate) => [candidate.gpu.id, candidate])));

/** Normalizes names of GPUs for comparison. */
export const gpuKey = (name: string): string => aliasWords(name).join('');

const gpuAliases = derived((): Alias[] =>
  gpus.flatMap((gpu) => [gpu.id, gpu.name, ...gpu.aliases].map((alias) => ({ key: gpuKey(alias), id: gpu.id }))),
);
const gpuIndex = derived(() => indexAliases('GPU', gpuAliases()));
const familyAliases: Alias[] = namedGpuFamilies.flatMap((family) =>
  [family.id, ...family.aliases].map((alias) => ({ key: gpuKey(alias), id: family.id })),
);
const familyIds: ReadonlySet<string> = new Set(namedGpuFamilies.map((family) => family.id));
const familyIndex = indexAliases('GPU family', familyAliases);
const allAliases = derived(() => [...gpuAliases(), ...familyAliases]);
const longestAlias = derived(() =>
  Math.max(
    ...[...gpus, ...namedGpuFamilies].flatMap(({ id, name, aliases }) =>
      [id, name, ...aliases].map((alias) => aliasWords(alias).length),
    ),
  ),
);

const memoryWord = /^\d+gb$/u;
const formWords: ReadonlySet<string> = new Set(['sxm', 'sxm2', 'sxm3', 'sxm4', 'sxm5', 'sxm6', 'pcie', 'nvl', 'oam']);

/** True if a word only states memory size or socket. It can rule out a variant but not the chip. */
function isVariantWord(word: string): boolean {
  return memoryWord.test(word) || formWords.has(word) || /^(?:hbm|gddr|lpddr)/u.test(word);
}

/** True if a word may appear next to the card's name. Shared memory has sizes that do not define variants. */
function explains({ gpu, words: own }: Candidate, word: string): boolean {
  return own.has(word) || (gpu.unifiedMemory && memoryWord.test(word));
}

interface Match {
  id: string | null;
  family: string | null;
}

/** An alias found among the words, and the remaining words. */
interface Run {
  key: string;
  length: number;
  rest: string[];
}

/** Maximum words of a name to examine; drivers print about a dozen. */
const maxWords = 24;

function runs(every: readonly string[]): Run[] {
  const all = every.slice(0, maxWords + 1);
  // A longer text is not a name. Truncating it could drop words that identify another card.
  if (all.length > maxWords) return [];
  const found: Run[] = [];
  for (let start = 0; start < all.length; start++) {
    for (let end = start + 1; end <= Math.min(all.length, start + longestAlias()); end++) {
      const key = all.slice(start, end).join('');
      if (!gpuIndex().has(key) && !familyIndex.has(key)) continue;
      found.push({ key, length: end - start, rest: [...all.slice(0, start), ...all.slice(end)] });
    }
  }
  return found.sort((a, b) => b.length - a.length || b.key.length - a.key.length);
}

/**
 * Resolves one alias with the words around it to a variant, to only a family, or to nothing if a word means another card.
 */
function judge(run: Run): Match | null {
  const id = gpuIndex().get(run.key);
  if (id !== undefined) {
    const own = candidateById().get(id);
    if (own === undefined) return null;
    if (run.rest.every((word) => explains(own, word))) return { id, family: own.gpu.family };
    const family = findGpuFamily(own.gpu.family);
    // "RTX 3060 8GB" belongs to the family but is not the card in the catalogue.
    const contradicted = run.rest.every((word) => explains(own, word) || isVariantWord(word));
    return contradicted && family?.members.length === 1 ? { id: null, family: own.gpu.family } : null;
  }
  const family = familyIndex.get(run.key);
  const members = candidates().filter((candidate) => candidate.gpu.family === family);
  const fitting = members.filter((member) => run.rest.every((word) => explains(member, word)));
  const [first] = fitting;
  // A family with one known variant may have others, so only a stated socket decides.
  const decided = members.length > 1 || run.rest.some((word) => formWords.has(word));
  if (fitting.length === 1 && first !== undefined && decided) return { id: first.gpu.id, family: first.gpu.family };
  const known = run.rest.every((word) => isVariantWord(word) || members.some((member) => explains(member, word)));
  return known && family !== undefined ? { id: null, family } : null;
}

/** The longest alias that explains every word wins. "RTX 4070 Ti SUPER" is never resolved to an RTX 4070. */
function match(lookup: string): Match | null {
  const judged = runs(words(lookup)).map(judge);
  return judged.find((found) => found !== null && found.id !== null) ?? judged.find((found) => found !== null) ?? null;
}

/** Removes driver output around a name: device number, PCI address, "(UUID: ...)", capabilities, cores. */
function undecorated(lookup: string): string {
  return (
    lookup
      .replace(/^(?:(?:gpu|device|cuda) ?:?\d{1,3}:|ggml_vulkan: \d{1,3} =) /u, '')
      .replace(/ ?[([](?:uuid|rev|pci)[^)\]]*[)\]]/gu, '')
      .replace(/,? compute capability.*$/u, '')
      .replace(/ \| uma: .*$/u, '')
      // Mesa prints its driver and the chip; llama.cpp prints the driver again: "(RADV NAVI31) (radv)".
      .replace(/ \(radv\)$/u, '')
      .replace(/(\brx .*?) \(radv [^)]*\)$/u, '$1')
      .replace(/ \(?\d{1,3}[- ]core(?: gpu)?\)?$/u, '')
      .replace(/[ ,]+(?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.\d$/u, '')
      .trim()
  );
}

interface Counted {
  rest: string;
  count: number;
}

const countForms = [
  /^(?<count>\d{1,4}) ?[x×*] ?(?<rest>[^ ].*)$/u,
  /^(?<rest>.+?)[ ,]*[([]? ?[x×*] ?(?<count>\d{1,4}) ?[)\]]?$/u,
  /^(?<rest>.+?)[ ,]*[([]? ?(?<count>\d{1,4}) ?[x×*] ?[)\]]?$/u,
  /^(?<rest>.+?) ?: ?(?<count>\d{1,4})$/u,
  /^(?<count>\d{1,3}) (?<rest>[^\d ].*)$/u,
];

/** Collapses a name that llama.cpp prints once per device: "NVIDIA L4, NVIDIA L4". */
function repeated(lookup: string): Counted | null {
  const parts = lookup.split(/ ?[,;] ?/u);
  const [first] = parts;
  if (first === undefined || parts.length < 2 || !parts.every((part) => part === first)) return null;
  return { rest: first, count: parts.length };
}

/** Returns all ways to read a count from the text: "8xH100", "8 x H100", "H100 x8", "H100:8". */
function counted(lookup: string): Counted[] {
  return countForms.flatMap((form) => {
    const groups = form.exec(lookup)?.groups;
    const count = Number(groups?.count);
    return groups?.rest !== undefined && count >= 1 ? [{ rest: groups.rest, count }] : [];
  });
}

export interface GpuMatch {
  id: string | null;
  /** Also set if only the family is certain, such as "H100" without a variant. */
  family: string | null;
  /** The original text. */
  name: string;
  /** The GPU count in the text; null if it has none. */
  count: number | null;
  suggestions: string[];
}

function suggest(lookup: string): string[] {
  const key = words(lookup).join('');
  const inside = runs(words(lookup)).flatMap((run) => gpuIndex().get(run.key) ?? familyIndex.get(run.key) ?? []);
  if (inside.length >= 3) return inside;
  return [...inside, ...nearestIds(key, allAliases())];
}

function lookUp(text: string): GpuMatch {
  if (isWaived(text)) return { id: null, family: null, name: text, count: null, suggestions: [] };
  // A family id means the whole family, even if a member prints the same name (Jetson AGX Orin).
  if (familyIds.has(text)) return { id: null, family: text, name: text, count: null, suggestions: [] };
  const lookup = undecorated(lookupText(text));
  const copies = repeated(lookup);
  const whole = match(copies?.rest ?? lookup);
  if (whole !== null) return { ...whole, name: text, count: copies?.count ?? null, suggestions: [] };
  const readings = counted(lookup);
  for (const { rest, count } of readings) {
    const found = match(undecorated(rest));
    if (found !== null) return { ...found, name: text, count, suggestions: [] };
  }
  const near = [lookup, ...readings.map((reading) => reading.rest)].flatMap(suggest);
  // In an unknown name, only an explicit "8x" is a count. A bare number may be part of the name; two counts are ambiguous.
  const counts = new Set(readings.map((reading) => reading.count));
  // The x of "GTX 970" belongs to a word.
  const explicit = counts.size === 1 && /\d ?[x×*]|(?<!\p{L})[x×*] ?\d/u.test(lookup) ? readings[0]?.count : undefined;
  const count = copies?.count ?? explicit ?? null;
  return { id: null, family: null, name: text, count, suggestions: [...new Set(near)].slice(0, 3) };
}

/**
 * Resolves a text to a GPU and the stated count. For a bare family, `id` is null. A name with an unexplained word ("RTX 4090
 * Laptop GPU") does not resolve to the card in the rest of the name.
 */
export const resolveGpu: (text: string) => GpuMatch = memoize(lookUp, (text) => text);
