import type { Api, Problem } from '../../../lib/api.ts';
import { formatPlural, formatTime } from '../../../lib/format.ts';
import { toPath, toQuery } from '../../../lib/parameters.ts';
import { hardwareText, quantizationText, systemTitle } from '../../../lib/words.ts';
import type { Parameter } from '../../board/data/board-query.ts';
import { type PublishedSource, publishedSource } from '../../system/data/published-source.ts';

/** One submission in the list. */
export interface SubmissionRow {
  id: string;
  href: string;
  /** "vllm bench serve 0.11.0" */
  tool: string;
  results: string;
  /** What was measured: the first systems by name. */
  systems: string[];
  /** "and others", or of which results the systems are; null if these are all. */
  more: string | null;
  isRetracted: boolean;
  account: string;
  source: PublishedSource | null;
  /** "measured by this service", "signed" */
  labels: string[];
  when: string;
}

export interface SubmissionList {
  problem: Problem | null;
  rows: SubmissionRow[];
  apiPath: string;
  /** The older submissions; null on the last page. */
  olderHref: string | null;
  newestHref: string | null;
}

const rowsShown = 25;
/** Results whose systems are read for each submission, and systems that are named. */
const [resultsRead, systemsNamed] = [6, 2];

/** Submissions, newest first. `account` and `cursor` are from the URL. */
export async function readSubmissionList(api: Api, given: URLSearchParams): Promise<SubmissionList> {
  const has = (name: string) => (given.get(name) ?? '') !== '';
  const filters = ['account', 'status'].filter(has).map((name): Parameter => [name, given.get(name) ?? '']);
  const cursor = has('cursor') ? [['cursor', given.get('cursor') ?? ''] as Parameter] : [];
  const asked: Parameter[] = [...filters, ...cursor, ['limit', String(rowsShown)]];
  const { data, problem } = await api.listSubmissions(toQuery(asked));
  const next = data?.next_cursor ?? null;
  const systems = await Promise.all(data?.data.map(({ id }) => api.listSystemsOfSubmission(id, resultsRead)) ?? []);
  return {
    problem,
    rows: (data?.data ?? []).map((one, at): SubmissionRow => {
      const names = [...new Set((systems[at] ?? []).map(systemText))];
      return {
        id: one.id,
        href: `/submissions/${one.id}`,
        tool: [one.tool.name, one.tool.version].filter((part) => part !== null).join(' '),
        results: formatPlural(one.result_count, 'result'),
        systems: names.slice(0, systemsNamed),
        more: moreText(names, one.result_count),
        isRetracted: one.status === 'retracted',
        account: one.account.name,
        source: publishedSource(one.source),
        labels: [...(one.measured_by === null ? [] : ['measured by this service']), ...(one.signed ? ['signed'] : [])],
        when: formatTime(one.created_at),
      };
    }),
    apiPath: toPath('/v1/submissions', asked),
    olderHref: next === null ? null : toPath('/submissions', [...filters, ['cursor', next]]),
    newestHref: cursor.length === 0 ? null : toPath('/submissions', filters),
  };
}

function moreText(names: readonly string[], results: number): string | null {
  if (names.length > systemsNamed) return 'and others';
  return results > resultsRead ? `in the first ${resultsRead} results` : null;
}

type System = Awaited<ReturnType<Api['listSystemsOfSubmission']>>[number];

const systemText = (system: System): string =>
  [systemTitle(system), quantizationText(system), hardwareText(system)].filter((part) => part !== null).join(' · ');
