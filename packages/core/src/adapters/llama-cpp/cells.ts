import { parseNumber, shiftDecimal } from '../reading/figures/numbers.ts';

/** Parsed content of a `test` cell: prompt tokens, generated tokens, and tokens already in the cache. */
export interface LlamaTest {
  /** `pp512`, `tg128@d4096`, `pp512+tg128`. */
  name: string;
  promptTokens: number;
  generatedTokens: number;
  depth: number | null;
}

/**
 * Reads `pp512`, `tg128 @ d4096`, `pp512+tg128`, the labels before May 2024, `pp 64`, and ik_llama.cpp's `tg64@pp512`: tokens
 * generated after a prompt, which is not timed. Null for anything else.
 */
export function parseTest(text: string): LlamaTest | null {
  const found = /^(?:pp ?(\d{1,9}))?(\+)?(?:tg ?(\d{1,9}))?(?: ?@ ?d(\d{1,9})|(?<=tg\d{1,9})@pp(\d{1,9}))?$/.exec(
    text.trim(),
  );
  if (found === null) return null;
  const [, prompt, plus, generated, ownDepth, promptBefore] = found;
  const depth = ownDepth ?? promptBefore;
  if ((prompt !== undefined && generated !== undefined) !== (plus !== undefined) || (prompt ?? generated) === undefined)
    return null;
  const name = [prompt === undefined ? '' : `pp${prompt}`, generated === undefined ? '' : `tg${generated}`]
    .filter((part) => part !== '')
    .join('+');
  return {
    name: depth === undefined ? name : `${name}@d${depth}`,
    promptTokens: Number(prompt ?? 0),
    generatedTokens: Number(generated ?? 0),
    depth: depth === undefined ? null : Number(depth),
  };
}

/** Reads `avg ± sd` in tokens per second. The sd is null if only the average is present. Null if unreadable. */
export function parseSpeed(text: string): { average: number; sd: number | null } | null {
  const [first = '', second, ...rest] = text.trim().split(/\s*(?:±|\+\/?-|\uFFFD)\s*|\s+/);
  const average = parseNumber(first);
  const sd = second === undefined ? null : parseNumber(second);
  if (average === null || average <= 0 || rest.length > 0 || (second !== undefined && (sd === null || sd < 0)))
    return null;
  return { average, sd };
}

/** Bytes of `3.56 GiB`, with the precision of the two printed decimals. */
export function parseSize(text: string): number | null {
  const found = /^([\d.]{1,20}) (KiB|MiB|GiB|TiB)$/.exec(text.trim());
  const number = parseNumber(found?.[1] ?? '');
  const power = ['KiB', 'MiB', 'GiB', 'TiB'].indexOf(found?.[2] ?? '') + 1;
  return number === null || power === 0 ? null : Math.round(number * 1024 ** power);
}

/** Parameters of `6.74 B` or `494.03 M`. */
export function parseParameters(text: string): number | null {
  const found = /^([\d.]{1,20}) ([KMBT])$/.exec(text.trim());
  const number = parseNumber(found?.[1] ?? '');
  return number === null ? null : shiftDecimal(number, { K: 3, M: 6, B: 9, T: 12 }[found?.[2] ?? ''] ?? 0);
}

/**
 * The file type at the end of a printed model type: "llama 70B Q4_K - Medium" gives "Q4_K - Medium", "llama 7B mostly Q4_0"
 * gives "Q4_0". llama.cpp marks a type that it guessed from the tensors.
 */
export function parseFileType(printed: string): { name: string; isGuessed: boolean } | null {
  const found = /(?:^|\s)((?:I?Q\d|TQ\d|I2_S|TL\d|BF16|F16|F32|MXFP4|NVFP4)\S{0,20}(?:\s.{0,40})?)$/.exec(
    printed.trim(),
  );
  const type = found?.[1] ?? '';
  const name = type.replace(/\s*\(guessed\)\s*$/, '');
  return name === '' ? null : { name, isGuessed: name !== type };
}
