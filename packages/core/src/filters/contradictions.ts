import type { Fault } from '../errors.ts';
import { metricNames } from '../metrics/index.ts';
import { boundNames } from './parameters.ts';

/** The parameters that limit one figure. */
interface Range {
  /** The parameter that lists single values; null for metrics. */
  exact: string | null;
  min: readonly string[];
  max: readonly string[];
}

const factRange = (exact: string): Range => ({ exact, min: [`min_${exact}`], max: [`max_${exact}`] });

const namesOf = (metric: string, side: 'min' | 'max') =>
  boundNames.filter(({ bound }) => bound.metric === metric && bound.side === side).map(({ parameter }) => parameter);

const ranges: readonly Range[] = [
  ...['gpu_count', 'gpu_power_limit_w', 'load_level'].map(factRange),
  ...metricNames.map((name) => ({ exact: null, min: namesOf(name, 'min'), max: namesOf(name, 'max') })),
];

type Given = Readonly<Record<string, readonly string[]>>;

/** The numbers given for some parameters. The schema rejects texts that are not numbers. */
const numbersOf = (given: Given, names: readonly string[]) =>
  names.flatMap((name) =>
    (given[name] ?? []).map((text) => ({
      name,
      said: `${name}=${text}`,
      value: text === '' ? Number.NaN : Number(text),
    })),
  );

const contradiction = (parameter: string, first: string, second: string): Fault => ({
  code: 'bounds_contradict',
  parameter,
  message: `No result can meet both ${first} and ${second}.`,
  hint: 'Change or remove one of them.',
});

function faultsOfRange(given: Given, { exact, min, max }: Range): Fault[] {
  const [lower, upper] = [numbersOf(given, min), numbersOf(given, max)];
  const listed = exact === null ? [] : numbersOf(given, [exact]);
  const all = listed.map(({ said }) => said).join(' or ');
  const missedBy = (isMissed: (value: number) => boolean) =>
    listed.length > 0 && listed.every((one) => isMissed(one.value));
  return [
    ...upper.flatMap(({ name, said, value }) => {
      const above = lower.find((one) => one.value > value);
      return above === undefined ? [] : [contradiction(name, above.said, said)];
    }),
    ...lower
      .filter((limit) => missedBy((value) => value < limit.value))
      .map(({ name, said }) => contradiction(name, all, said)),
    ...upper
      .filter((limit) => missedBy((value) => value > limit.value))
      .map(({ name, said }) => contradiction(name, all, said)),
  ];
}

/** `until` excludes its own time. */
function faultsOfTimes(given: Given): Fault[] {
  const [[since], [until]] = [given.since ?? [], given.until ?? []];
  if (since === undefined || until === undefined) return [];
  const isEmpty = since === until || Date.parse(since) > Date.parse(until);
  return isEmpty ? [contradiction('until', `since=${since}`, `until=${until}`)] : [];
}

/**
 * Errors for bounds that exclude one another, such as a minimum above the maximum: no result can meet both, so an empty list
 * would hide the mistake.
 *
 * @param given parameters as written; values that the schema rejects contradict nothing
 */
export const contradictions = (given: Given): Fault[] => [
  ...ranges.flatMap((range) => faultsOfRange(given, range)),
  ...faultsOfTimes(given),
];
