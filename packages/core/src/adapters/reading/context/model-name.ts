import { quantizationHint } from '../../../catalogue/names/quantization-hint.ts';
import type { Fact, SystemFacts } from '../../adapter.ts';

/** Generic names that users give served models. */
const aliases = new Set([
  'default',
  'test',
  'model',
  'my-model',
  'mymodel',
  'llm',
  'local',
  'local-model',
  'gpt-3.5-turbo',
  'gpt-4',
  'served-model',
]);

/** A name to replace in an example command: `YOUR_MODEL`, `your-model-here`, `MODEL_NAME`, `[MODEL]`, `my_model`. */
const placeholder =
  /^x{3,}$|^\W*(?:(?:your|my|the|some|example)[-_ ]?)?(?:llm[-_ ]?)?(?:served[-_ ]?)?model(?:[-_ ]?(?:id|name|path|dir|repo|tag|file|here))*(?:\.gguf)?\W*$/i;

/** A folder below the model's that names only its quantization: `exl3`, `4.0bpw`, `4.65bpw-h6`. */
const quantizationFolder = /[/\\](?:exl[23]|\d{1,2}(?:\.\d{1,2})?[-_]?bpw(?:[-_]?h\d{1,2})?)$/i;

/** A path without the folders at its end that name only a quantization. */
function withoutQuantization(path: string): string {
  let rest = path;
  while (quantizationFolder.test(rest)) rest = rest.replace(quantizationFolder, '');
  return rest;
}

/**
 * The model in a path, a repository id or an option. Folders are dropped, because they identify the submitter's machine;
 * `org/name` is kept. For a Hugging Face cache path, the repository is used. ModelScope's cache writes a dot as `___`. Null for
 * a served alias, a placeholder or a shell variable.
 */
export function toModelName(text: string): string | null {
  const trimmed = withoutQuantization(text.trim().replace(/[/\\]+$/, '')).replaceAll('___', '.');
  const cached = /models--([^/\\]{1,100}?)--([^/\\]{1,200})/.exec(trimmed);
  if (cached !== null) return `${cached[1]}/${cached[2]}`;
  const parts = trimmed.split(/[/\\]/);
  const isRepository =
    parts.length === 2 &&
    /^[\w.-]+$/.test(parts[0] ?? '') &&
    !/^\.{0,2}$/.test(parts[0] ?? '') &&
    !/\.gguf$/i.test(trimmed);
  const name = isRepository ? trimmed : (parts.at(-1) ?? '');
  if (name === '' || name.length > 200 || /[$`<>{}*]|^%\w+%$/.test(name)) return null;
  return aliases.has(name.toLowerCase()) || placeholder.test(name.replace(/^.*\//, '')) ? null : name;
}

/** A model, and the quantization that its name suggests. Null for aliases of a server. */
export function modelFacts(
  given: string | null,
  origin: Fact<string>['origin'],
): Pick<SystemFacts, 'model' | 'quantization'> {
  const model = given === null ? null : toModelName(given);
  const hint = given === null ? null : quantizationHint(model ?? '');
  return {
    model: model === null ? null : { value: model, origin },
    quantization: hint === null ? null : { value: hint, origin: 'inferred' },
  };
}
