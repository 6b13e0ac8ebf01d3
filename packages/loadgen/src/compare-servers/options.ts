import type { ReportedSystem } from '../points/native-report.ts';

/** What each option is, for `--help`. */
export const againstOptions = {
  against: 'base URL of a second server (B), measured in alternating blocks with the same prompts',
  'against-facts': 'facts in which B differs, such as engine-version=0.12.0,quantization=fp8,model=NAME',
  'against-key-env': "name of the environment variable with B's credential",
} as const;

/** The second server of a session. */
export interface AgainstOptions {
  url: string;
  /** Name of the model at B; null: that of --model, or the first that B lists. */
  model: string | null;
  facts: Partial<Omit<ReportedSystem, 'model'>>;
  apiKeyEnv: string | null;
}

/** Blocks on each server, if --repetitions does not say. */
export const blocksUsual = 16;

type Fact = keyof AgainstOptions['facts'];

const textFacts: Record<string, Fact> = {
  quantization: 'quantization',
  gpu: 'gpu',
  engine: 'engine',
  'engine-version': 'engineVersion',
};
const numberFacts: Record<string, Fact> = {
  'gpu-count': 'gpuCount',
  'gpu-power-limit-w': 'gpuPowerLimitW',
  'tensor-parallel': 'tensorParallel',
};

/** The option that states a fact of the second server: `--against-facts engine-version`. */
export function optionOfFact(fact: Fact, against: AgainstOptions['facts'] | null): string {
  const names = { ...textFacts, ...numberFacts };
  const name = Object.keys(names).find((one) => names[one] === fact) ?? fact;
  return against?.[fact] === undefined ? `--${name}` : `--against-facts ${name}`;
}

function readFact(part: string, into: AgainstOptions): string | null {
  const [name = '', ...rest] = part.split('=');
  const value = rest.join('=').trim();
  const [text, number] = [textFacts[name.trim()], numberFacts[name.trim()]];
  const known = ['model', ...Object.keys(textFacts), ...Object.keys(numberFacts)].join(', ');
  if (value === '' || (text === undefined && number === undefined && name.trim() !== 'model'))
    return `--against-facts: "${part}" is not NAME=VALUE. Names: ${known}.`;
  if (number !== undefined && !(Number(value) > 0)) return `--against-facts: ${name} must be a number above 0.`;
  if (text !== undefined) Object.assign(into.facts, { [text]: value });
  else if (number !== undefined) Object.assign(into.facts, { [number]: Number(value) });
  else into.model = value;
  return null;
}

type Given = Partial<Record<keyof typeof againstOptions | 'find' | 'until', string>>;

/** Reads the options, and adds to `faults` what is wrong with them. Null without a second server. */
export function readAgainst(given: Given, faults: string[]): AgainstOptions | null {
  if (given.against === undefined) {
    for (const name of ['against-facts', 'against-key-env'] as const)
      if (given[name] !== undefined) faults.push(`--${name} needs --against.`);
    return null;
  }
  if (!/^https?:$/.test(URL.parse(given.against)?.protocol ?? ''))
    faults.push('--against must be an http or https URL');
  for (const other of ['find', 'until'] as const)
    if (given[other] !== undefined) faults.push(`--against measures blocks of equal size. Remove --${other}.`);
  const read: AgainstOptions = {
    ...{ url: given.against, model: null, facts: {} },
    apiKeyEnv: given['against-key-env'] ?? null,
  };
  const parts = given['against-facts']?.split(',') ?? [];
  faults.push(...parts.map((part) => readFact(part, read)).filter((fault) => fault !== null));
  return read;
}
