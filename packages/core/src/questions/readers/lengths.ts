import { resolveScenario } from '../../catalogue/index.ts';
import { readTokens } from '../words/numbers.ts';
import { phraseTable } from '../words/phrases.ts';
import type { Words } from '../words/tokens.ts';
import type { Reading } from './loads.ts';

type End = 'input' | 'output';

/** Names of a length before or after its number: "isl 1024", "1024 input tokens". */
const names = phraseTable<End>([
  ...['isl', 'input', 'input length', 'input len', 'input sequence length', 'input tokens', 'tokens input'].map(
    (phrase) => [phrase, 'input'] as const,
  ),
  ...['prompt length', 'prompt len', 'prompt tokens', 'tokens of input', 'input size'].map(
    (phrase) => [phrase, 'input'] as const,
  ),
  ...['osl', 'output', 'output length', 'output len', 'output sequence length', 'output tokens'].map(
    (phrase) => [phrase, 'output'] as const,
  ),
  ...['tokens output', 'tokens of output', 'output size', 'generated tokens'].map(
    (phrase) => [phrase, 'output'] as const,
  ),
]);

/** Names only after a number: "1k in 8k out". */
const behind = phraseTable<End>([
  ...['in', 'tokens in', 'token in', 'prompt', 'token prompt', 'tokens prompt'].map(
    (phrase) => [phrase, 'input'] as const,
  ),
  ...['out', 'tokens out', 'token out', 'generated', 'completion', 'token completion'].map(
    (phrase) => [phrase, 'output'] as const,
  ),
]);

/** "isl/osl 1024/1024". */
const both = phraseTable<true>(
  ['isl/osl', 'isl / osl', 'input/output', 'input / output', 'in/out', 'input output', 'isl osl'].map(
    (phrase) => [phrase, true] as const,
  ),
);

const joins = /^(?:of|=|is|:)$/u;
const separators = /^(?:and|\/|\+|with|x|×|→|=>|->)$/u;

interface Length {
  of: End;
  tokens: number;
  /** The word after it. */
  next: number;
}

/** Both lengths of a workload. */
interface Lengths {
  input: number;
  output: number;
  next: number;
}

const textAt = ({ tokens }: Words, at: number): string => tokens[at]?.text ?? '';

/** A number of tokens with its name, in either order. */
function readLength(words: Words, at: number): Length | null {
  const first = readTokens(textAt(words, at));
  if (first !== null) {
    const name = [names.find(words, at + 1), behind.find(words, at + 1)]
      .filter((found) => found !== null)
      .sort((a, b) => b.length - a.length)[0];
    return name === undefined ? null : { of: name.value, tokens: first, next: at + 1 + name.length };
  }
  const name = names.find(words, at);
  if (name === null) return null;
  const place = at + name.length + (joins.test(textAt(words, at + name.length)) ? 1 : 0);
  const tokens = readTokens(textAt(words, place));
  if (tokens === null) return null;
  return { of: name.value, tokens, next: place + (/^(?:tokens?|tok)$/u.test(textAt(words, place + 1)) ? 2 : 1) };
}

const skipSeparator = (words: Words, at: number) => (separators.test(textAt(words, at)) ? at + 1 : at);

/** Minimum length in "1024/1024". Smaller numbers are rather a date or a ratio. */
const plainLeast = 32;

/** "1024/1024" without a name. */
function readPlain(words: Words, at: number): Lengths | null {
  const [input, output, ...more] = textAt(words, at).split('/').map(readTokens);
  if (input == null || output == null || more.length > 0 || Math.min(input, output) < plainLeast) return null;
  return { input, output, next: at + 1 };
}

/** "isl/osl 1024/1024", "input/output = 8k 1k". */
function readBoth(words: Words, at: number): Lengths | null {
  const name = both.find(words, at);
  if (name === null) return null;
  const place = at + name.length + (joins.test(textAt(words, at + name.length)) ? 1 : 0);
  const [one, other, ...more] = textAt(words, place).split('/').map(readTokens);
  if (one != null && other != null && more.length === 0) return { input: one, output: other, next: place + 1 };
  const second = skipSeparator(words, place + 1);
  const [input, output] = [readTokens(textAt(words, place)), readTokens(textAt(words, second))];
  return input === null || output === null ? null : { input, output, next: second + 1 };
}

function readTwo(words: Words, at: number): Lengths | null {
  const first = readLength(words, at);
  const second = first === null ? null : readLength(words, skipSeparator(words, first.next));
  if (first === null || second === null || first.of === second.of) return null;
  const [input, output] = first.of === 'input' ? [first.tokens, second.tokens] : [second.tokens, first.tokens];
  return { input, output, next: second.next };
}

/** "isl 1024 osl 1024", "8k input, 1k output", "1k in 8k out": the workload with these lengths. */
export function readLengths(words: Words, at: number): Reading | null {
  const lengths = readBoth(words, at) ?? readTwo(words, at) ?? readPlain(words, at);
  if (lengths === null) return null;
  const { scenario } = resolveScenario(
    { name: null, inputTokens: lengths.input, outputTokens: lengths.output, dataset: null, depth: null },
    null,
  );
  return { facts: [{ filter: 'scenario', values: [scenario.id] }], length: lengths.next - at };
}
