import { type Resumed, resumeSession } from '../records/resume.ts';
import { takeResume } from './options.ts';
import { OptionsError } from './options-error.ts';

/** The command line, and the session that it resumes; null for a new one. */
export interface Started {
  args: readonly string[];
  resumed: Resumed | null;
}

const hidden = '[redacted]';

/** A value of `--header`, by its name; null on another word. */
const headerNameOf = (text: string) => /^\s*([^:\s]+)\s*:/.exec(text)?.[1]?.toLowerCase() ?? null;

/** The positions of the values of `--header`, as separate words or after a `=`. */
function headersIn(args: readonly string[]): { at: number; words: number; text: string }[] {
  return args.flatMap((word, at) => {
    if (word.startsWith('--header=')) return [{ at, words: 1, text: word.slice('--header='.length) }];
    const next = args[at + 1];
    return word === '--header' && next !== undefined ? [{ at, words: 2, text: next }] : [];
  });
}

/** A command line without the values of its headers, for the journal. */
export function withoutSecrets(args: readonly string[]): string[] {
  const kept = [...args];
  for (const { at, words, text } of headersIn(args).toReversed())
    kept.splice(at, words, '--header', `${headerNameOf(text) ?? 'unnamed'}: ${hidden}`);
  return kept;
}

/** A command line of a journal with the headers that are given again. @throws OptionsError where one is missing */
function withHeadersOf(journalled: readonly string[], given: readonly string[]): string[] {
  const again = new Set(headersIn(given).map(({ text }) => headerNameOf(text)));
  const kept = [...journalled];
  const missing: string[] = [];
  for (const { at, words, text } of headersIn(journalled).toReversed()) {
    const name = headerNameOf(text);
    if (!again.has(name)) missing.unshift(`--header '${name}: VALUE'`);
    kept.splice(at, words);
  }
  if (missing.length > 0)
    throw new OptionsError(`The values of headers are not stored. Give them again: ${missing.join(' ')}`);
  return [...kept, ...given];
}

/** Reads how far a measurement came, where `--resume` asks for that. @throws OptionsError, RecordsError */
export function startOf(args: readonly string[]): Started {
  const taken = takeResume(args);
  if (taken === null) return { args, resumed: null };
  const resumed = resumeSession(taken.file);
  return { args: withHeadersOf(resumed.header.args, taken.rest), resumed };
}
