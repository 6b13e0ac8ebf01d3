import { derived } from '../../catalogue/memo.ts';
import type { Fault } from '../../errors.ts';
import { editDistance, nearest } from '../../text/nearest.ts';
import { exampleQuestions } from '../examples.ts';
import { catalogueNames } from '../readers/catalogue-words.ts';
import type { Chunk } from '../readers/chunks.ts';
import { datePhrases } from '../readers/dates.ts';
import { loadPhrases } from '../readers/loads.ts';
import { metricPhrases } from '../readers/metric-phrases.ts';
import { modelsOf } from '../readers/model-groups.ts';
import { fillers, nouns, prepositions, superlatives, trustPhrases } from '../words/common-words.ts';
import { comparisonPhrases, readNumber, scaled, units } from '../words/numbers.ts';
import { type Words, written } from '../words/tokens.ts';
import { unsupported } from './unsupported-words.ts';

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
  long: 'Specify one: "ttft" for the first token, or "e2e latency" for the whole response.',
};

function hintFor(phrase: string): string | null {
  const word = phrase.toLowerCase();
  if (Object.hasOwn(vague, word)) return vague[word] ?? null;
  const [first = '', second = ''] = word.split(' ');
  // "8k input": the word after a number decides.
  const deciding = /^\d/u.test(first) && second !== '' ? second : first;
  const reason = unsupported.find(([words]) => words.test(deciding) || words.test(word));
  if (reason !== undefined) return reason[1];
  // A word of three letters is close to too many others.
  if (word.length < 4) return null;
  const begun = catalogueNames().find(
    (name) => name.toLowerCase().startsWith(word) && /^[-. \d]/u.test(name.slice(word.length)),
  );
  if (begun !== undefined) return `Specify one, such as "${begun}".`;
  const found = nearest(word, known());
  return found === null || found === word || !isSimilar(word, found) ? null : `Did you mean "${found}"?`;
}

/** True if one is probably a misspelling of the other: "limit" is not "kimi". */
const isSimilar = (word: string, other: string): boolean =>
  editDistance(word, other) <= (word.length < 6 || word[0] !== other[0] ? 1 : Math.ceil(word.length / 3));

type Place = { start: number; end: number };

const seconds: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 86_400 };

/** "3000 tok/min", "tokens per hour": figures are stored per second, so the hint has the same rate per second. */
function rateHint(words: Words, start: number): string | null {
  // "tokens" and "per" before an unknown "hour" may have been read with the number, or the number may be unknown too.
  const isAmount = readAmount(words.tokens[start]?.text ?? '') !== null;
  for (const at of [...(isAmount ? [start + 1] : []), start, start - 1, start - 2].filter((place) => place >= 0)) {
    const texts = words.tokens.slice(at, at + 3).map(({ text }) => text);
    const { what, per } = ratePattern.exec(texts.join(' '))?.groups ?? {};
    if (what === undefined || per === undefined) continue;
    const unit = `${what}/s`;
    const count = readAmount(words.tokens[at - 1]?.text ?? '');
    if (count === null) return `Figures are per second: use "${unit}".`;
    const perSecond = Number((count / (seconds[per] ?? 1)).toPrecision(3));
    return `Use a rate per second: ${written(words, at - 1, at)} are ${perSecond} ${unit}, as in "at least ${perSecond} ${unit}".`;
  }
  return null;
}

/** "3000", "100k", "2.5m", "1b"; null for anything else. */
function readAmount(text: string): number | null {
  const { number, scale = '' } = /^(?<number>[\d.,]+?)(?<scale>[kmb]?)$/u.exec(text)?.groups ?? {};
  const plain = readNumber(number ?? '');
  return plain === null ? null : scaled(plain, { k: 3, m: 6, b: 9 }[scale] ?? 0);
}

const ratePattern = /^(?<what>tok|req)[a-z]*(?:\/| per | a | an )(?<per>m|h|d)(?:in|inute|r|our|ay)?s?(?: |$)/u;

