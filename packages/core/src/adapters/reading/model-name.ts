import { quantizationHint } from '../../catalogue/quantization-hint.ts';
import type { Fact, SystemFacts } from '../adapter.ts';

/** Names that servers are given so that clients need not know the model. */
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

/**
 * The model that a path, a repository id or an option names. Folders are dropped, they tell about the submitter's machine;
 * `org/name` stays. Of a Hugging Face cache path the repository is taken. Null for a served alias or a shell variable.
 */
export function toModelName(text: string): string | null {
  const trimmed = text.trim().replace(/[/\\]+$/, '');
  const cached = /models--([^/\\]{1,100}?)--([^/\\]{1,200})/.exec(trimmed);
  if (cached !== null) return `${cached[1]}/${cached[2]}`;
  const parts = trimmed.split(/[/\\]/);
  const isRepository =
    parts.length === 2 &&
    /^[\w.-]+$/.test(parts[0] ?? '') &&
    !/^\.{0,2}$/.test(parts[0] ?? '') &&
    !/\.gguf$/i.test(trimmed);
  const name = isRepository ? trimmed : (parts.at(-1) ?? '');
  if (name === '' || name.length > 200 || /[$`<>{}*]|^%\w+%$/.test(name) || aliases.has(name.toLowerCase()))
    return null;
  return name;
}

/** A model, and the quantization that its name hints at. Aliases of a server name no model. */
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
