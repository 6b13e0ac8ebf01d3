import type { Result } from '../../../lib/api.ts';
import { formatCount } from '../../../lib/format.ts';

type Recorded = NonNullable<Result['recorded']>;

const detectedTitles: Record<string, string> = {
  model_revision: 'Model revision',
  weights_sha256: 'SHA-256 of the weights',
  container_image: 'Container image',
  gpu_name: 'GPU',
  gpu_count: 'Number of GPUs',
  gpu_driver: 'GPU driver',
};

/** The facts of a result by title, in the order of the table. */
function factsOf({ detected, ...recorded }: Recorded): [title: string, value: string | null, isCode: boolean][] {
  return [
    ...Object.entries(detectedTitles).map(([name, title]): [string, string | null, boolean] => [
      title,
      detected[name] === undefined ? null : String(detected[name]),
      name !== 'gpu_name' && name !== 'gpu_count',
    ]),
    ['Seed of the prompts', recorded.seed === null ? null : String(recorded.seed), true],
    ['Salt of the prompts', recorded.salt, true],
    ['SHA-256 of the request bodies', recorded.bodies_sha256, true],
  ];
}

export interface RecordedFact {
  title: string;
  /** True for hashes and identifiers. */
  isCode: boolean;
  /** Different values, each with its first result; of a count, the sum. */
  values: { text: string; href: string; name: string }[];
  /** Further different values, which are not shown. */
  more: number;
}

const valuesMax = 4;

/** The sum of a count over all results that have it. */
function sumOf(title: string, counts: readonly (number | null | undefined)[]): RecordedFact[] {
  const known = counts.filter((count) => count != null);
  if (known.length === 0) return [];
  const sum = known.reduce((total, count) => total + count, 0);
  return [{ title, isCode: false, values: [{ text: formatCount(sum), href: '', name: '' }], more: 0 }];
}

/** What the generator recorded about the results of a submission, without duplicates. */
export function toRecordedFacts(results: readonly Result[], nameOf: (result: Result) => string): RecordedFact[] {
  const all = results.flatMap((result) =>
    result.recorded === null
      ? []
      : factsOf(result.recorded).flatMap(([title, text, isCode]) =>
          text === null ? [] : [{ title, text, isCode, result }],
        ),
  );
  const facts = [...Map.groupBy(all, ({ title }) => title)].map(([title, same]) => {
    const different = [...Map.groupBy(same, ({ text }) => text).values()].flatMap(([first]) => first ?? []);
    const values = different.slice(0, valuesMax).map(({ text, result }) => ({
      ...{ text, href: `#${result.id}`, name: nameOf(result) },
    }));
    return { title, isCode: same[0]?.isCode ?? false, values, more: different.length - values.length };
  });
  const recorded = results.map((result) => result.recorded);
  return [
    ...facts,
    ...sumOf(
      'Requests sent twice',
      recorded.map((one) => one?.requests_retried),
    ),
    ...sumOf(
      'Readings of the server',
      recorded.map((one) => one?.observed_samples),
    ),
  ];
}

/** Whether an artifact has readings of the server. */
export const isWatched = (results: readonly Result[]): boolean =>
  results.some(({ recorded }) => (recorded?.observed_samples ?? 0) > 0);
