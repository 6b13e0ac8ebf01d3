import { readStatedQueues, type StatedQueue } from '@inferboard/core/report/stated-queues';
import { ttftLimitDefaultS } from '@inferboard/core/report/thresholds';
import { formatLoad } from '@inferboard/core/subjects/load';
import type { Api, Problem, Result, SystemDetail } from '../../../lib/api.ts';
import { type FindingGroup, groupFindings, passedRules } from '../../submission/data/finding-view.ts';
import { toOtherCharts } from '../../system/data/system-charts.ts';
import { isBriefAtFirst, scenarioTitle, toSections } from '../../system/data/system-view.ts';
import { scenariosOf } from './report-charts.ts';
import { type Report, scenarioKey } from './report-figures.ts';
import { toHeadline } from './report-headline.ts';
import { runsByFigure, toRawTable, toSources } from './report-raw.ts';
import { toScenarioCards } from './report-scenarios.ts';
import { toReportSections } from './report-view.ts';

const limitName = 'ttft_limit_s';
const statisticsName = 'statistics';
const all = 'all';

/** The state of a report's URL. */
export interface ReportQuery {
  /** As submitted; null for the default limit. */
  limit: string | null;
  /** Section with all statistics: `all`, or the anchor of one scenario; null for only mean and p99. */
  statistics: string | null;
  /** The canonical URL, without defaults and empty fields; null if the URL is canonical. */
  canonical: string | null;
  /** Unknown parameters. */
  unknown: string[];
}

export function readReportQuery(url: URL): ReportQuery {
  const given = url.searchParams.get(limitName);
  const isUsual = given !== null && (given.trim() === '' || Number(given) === ttftLimitDefaultS);
  const limit = given === null || isUsual ? null : given;
  const asked = url.searchParams.get(statisticsName) ?? '';
  const statistics = asked === all || /^scenario-\d{1,3}$/.test(asked) ? asked : null;
  const unknown = [...new Set(url.searchParams.keys())].filter(
    (name) => name !== limitName && (name !== statisticsName || statistics === null),
  );
  return { limit, statistics, canonical: isUsual ? reportHref(url.pathname, { limit, statistics }) : null, unknown };
}

/** URL of a view of a system's page, without defaults. */
export function reportHref(path: string, { limit, statistics }: Pick<ReportQuery, 'limit' | 'statistics'>): string {
  const query = new URLSearchParams();
  if (limit !== null) query.set(limitName, limit);
  if (statistics !== null) query.set(statisticsName, statistics);
  return query.size === 0 ? path : `${path}?${query}`;
}

/** Id of a chart of the other loads. */
export const otherChartId = (mode: string, index: number) => `chart-${mode}-${index}`;

/** Maximum number of submissions whose notes are read. */
const notedMax = 3;

/** The safe queues that the submitters of a report's results state at its limit. */
async function readStated(api: Api, report: Report | null, results: readonly Result[]): Promise<StatedQueue[]> {
  const ids = [...new Set(results.flatMap(({ submission_id }) => submission_id ?? []))];
  if (report === null || report.burst === null || ids.length > notedMax) return [];
  const notes = await Promise.all(ids.map((id) => api.getNotes(id)));
  const stated = notes.flatMap((text) => readStatedQueues(text ?? ''));
  return stated.filter(({ limitS }) => limitS === report.ttft_limit_s);
}

/** Reads all data of a system's page in parallel. */
export async function fetchReport(api: Api, id: string, limit: string | null) {
  const [system, report, page] = await Promise.all([
    api.getSystem(id),
    api.getSystemReport(id, limit),
    api.listResultsOfSystem(id),
  ]);
  // If the API rejects the limit, the page shows the error above the report at the default limit.
  const isRefused = limit !== null && report.problem !== null && system.problem === null;
  const usual = isRefused ? await api.getSystemReport(id, null) : report;
  return {
    system: system.data,
    problem: system.problem ?? usual.problem,
    fault: isRefused ? report.problem : (null as Problem | null),
    report: usual.data,
    results: page.data?.data ?? [],
    stated: await readStated(api, usual.data, page.data?.data ?? []),
    isCut: page.data?.next_cursor != null,
  };
}

function findingPlace({ scenario, load, repetition }: Result): string {
  const run = repetition === null ? null : `run ${repetition}`;
  return [scenarioTitle(scenario), formatLoad(load), run].filter((part) => part !== null).join(' ');
}

/** Maximum number of findings of one kind that are listed. */
const statedOfKind = 3;

/** Shows a finding that many points share a few times, and counts the rest. */
function foldFindings(groups: readonly FindingGroup[]): { findings: FindingGroup[]; unlisted: number } {
  const kinds = Map.groupBy(groups, ({ finding }) => `${finding.severity} ${finding.code}`);
  const findings = groups.filter((group) => {
    const kind = kinds.get(`${group.finding.severity} ${group.finding.code}`) ?? [];
    return kind.indexOf(group) < statedOfKind;
  });
  return { findings, unlisted: groups.length - findings.length };
}

/** Maximum number of values in the tables of one page with all statistics, to limit its size. */
const cellsMax = 2000;

/** The sections of the points. The requested ones have all statistics, the others a link to theirs. */
function toStatedSections(system: SystemDetail, results: readonly Result[], statistics: string | null) {
  if (!isBriefAtFirst(system)) return toSections(system, results).map((section) => ({ ...section, isBrief: false }));
  const brief = toSections(system, results, true).map((section) => ({ ...section, isBrief: true }));
  if (statistics === null) return brief;
  let cells = 0;
  return toSections(system, results).map((section, at) => {
    const size = section.rows.length * section.columns.length;
    const isFull = statistics === all ? at === 0 || cells + size <= cellsMax : statistics === section.anchor;
    if (isFull) cells += size;
    return isFull ? { ...section, isBrief: false } : (brief[at] ?? { ...section, isBrief: true });
  });
}

/** All parts of a system's page. */
export function toReportPage(
  system: SystemDetail,
  report: Report,
  results: readonly Result[],
  statistics: string | null,
) {
  const scenarios = scenariosOf(report);
  const places = new Map(scenarios.map((scenario, index) => [scenarioKey(scenario), index]));
  const placeOf = (scenario: (typeof scenarios)[number]) => places.get(scenarioKey(scenario)) ?? places.size;
  const sections = toReportSections(report, { runsOf: runsByFigure(results), placeOf });
  const queues = (report.burst?.max_safe_queue ?? []).filter((queue) => queue !== null);
  return {
    placeOf,
    sections,
    queues,
    /** Empty without serving results: a kernel, or a system whose results are all held back. */
    headline: sections.length === 0 ? [] : toHeadline(report),
    said: report.findings.filter(({ section }) => section === 'headline'),
    cards: toScenarioCards(report, scenarios, placeOf),
    others: toOtherCharts(system),
    othersTitle: sections.length === 0 ? 'By load' : 'Other loads',
    points: toStatedSections(system, results, statistics),
    raw: toRawTable(results),
    sources: toSources(results),
    ...foldFindings(
      groupFindings(results, (result) => ({
        href: `/submissions/${result.submission_id}#${result.id}`,
        text: findingPlace(result),
      })),
    ),
    passed: passedRules(results),
  };
}
