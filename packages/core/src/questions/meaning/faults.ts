import { derived } from '../../catalogue/memo.ts';
import type { Fault } from '../../errors.ts';
import { nearest } from '../../text/nearest.ts';
import { exampleQuestions } from '../examples.ts';
import { catalogueNames } from '../readers/catalogue-words.ts';
import type { Chunk } from '../readers/chunks.ts';
import { datePhrases } from '../readers/dates.ts';
import { loadPhrases } from '../readers/loads.ts';
import { metricPhrases } from '../readers/metric-phrases.ts';
import { fillers, nouns, prepositions, superlatives, trustPhrases } from '../words/common-words.ts';
import { comparisonPhrases, units } from '../words/numbers.ts';
import { type Words, written } from '../words/tokens.ts';

/** The parameter that a question arrives in. */
const parameter = 'q';

export const [example] = exampleQuestions;

/** Maximum length of a quoted piece of the question. */
const saidBack = 80;

/** Builds the fault of one unusable phrase. The message starts with the phrase. */
export function faultOf(code: string, phrase: string, says: string, hint: string): Fault {
  const shown = phrase.length > saidBack ? `${phrase.slice(0, saidBack)}...` : phrase;
  return { code, message: `"${shown}" ${says}`, hint, parameter };
}

/** All phrases of the grammar, used to find the nearest to an unknown word. */
const known = derived((): readonly string[] => [
  ...new Set(
    [
      ...[...metricPhrases, ...loadPhrases, ...datePhrases, ...comparisonPhrases],
      ...[...nouns.phrases, ...superlatives.phrases, ...trustPhrases.phrases, ...units.phrases],
      ...catalogueNames(),
      ...[...fillers, ...prepositions].filter((word) => word.length > 3),
    ].map((phrase) => phrase.toLowerCase()),
  ),
]);

/** Maximum words with suggestions. Further unknown words are listed without one. */
const hintedMax = 12;

const general = `Try a question like "${example}".`;

/** Ambiguous words, with replacements. */
const vague: Readonly<Record<string, string>> = {
  latency: 'Specify one: "ttft", "itl", "tpot" or "e2e latency".',
};

const qualityHint = 'Quality is a bound: use "at least 75 % on gsm8k" or "within 1 % of bf16 on gsm8k".';
const widthHint = 'The width of tensor parallelism is not a filter. Name the number of GPUs, such as "8x h200".';
const taskHint =
  'Results are measured on workloads, not tasks. Name a workload, such as "chatbot" or "rag", or remove it.';
const featureHint = 'This is not a filter. The page of each system shows it.';
const backendHint = 'The backend is not a filter. Name the GPU and the engine, such as "llama.cpp on a 7900 xtx".';
const sizeHint = 'Name a size, such as "under 10b" or "8b".';
const processorHint = 'Name a device of the catalogue, such as "xeon 6980p", "apple m4 max" or "strix halo".';

/** Words for facts that no filter has, and the closest question. */
const unsupported: readonly (readonly [RegExp, string])[] = [
  [/^(?:quality|accuracy|accurate|gsm8k|mmlu|gpqa|score|loss|degradation)$/u, qualityHint],
  [/^(?:tensor|pipeline|tp|pp|ep|dp|(?:tp|pp|ep|dp)=?\d+)$/u, widthHint],
  [/^(?:coding|coder|code|writing|roleplay|math|translation|summarization)$/u, taskHint],
  [/^(?:speculative|caching|prefix|eagle|mtp|medusa|chunked)$/u, featureHint],
  [/^(?:vulkan|rocm|cuda|metal|sycl|backend)$/u, backendHint],
  [/^(?:small|smaller|tiny|large|larger|big|bigger)$/u, sizeHint],
  [/^(?:newest|latest|recent|recently|new|current)$/u, 'Name a period, such as "since march" or "last 30 days".'],
  [/^(?:laptops?|notebooks?|phones?|tablets?|cpus?|epyc|xeon|threadripper|ryzen|raspberry)$/u, processorHint],
];

function hintFor(phrase: string): string | null {
  const word = phrase.toLowerCase();
  if (Object.hasOwn(vague, word)) return vague[word] ?? null;
  const [first = ''] = word.split(' ');
  const reason = unsupported.find(([words]) => words.test(first));
  if (reason !== undefined) return reason[1];
  // A word of three letters is close to too many others.
  if (word.length < 4) return null;
  const begun = catalogueNames().find(
    (name) => name.toLowerCase().startsWith(word) && /^[-. \d]/u.test(name.slice(word.length)),
  );
  if (begun !== undefined) return `Specify one, such as "${begun}".`;
  const found = nearest(word, known());
  return found === null || found === word ? null : `Did you mean "${found}"?`;
}

/** Returns one fault per unknown word. Adjacent words are also looked up as one name: "lama 3.1 8b". */
export function unknownFaults(words: Words, chunks: readonly Chunk[]): Fault[] {
  const faults: Fault[] = [];
  let run: { start: number; end: number }[] = [];
  const finish = () => {
    const [first] = run;
    const last = run.at(-1);
    const isNear = faults.length < hintedMax;
    const whole =
      run.length > 1 && isNear && first !== undefined && last !== undefined
        ? hintFor(written(words, first.start, last.end))
        : null;
    for (const { start, end } of run) {
      const word = written(words, start, end);
      const own = whole ?? (faults.length < hintedMax ? hintFor(word) : null);
      faults.push(faultOf('word_unknown', word, 'is not understood.', own ?? general));
    }
    run = [];
  };
  for (const chunk of chunks) {
    const before = run.at(-1);
    const isGlued = before !== undefined && words.tokens[before.end - 1]?.end === words.tokens[chunk.start]?.start;
    if (chunk.kind !== 'unknown') finish();
    // "141gb" was split into number and unit; quote it as written.
    else if (isGlued) before.end = chunk.end;
    else run.push({ start: chunk.start, end: chunk.end });
  }
  finish();
  return faults;
}
