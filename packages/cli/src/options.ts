import { parseArgs } from 'node:util';
import { optionWords } from '@inferboard/loadgen/cli/option-words';
import { noGpuFaults } from '@inferboard/loadgen/cli/words/no-gpu-faults';
import { type Fact, type Facts, facts, flagOf } from './facts.ts';
import { exitCodes, Failure } from './world.ts';

/** A flag with a value, or without one. */
export type Flag = 'text' | 'switch';

/** Flags of every command. */
const common = { url: 'text', json: 'switch', help: 'switch' } as const satisfies Record<string, Flag>;

export interface Options {
  url: string | undefined;
  json: boolean;
  help: boolean;
  words: string[];
  facts: Facts;
  /** A command's own flags that take a value. */
  texts: Partial<Record<string, string>>;
  /** Those that take none, where they were given. */
  switches: ReadonlySet<string>;
}

/** Reads a command's line. @throws Failure on an unknown flag, one without its value, or a GPU that names no device */
export function readOptions(
  args: readonly string[],
  own: Readonly<Record<string, Flag>> = {},
  hasFacts = false,
): Options {
  const names = hasFacts ? (Object.keys(facts) as Fact[]) : [];
  const flags: Record<string, Flag> = { ...common, ...own };
  for (const name of names) flags[flagOf(name)] = 'text';
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, flag]) => [name, { type: flag === 'text' ? 'string' : 'boolean' } as const]),
  );
  let values: Record<string, string | boolean | undefined>;
  let words: string[];
  try {
    const parsed = parseArgs({ args: [...args], options, allowPositionals: true, tokens: true });
    ({ values, positionals: words } = parsed);
    const given = parsed.tokens.flatMap((token) =>
      token.kind === 'option' && token.value !== undefined ? [token.name] : [],
    );
    const repeated = given.find((name, at) => given.indexOf(name) < at);
    if (repeated !== undefined) throw new Failure(exitCodes.usage, `--${repeated} was given twice. Give one value.`);
  } catch (error) {
    if (error instanceof Failure) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new Failure(exitCodes.usage, optionWords(message, args, options));
  }
  const texts = Object.fromEntries(Object.entries(values).filter(([, value]) => typeof value === 'string')) as Partial<
    Record<string, string>
  >;
  const switches = new Set(Object.keys(values).filter((name) => values[name] === true));
  const [noGpu] = noGpuFaults(hasFacts ? texts.gpu : undefined);
  if (noGpu !== undefined) throw new Failure(exitCodes.usage, noGpu);
  const given = names.flatMap((name) => {
    const value = texts[flagOf(name)];
    return value === undefined ? [] : [[name, value]];
  });
  return {
    url: texts.url,
    json: switches.has('json'),
    help: switches.has('help'),
    words,
    facts: Object.fromEntries(given),
    texts,
    switches,
  };
}
