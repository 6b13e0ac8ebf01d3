import { formatDigits, formatWithUnit } from '@inferboard/core/format/figure';
import type { Verdict } from '@inferboard/core/series/change';
import { formatLoad } from '@inferboard/core/subjects/load';
import type { World } from '../world.ts';
import type { BuildVerdict, Compared } from './compare-results.ts';
import type { Context } from './context.ts';

/** What finds the comment again that a later build replaces. */
const mark = '<!-- inferboard -->';

const verdictWords: Record<Verdict, string> = {
  regression: '**regression**',
  improvement: 'improvement',
  stable: 'stable',
  insufficient_data: 'not enough data',
};

/** Text for a table cell, with the characters that would end the cell escaped. */
const cell = (text: string) => text.replaceAll('|', '\\|').replace(/\s+/g, ' ');

const figureText = ({ mean, n, isCounted }: Compared['fresh'], unit: string) =>
  `${formatWithUnit(mean, unit)} (n ${isCounted ? n : 'not stated'})`;

function rowOf({ point, metric, fresh, before, change }: Compared): string {
  const { unit } = metric.family;
  const percent =
    change.ratio === null ? '-' : `${change.ratio > 1 ? '+' : ''}${formatDigits((change.ratio - 1) * 100, 2)} %`;
  const [low, high] = change.interval ?? [];
  const interval =
    low === undefined || high === undefined ? '-' : `${formatDigits(low, 4)} to ${formatDigits(high, 4)}`;
  const cells = [
    `${point.label}, ${point.workload}, ${formatLoad(point.load as Parameters<typeof formatLoad>[0])}`,
    metric.name,
    figureText(before, unit),
    figureText(fresh, unit),
    percent,
    interval,
    verdictWords[change.verdict],
  ];
  return `| ${cells.map(cell).join(' | ')} |`;
}

/** What one build found. */
export interface Report {
  verdict: BuildVerdict;
  /** A submission's five lines each. */
  texts: readonly string[];
  compared: readonly Compared[];
  baseCommit: string | null;
}

/** The report as Markdown. */
export function toMarkdown({ verdict, texts, compared, baseCommit }: Report, { base, commit }: Context): string {
  const regressions = compared.filter(({ change }) => change.verdict === 'regression').length;
  const titles: Record<BuildVerdict, string> = {
    no_base: `No earlier results of ${base}`,
    regression: `${regressions} of ${compared.length} figures regressed compared with ${base}`,
    no_regression: `No regression compared with ${base}`,
    insufficient_data: `Not enough data to compare with ${base}`,
  };
  const head = [
    '| measured | metric | before | now | change | 95 % interval of the ratio | verdict |',
    '| --- | --- | ---: | ---: | ---: | --- | --- |',
  ];
  const reasons = new Set(compared.flatMap(({ change }) => change.reason ?? []));
  const table = [...head, ...compared.map(rowOf), '', ...[...reasons].map((reason) => `${reason}\n`)];
  const alike = compared.length > 0 ? table : ['No result in both has the same system, workload and load.', ''];
  return [
    mark,
    `### Inferboard: ${titles[verdict]}`,
    '',
    ...(baseCommit === null ? [] : [`${commit.slice(0, 12)} compared with ${baseCommit.slice(0, 12)}:`, '', ...alike]),
    ...texts.map((text) => `\`\`\`\n${text.trimEnd().replaceAll('```', "'''")}\n\`\`\``),
    '',
  ].join('\n');
}

/** Creates the comment on a pull request, or updates that of an earlier build. A failure is printed and does not fail the build. */
export async function comment(world: World, { repository, pullRequest }: Context, body: string): Promise<void> {
  const { GITHUB_TOKEN: token, GITHUB_API_URL: api = 'https://api.github.com' } = world.env;
  if (!token || pullRequest === null) return;
  const ask = async (path: string, method = 'GET', sent?: object): Promise<unknown> => {
    const response = await fetch(`${api}/repos/${repository}/issues/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, accept: 'application/vnd.github+json' },
      ...(sent && { body: JSON.stringify(sent) }),
      signal: AbortSignal.timeout(30_000),
    });
    if (!response.ok) throw new Error(`GitHub returned ${response.status}`);
    return response.json();
  };
  try {
    const written = (await ask(`${pullRequest}/comments?per_page=100`)) as { id: number; body: string }[];
    const own = written.find((one) => one.body.startsWith(mark));
    if (own === undefined) await ask(`${pullRequest}/comments`, 'POST', { body });
    else await ask(`comments/${own.id}`, 'PATCH', { body });
  } catch (error) {
    world.say(`The comment could not be written: ${error instanceof Error ? error.message : error}`);
  }
}
