import type { DomainError, Fault } from '@inferboard/core/errors';

/** The options of a command line, as far as they make a plan. */
export type GivenOptions = Readonly<Partial<Record<string, unknown>>>;

const loadOptions = ['concurrency', 'burst', 'rate'] as const;

/** The options that fields of a plan come from, by the end of the pointer. */
const optionsAt: readonly [ending: RegExp, option: string][] = [
  [/\/load\/burstiness$/, 'burstiness'],
  [/\/load\/max_concurrency$/, 'max-concurrency'],
  [/\/scenario\/input_tokens$/, 'input-tokens'],
  [/\/scenario\/output_tokens$/, 'output-tokens'],
  [/\/scenario(?:\/\w+)?$/, 'scenario'],
  [/\/requests$/, 'requests'],
  [/^\/repetitions$/, 'repetitions'],
  [/(?:^|\/)warmup$/, 'warmup'],
  [/^\/seed$/, 'seed'],
  [/^\/limits\/duration_s$/, 'duration-s'],
  [/^\/plan$/, 'plan'],
];

/** The levels of the loads, in the order of the plan. */
const levelsOf = (given: GivenOptions) =>
  loadOptions.flatMap((option) => {
    const levels = given[option];
    return typeof levels === 'string' ? levels.split(',').map((level) => ({ option, level })) : [];
  });

/** The option that a field of the plan comes from, and its value; null if there is none. */
function optionAt(pointer: string, given: GivenOptions): { option: string; value: unknown } | null {
  const [, item, isLoad] = /^\/plan\/(\d+)(\/load(?:\/(?:level|mode))?)?$/.exec(pointer) ?? [];
  if (item !== undefined) {
    const load = levelsOf(given)[Number(item)];
    return load === undefined ? null : { option: load.option, value: isLoad === undefined ? undefined : load.level };
  }
  const option = optionsAt.find(([ending]) => ending.test(pointer))?.[1];
  return option === undefined ? null : { option, value: given[option] };
}

/** Fields of a plan in a hint, as options. */
const withOptions = (hint: string) =>
  hint.replace(/\b(input_tokens|output_tokens|repetitions)\b/g, (field) => `--${field.replace('_', '-')}`);

/** The search of a plan is an option of the command. */
const searchInstead =
  'The plan capacity is for managed runs. Use --find with the limits, such as --find "ttft_p99<2000,tpot_p99<50".';

function describeFault({ pointer = '', message: stated, hint }: Fault, given: GivenOptions): string {
  if (pointer === '/find') return searchInstead;
  const found = optionAt(pointer, given);
  if (found === null) return [stated, hint].join(' ').trim();
  const { option, value } = found;
  // Of the names, capacity is for managed runs, and a list is JSON.
  const message = option === 'plan' ? stated.replace(/, capacity, or a list\b/, '') : stated;
  const again = /^\/plan\/\d+ has the same workload and load/.test(message);
  if (again) return `--${option} has a level more than once. Use --repetitions instead.`;
  const isValue = typeof value === 'string' && /\bmust be\b/.test(message);
  const isUnnamed = option === 'scenario' && given.scenario === undefined;
  const named = message.replaceAll(pointer, isUnnamed ? 'The workload' : `--${option}`);
  return [isValue ? named.replace(/\.$/, `, not "${value}".`) : named, withOptions(hint ?? '')].join(' ').trim();
}

/** The faults of a plan, with the options that it was made from in place of its fields. */
export const describePlanFaults = ({ message, faults }: DomainError, given: GivenOptions): string => {
  const lines = new Set(faults.map((fault) => describeFault(fault, given)));
  return lines.size === 0 ? message : [...lines].join('\n');
};
