import { derived } from '../../../catalogue/memo.ts';
import { isModelName, resolveModel } from '../../../catalogue/models.ts';
import { modelFamilies, models } from '../../../catalogue/records.ts';
import type { ArtifactText } from '../text/artifact-text.ts';
import { toModelName } from './model-name.ts';

/** Longer lines are logs. */
const maxLine = 300;
/** Maximum number of lines before a run, and of possible names in a line; more are a log. */
const maxLines = 50;
const maxNames = 4;
/** The longest names in the catalogue have this many words: "Mistral Small 3.1 24B". */
const maxWords = 4;

/** `Model: name` has any name. A heading or a line in bold may have one that the catalogue lacks. */
const label = /^\s*(?:[-*+] )?\**Model\**:/i;
const title = /^\s*(?:#{1,6}\s|\*\*)/;
/** A repository, `org/name`, and a name with a size, `MyModel-7B`. */
const repository = /^[A-Za-z][\w.-]*\/[A-Za-z][\w.-]*$/;
const sized = /^[A-Za-z][\w.-]*(?:\/[\w.-]+)?[-_.]\d{1,4}(?:\.\d{1,2})?B(?:[-_.][\w.-]*)?$/i;

const nameOf = (text: string) => (toModelName(text) ?? text).replace(/^.*\//, '').toLowerCase();

/** Whether a name may be of the model; a name with another quantization is not. */
function isSame(name: string, model: string): boolean {
  if (nameOf(name) === nameOf(model)) return true;
  const [one, other] = [resolveModel(name), resolveModel(model)];
  if (one.quantization !== null && one.quantization.toLowerCase() !== other.quantization?.toLowerCase()) return false;
  if (one.id !== null && other.id !== null) return one.id === other.id;
  return one.family !== null && one.family === other.family;
}

const lettersOf = (text: string) => text.toLowerCase().match(/[a-z]+/g) ?? [];
/** The first words of the names in the catalogue. Only text with one of them is compared. */
const starts = derived(
  () =>
    new Set(
      [
        ...modelFamilies.map(({ id }) => id),
        ...models.flatMap(({ id, name, aliases }) => [id, name, ...aliases]),
      ].flatMap((name) => lettersOf(name.slice(name.indexOf('/') + 1))[0] ?? []),
    ),
);
const mayBeKnown = (word: string) => lettersOf(word).some((letters) => starts().has(letters));

/** The names of models in a line. */
function namesIn(text: string): string[] {
  const words = text.split(/[\s`*"'()[\],;]+/).flatMap((word) => word.replace(/[.:]+$/, '') || []);
  const isShaped = (word: string) =>
    label.test(text) ? repository.test(word) || sized.test(word) : title.test(text) && sized.test(word);
  const names = words.filter(isShaped).slice(0, maxNames);
  const known = words.flatMap((word, at) => (mayBeKnown(word) ? at : [])).slice(0, maxNames);
  for (const at of known) {
    const phrases = Array.from({ length: maxWords }, (_, count) => words.slice(at, at + maxWords - count).join(' '));
    const name = phrases.find((phrase) => /\d/.test(phrase) && isModelName(phrase));
    if (name !== undefined) names.push(name);
  }
  return names;
}

/**
 * Whether a heading or a sentence between two lines names another model than the given one, so that a run after it without a
 * command is not of that model. Lines are 1-based and inclusive.
 */
export function namesOtherModel(artifact: ArtifactText, from: number, to: number, model: string): boolean {
  for (let line = Math.max(from, to - maxLines); line <= to; line++) {
    const text = artifact.lineAt(line);
    if (text.length <= maxLine && namesIn(text).some((name) => !isSame(name, model))) return true;
  }
  return false;
}
