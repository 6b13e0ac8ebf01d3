import { nearest } from '@inferboard/core/text/nearest';

/** An error of `parseArgs` with the fix: the closest option, or how its value is given. */
export function optionWords(message: string, names: readonly string[]): string {
  const dashed = /^Option '(--[\w-]+)[^']*' argument is ambiguous/.exec(message)?.[1];
  if (dashed !== undefined) return `${dashed} requires a value. Write ${dashed}=VALUE if the value begins with a dash.`;
  const empty = /^Option '.*?(--[\w-]+) <value>' argument missing/.exec(message)?.[1];
  if (empty !== undefined) return `${empty} requires a value.`;
  const [, unknown, name = ''] = /^Unknown option '(--?([^']+))'/.exec(message) ?? [];
  if (unknown === undefined) return `${message.replace(/\.$/, '')}.`;
  const closest = nearest(name, names);
  return `${unknown} is not an option.${closest === null ? '' : ` Closest: --${closest}.`}`;
}
