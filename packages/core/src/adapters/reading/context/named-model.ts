import { resolveModel } from '../../../catalogue/models.ts';
import type { ArtifactText } from '../text/artifact-text.ts';
import { toModelName } from './model-name.ts';

/** Longer lines are logs. */
const maxLine = 300;
/** Maximum number of lines between two runs; more are a log. */
const maxLines = 500;
/** The longest names in the catalogue have this many words: "Mistral Small 3.1 24B". */
const maxWords = 4;

/** `Model: name` has any name. A heading or a line in bold may have one that the catalogue lacks. */
const label = /^\s*(?:[-*+] )?\**Model\**:/i;
const title = /^\s*(?:#{1,6}\s|\*\*)/;
/** A repository, `org/name`, and a name with a size, `MyModel-7B`. */
const repository = /^[A-Za-z][\w.-]*\/[A-Za-z][\w.-]*$/;
const sized = /^[A-Za-z][\w.-]*(?:\/[\w.-]+)?[-_.]\d{1,4}(?:\.\d{1,2})?B(?:[-_.][\w.-]*)?$/i;

const nameOf = (text: string) => (toModelName(text) ?? text).replace(/^.*\//, '').toLowerCase();

function isSame(name: string, model: string): boolean {
  if (nameOf(name) === nameOf(model)) return true;
  const [one, other] = [resolveModel(name), resolveModel(model)];
  if (one.id !== null && other.id !== null) return one.id === other.id;
  return one.family !== null && one.family === other.family;
}

/** The names of models in a line. */
function namesIn(text: string): string[] {
  const words = text.split(/[\s`*"'()[\],;]+/).flatMap((word) => word.replace(/[.:]+$/, '') || []);
  const names: string[] = [];
  for (let at = 0; at < words.length; at++) {
    for (let count = Math.min(maxWords, words.length - at); count > 0; count--) {
      const name = words.slice(at, at + count).join(' ');
      const { id, family } = /^[A-Za-z]/.test(name) ? resolveModel(name) : { id: null, family: null };
      const isKnown = id !== null || (family !== null && /\d/.test(name));
      const isShaped = label.test(text)
        ? repository.test(name) || sized.test(name)
        : title.test(text) && sized.test(name);
      if (!isKnown && !isShaped) continue;
      names.push(name);
      at += count - 1;
      break;
    }
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
