import { formatLoad } from '@inferboard/core/load';
import { readStatedQueues, type StatedQueue } from '@inferboard/core/report/stated-queues';
import { ttftLimitDefaultS } from '@inferboard/core/report/thresholds';
import type { Api, Problem, Result, SystemDetail } from './api.ts';
import { type FindingGroup, groupFindings, passedRules } from './finding-view.ts';
import { scenariosOf } from './report-charts.ts';
import { type Report, scenarioKey } from './report-figures.ts';
import { toHeadline } from './report-headline.ts';
import { runsByFigure, toRawTable, toSources } from './report-raw.ts';
import { toScenarioCards } from './report-scenarios.ts';
import { toReportSections } from './report-view.ts';
import { toOtherCharts } from './system-charts.ts';
import { isBriefAtFirst, scenarioTitle, toSections } from './system-view.ts';

const limitName = 'ttft_limit_s';
const statisticsName = 'statistics';
const all = 'all';

/** What the address of a report asks for. */
export interface ReportQuery {
  /** As it was written; null for the usual limit. */
  limit: string | null;
  /** Whose every statistic is shown: `all`, or the anchor of one scenario's section; null for means and p99 alone. */
  statistics: string | null;
  /** Where the address is written shorter: defaults and empty fields are left out. Null where it is as short as can be. */
  canonical: string | null;
  /** Parameters that nobody knows. */
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

/** The address of a view of a system's page; what is usual is not in it. */
export function reportHref(path: string, { limit, statistics }: Pick<ReportQuery, 'limit' | 'statistics'>): string {
  const query = new URLSearchParams();
  if (limit !== null) query.set(limitName, limit);
  if (statistics !== null) query.set(statisticsName, statistics);
  return query.size === 0 ? path : `${path}?${query}`;
}

/** More submissions than these are not asked for their notes. */
const notedMax = 3;

/** The safe queues that the senders of a report's results state at its limit. */
async function readStated(api: Api, report: Report | null, results: readonly Result[]): Promise<StatedQueue[]> {
  const ids = [...new Set(results.flatMap(({ submission_id }) => submission_id ?? []))];
  if (report === null || report.burst === null || ids.length > notedMax) return [];
  const notes = await Promise.all(ids.map((id) => api.getNotes(id)));
  const stated = notes.flatMap((text) => readStatedQueues(text ?? ''));
  return stated.filter(({ limitS }) => limitS === report.ttft_limit_s);
}

/** Everything a system's page is made from, asked for at once. */
export async function fetchReport(api: Api, id: string, limit: string | null) {
  const [system, report, page] = await Promise.all([
    api.getSystem(id),
    api.getSystemReport(id, limit),
    api.listResultsOfSystem(id),
  ]);
  // A limit that the API refuses is said so, above the report at the usual one.
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

/** Of one kind, so many are told in words. */
const toldOfKind = 3;

/** A finding that many points share in other numbers is told a few times; how many more there are is counted. */
function foldFindings(groups: readonly FindingGroup[]): { findings: FindingGroup[]; untold: number } {
  const kinds = Map.groupBy(groups, ({ finding }) => `${finding.severity} ${finding.code}`);
  const findings = groups.filter((group) => {
    const kind = kinds.get(`${group.finding.severity} ${group.finding.code}`) ?? [];
    return kind.indexOf(group) < toldOfKind;
  });
  return { findings, untold: groups.length - findings.length };
}

/** Figures in the tables of one page when all statistics are asked for: with more it would weigh too much. */
const cellsMax = 2000;

/** The sections of the points, with every statistic of those that are asked for, and the address that shows it of the others. */
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
    /** Empty where no serving result counts: a kernel, or results that are all held back. */
    headline: sections.length === 0 ? [] : toHeadline(report),
    said: report.findings.filter(({ section }) => section === 'headline'),
    cards: toScenarioCards(report, scenarios, placeOf),
    others: toOtherCharts(system),
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
