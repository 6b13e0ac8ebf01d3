/** Mean or requested lengths of a shape; null if unknown. */
export interface ShapeLengths {
  inputTokens: number | null;
  outputTokens: number | null;
}

/** Rounds a length to two significant digits: 198.3 is 200, 1536 is 1500. Below 10, to the nearest integer above 0. */
export function roundLength(tokens: number): number {
  if (tokens < 10) return Math.max(1, Math.round(tokens));
  const unit = 10 ** (Math.floor(Math.log10(tokens)) - 1);
  return Math.round(tokens / unit) * unit;
}

/**
 * Generates the name of an unnamed shape: "200-60", "in-500", "out-128", with cached tokens as "@d4096". `dataset` is a slug
 * and comes first.
 */
export function shapeName(
  { inputTokens, outputTokens }: ShapeLengths,
  { dataset, depth }: { dataset: string | null; depth: number | null },
): string {
  const [input, output] = [inputTokens, outputTokens].map((tokens) => (tokens ? roundLength(tokens) : null));
  const parts = [
    dataset,
    input != null && output == null ? 'in' : null,
    input,
    output != null && input == null ? 'out' : null,
    output,
  ].filter((part) => part != null);
  return (parts.length === 0 ? unspecifiedShape : parts.join('-')) + (depth === null ? '' : `@d${depth}`);
}

/** The shape of an unknown workload. */
export const unspecifiedShape = 'unspecified';

const byLengths =
  /^(?:in-(?<onlyIn>[1-9]\d{0,8})|out-(?<onlyOut>[1-9]\d{0,8})|(?<input>[1-9]\d{0,8})-(?<output>[1-9]\d{0,8}))(?:@d(?<depth>\d{1,9}))?$/;

/** Parses a name that `shapeName` generated without a data set; null for any other text. */
export function readShapeName(text: string): (ShapeLengths & { depth: number | null }) | null {
  const groups = byLengths.exec(text)?.groups;
  if (groups === undefined) return null;
  const number = (digits: string | undefined) => (digits === undefined ? null : Number(digits));
  return {
    inputTokens: number(groups.onlyIn ?? groups.input),
    outputTokens: number(groups.onlyOut ?? groups.output),
    depth: number(groups.depth) || null,
  };
}

const slugLength = 60;
/** Placeholder names of data sets. */
const nameless: ReadonlySet<string> = new Set(['custom', 'dataset', 'data', 'hf', 'file', 'other', 'unknown', 'none']);

/**
 * Converts a data set's name to a part of a shape's name: "AI-MO/aimo validation" is "ai-mo-aimo-validation". Null for a
 * placeholder.
 */
export function datasetSlug(dataset: string): string | null {
  const name = dataset.slice(0, 2 * slugLength).replace(/\.(?:jsonl?|csv|parquet|txt)$/iu, '');
  const words =
    name
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  const slug = words.join('-').slice(0, slugLength).replace(/-$/u, '');
  return slug === '' || nameless.has(slug) ? null : slug;
}
