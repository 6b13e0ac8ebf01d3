import { type ParseArgsConfig, parseArgs } from 'node:util';
import { nearest } from '@inferboard/core/text/nearest';
import { isHttp, withScheme } from './words/http-url.ts';

type Options = NonNullable<ParseArgsConfig['options']>;

/** What is wrong with an unknown option, and what to write instead. `written` has its dashes. */
function unknownWords(name: string, written: string, names: readonly string[], instead: Instead): string {
  const advice = instead.get(name) ?? null;
  const closest = advice === null ? nearest(name, names) : null;
  const fix = advice ?? (closest === null ? null : `Closest: --${closest}.`);
  return `${written} is not an option.${fix === null ? '' : ` ${fix}`}`;
}

/** What to write instead of options that the command does not have, by their names. */
type Instead = ReadonlyMap<string, string>;

/**
 * What is wrong with a command line that `parseArgs` rejects with `message`, with the fix: every unknown option, or the
 * first option whose value is missing.
 */
export function optionWords(
  message: string,
  args: readonly string[],
  options: Options,
  instead: Instead = new Map(),
): string {
  const dashed = /^Option '(--[\w-]+)[^']*' argument is ambiguous/.exec(message)?.[1];
  if (dashed !== undefined) return `${dashed} requires a value. Write ${dashed}=VALUE if the value begins with a dash.`;
  const empty = /^Option '.*?(--[\w-]+) <value>' argument missing/.exec(message)?.[1];
  if (empty !== undefined) return `${empty} requires a value.`;
  const word = /^Unexpected argument '([^']*)'/.exec(message)?.[1] ?? '';
  const address = isHttp(word) ? word : /[.:]/.test(word) ? withScheme(word) : null;
  if (address !== null && 'url' in options) return `Write --url ${address}.`;
  if (!message.startsWith('Unknown option ')) return `${message.replace(/\.$/, '')}.`;
  // Without `strict`, all unknown options are found. Their values look like other arguments, so these are not reported.
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true });
  const names = Object.keys(options);
  // "-c32" is one argument with three tokens. Only the first one is reported.
  const places = tokens.map(({ index }) => index);
  const unknown = tokens.flatMap((token, at) =>
    token.kind === 'option' && !names.includes(token.name) && token.index !== places[at - 1]
      ? [unknownWords(token.name, token.rawName, names, instead)]
      : [],
  );
  return [...new Set(unknown)].join('\n');
}