/** "25 t/s": a number before a speed is a limit only with a side. */
function speedHint(words: Words, { start, end }: Place, next: Chunk | undefined): string | null {
  const isSpeed = next?.kind === 'metric' || (next?.kind === 'cue' && next.cue === 'speed');
  const unit = isSpeed ? written(words, next.start, next.end) : '';
  const number = end > start + 1 ? null : readNumber(words.tokens[start]?.text ?? '');
  return isSpeed && number !== null ? `For a limit, use "over ${number} ${unit}" or "under ${number} ${unit}".` : null;
}

/** "32.768": the point of other languages between thousands. */
const thousandsHint = (word: string): string | null =>
  /^\d{1,3}(?:\.\d{3})+$/u.test(word) ? 'Write thousands without a point, such as "1500" or "1,500".' : null;

/** Words for a size or an edition in the name of a model. */
const edition = /^(?:large|small|medium|mini|nano|tiny|ultra|pro|plus|max|lite|turbo|flash|next|\d+(?:\.\d+)?)$/u;

/** Maximum number of models in a hint. */
const namedMax = 3;

/** "mistral large": an edition that no model of the family is called. */
function editionHint(words: Words, { start }: Place, before: Chunk | undefined): string | null {
  const word = words.tokens[start]?.text ?? '';
  if (before?.kind !== 'facts' || before.group !== 'family' || before.end !== start || !edition.test(word)) return null;
  const families = before.facts.flatMap(({ filter, values }) => (filter === 'model' ? values : []));
  const named = modelsOf(families).slice(0, namedMax);
  const name = written(words, before.start, start + 1);
  return `The catalogue has no "${name}". Name one of its models, such as ${new Intl.ListFormat('en', { type: 'disjunction' }).format(named.map((id) => `"${id}"`))}.`;
}

/** "concurrency 1 vs 64": the second of two loads. */
function loadHint(words: Words, { start }: Place, before: Chunk | undefined, ahead: Chunk | undefined): string | null {
  const isLoad = ahead?.kind === 'facts' && ahead.facts.some(({ filter }) => filter === 'load_level');
  const isSeparator =
    before?.kind === 'or' || before?.kind === 'and' || (before?.kind === 'cue' && before.cue === 'versus');
  if (!isLoad || !isSeparator || readNumber(words.tokens[start]?.text ?? '') === null) return null;
  return `Questions compare systems, not loads. Ask for one load, such as "${written(words, ahead.start, ahead.end)}": the page of a system shows its values at all loads.`;
}

/** Returns one fault per unknown word. Adjacent words are also looked up as one name: "lama 3.1 8b". */
export function unknownFaults(words: Words, chunks: readonly Chunk[]): Fault[] {
  const faults: Fault[] = [];
  let run: Place[] = [];
  /** The chunks before the run, the last one first. */
  let ahead: Chunk[] = [];
  const finish = (next?: Chunk) => {
    const [first] = run;
    const last = run.at(-1);
    const isNear = faults.length < hintedMax;
    const whole =
      run.length > 1 && isNear && first !== undefined && last !== undefined
        ? hintFor(written(words, first.start, last.end))
        : null;
    for (const { start, end } of run) {
      const word = written(words, start, end);
      const near = whole ?? (faults.length < hintedMax ? hintFor(word) : null);
      const own =
        thousandsHint(word) ??
        (end === next?.start ? speedHint(words, { start, end }, next) : null) ??
        editionHint(words, { start, end }, ahead[0]) ??
        loadHint(words, { start, end }, ahead[0], ahead[1]);
      faults.push(
        faultOf('word_unknown', word, 'is not understood.', rateHint(words, start) ?? own ?? near ?? general),
      );
    }
    run = [];
  };
  for (const chunk of chunks) {
    const before = run.at(-1);
    const isGlued = before !== undefined && words.tokens[before.end - 1]?.end === words.tokens[chunk.start]?.start;
    if (chunk.kind !== 'unknown') {
      finish(chunk);
      ahead = [chunk, ...ahead].slice(0, 2);
    }
    // "141gb" was split into number and unit; quote it as written.
    else if (isGlued) before.end = chunk.end;
    else run.push({ start: chunk.start, end: chunk.end });
  }
  finish();
  return faults;
}
