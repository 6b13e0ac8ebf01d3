import {
  type CatalogueItem,
  type Concern,
  compareSystems,
  createClient,
  createConcern,
  createSubmission,
  getArtifact,
  getBest,
  getHistory,
  getLeaderboard,
  getMatrix,
  getPareto,
  getRun,
  getSubmission,
  getSubmissionSession,
  getSubmissionTimeline,
  getSystem,
  getSystemReport,
  getTrend,
  listCatalogue,
  listChanges,
  listQuality,
  listResults,
  listSubmissionConcerns,
  listSubmissions,
  listSystems,
  type Problem as Refusal,
  searchAll,
} from '@inferboard/api/client';
import { unrankedStatuses } from '@inferboard/core/subjects/result';
import { type Full, requestFull, type Submission } from '../features/submission/data/full-responses.ts';

export type {
  CatalogueItem,
  Change,
  Choice,
  ComparedSession,
  Concern,
  Evaluation,
  Finding,
  Found,
  History,
  HistoryValue,
  Load,
  Point,
  Result,
  Run,
  Scenario,
  Statistics,
  SubmittedResult,
  System,
  SystemDetail,
  WorkloadChoice,
} from '@inferboard/api/client';

export type {
  Best,
  Comparison,
  Entry,
  Leaderboard,
  Matrix,
  Submission,
  Trend,
} from '../features/submission/data/full-responses.ts';

export type CatalogueKind = 'scenarios' | 'models' | 'quantizations' | 'gpus' | 'engines';

/** Catalogue entries in use, by kind. */
export type UsedItems = Partial<Record<CatalogueKind, CatalogueItem[]>>;

/** An error of the API, or a substitute if the API does not respond. */
export type Problem = Omit<Refusal, 'type' | 'code' | 'request_id'> & { code: string; request_id?: string };

export type Answer<T> = { data: T; problem: null } | { data: null; problem: Problem };

const unreachable: Problem = {
  title: 'The API is not available',
  status: 503,
  detail: 'The page could not fetch its data. Try again in a few seconds.',
  code: 'api_unreachable',
};

function isProblem(value: unknown): value is Problem {
  return typeof value === 'object' && value !== null && 'code' in value && 'detail' in value && 'status' in value;
}

/** The client's result of a request; `error` is the body of an error response, or why there is no response. */
type Asked<T> = Promise<{ data?: T; error?: unknown; response?: Response }>;

/** The API's data or a problem. The data of a response without a body are undefined. */
export async function answer<T>(asked: Asked<T>): Promise<Answer<T>> {
  const { data, error, response } = await asked;
  if (data !== undefined) return { data, problem: null };
  if (isProblem(error)) return { data: null, problem: error };
  return { data: null, problem: { ...unreachable, status: response?.ok === false ? response.status : 503 } };
}

/** The full response to a query. */
const fullResponse = <T>(asked: Asked<T>) => answer(asked as Asked<Full<T>>);

/** A submission with all of its results. */
const fullSubmission = (asked: Asked<unknown>) => answer(asked as Asked<Submission>);

/** The result of a dry run. Stores nothing. */
export const dryRunOf = (client: ReturnType<typeof createClient>) => (artifact: Blob, given: Record<string, string>) =>
  fullSubmission(
    createSubmission({ client, body: artifact, query: { ...given, ...requestFull, dry_run: 'true' } as never }),
  );

/** Maximum number of concerns on a submission's page; its data include all of them. */
const concernsShown = 10;

/** Results that are not on boards; the pages of submissions and systems show them with a label. */
const unranked = [...unrankedStatuses];

export type Api = ReturnType<typeof createApi>;

/** The API client of the pages. It returns errors as results, and each page decides how to show them. */
export function createApi(fetch: typeof globalThis.fetch, apiUrl: string) {
  const client = createClient({ baseUrl: apiUrl, fetch });
  return {
    /** Forwards the query unchanged: the API validates it and reports every error. */
    getLeaderboard: (query: Record<string, string[]>) =>
      // The query's type allows only valid values; invalid ones must reach the API for its error and hint.
      fullResponse(getLeaderboard({ client, query: { ...query, ...requestFull } as never })),
    /** A question in words or in parameters, unchanged. */
    getBest: (query: Record<string, string[]>) =>
      fullResponse(getBest({ client, query: { ...query, ...requestFull } as never })),
    /** Includes results held back from the boards, which the page labels. */
    getSystem: (id: string) => answer(getSystem({ client, path: { id }, query: { include: unranked } })),
    /** Two to six systems, the first of them the baseline; the API rejects other numbers with an error. */
    compareSystems: (query: Record<string, string[]>) =>
      fullResponse(compareSystems({ client, query: { ...query, ...requestFull } as never })),
    /** A metric of a system over the versions of its engine. */
    getHistory: (query: Record<string, string[]>) => answer(getHistory({ client, query: query as never })),
    /** The best figures of each day by one metric. */
    getTrend: (query: Record<string, string[]>) =>
      fullResponse(getTrend({ client, query: { ...query, ...requestFull } as never })),
    /** Improvements, regressions and new first places, newest first. */
    listChanges: (query: Record<string, string[]>) => answer(listChanges({ client, query: query as never })),
    getMatrix: (query: Record<string, string[]>) =>
      fullResponse(getMatrix({ client, query: { ...query, ...requestFull } as never })),
    /** The same with short cells. */
    getShortMatrix: (query: Record<string, string[]>) => answer(getMatrix({ client, query: query as never })),
    /** Points of one workload by two metrics. */
    getPareto: (query: Record<string, string[]>) =>
      fullResponse(getPareto({ client, query: { ...query, ...requestFull } as never })),
    /** The same with only the model and one more fact of the system of each point. */
    getParetoSystems: (query: Record<string, string[]>, fact: string) =>
      fullResponse(
        getPareto({ client, query: { ...query, fields: `system.id,system.model,system.${fact}` } as never }),
      ),
    /** Evaluation results. */
    listQuality: (query: Record<string, string[]>) => answer(listQuality({ client, query: query as never })),
    /** All matches of a text, by kind. */
    search: (q: string) => answer(searchAll({ client, query: { q } })),
    listSystems: (query: Record<string, string[]>) => answer(listSystems({ client, query: query as never })),
    /** The submitter's notes on a submission; null without any. */
    getNotes: async (id: string) => (await answer(getSubmission({ client, path: { id } }))).data?.notes ?? null,
    /** All known entries of a kind, and other values in use. */
    listCatalogue: (kind: CatalogueKind | 'metrics' | 'tools' | 'workloads') =>
      answer(listCatalogue({ client, path: { kind } })),
    /** Operators' additions to the catalogue of the release. */
    listAdditions: () => answer(listCatalogue({ client, path: { kind: 'additions' } })),
    /** Only accepted results. The limit is forwarded unchanged: the API validates it. */
    getSystemReport: (id: string, ttftLimitS: string | null) =>
      answer(
        getSystemReport({
          client,
          path: { id },
          query: ttftLimitS === null ? {} : { ttft_limit_s: ttftLimitS as never },
        }),
      ),
    dryRun: dryRunOf(client),
    /** The bytes of a stored artifact. */
    getArtifact: (id: string) => answer(getArtifact({ client, path: { id }, parseAs: 'blob' }) as Asked<Blob>), // the generated type allows any binary data
    getRun: (id: string) => answer(getRun({ client, path: { id } })),
    getSubmission: (id: string) => fullSubmission(getSubmission({ client, path: { id }, query: requestFull })),
    /** Submissions, newest first. The query is forwarded unchanged: the API validates it. */
    listSubmissions: (query: Record<string, string[]>) => answer(listSubmissions({ client, query: query as never })),
    /** The systems of the newest results of a submission, at most `limit` results. */
    async listSystemsOfSubmission(submission: string, limit: number) {
      const query = { submission: [submission], limit, include: unranked, fields: 'system' };
      const { data } = await fullResponse(listResults({ client, query: query as never }));
      return data?.data.map(({ system }) => system) ?? [];
    },
    /** The comparison of the two servers of a session; null if the submission has none. */
    getSession: async (id: string) => (await answer(getSubmissionSession({ client, path: { id } }))).data,
    /** The results of a submission over time; null if its artifact has no readings of the server. */
    getTimeline: async (id: string) =>
      (await answer(getSubmissionTimeline({ client, path: { id } }))).data?.timeline ?? null,
    /** The newest decided concerns of readers about a submission, and whether there are more. */
    async listConcerns(id: string): Promise<{ concerns: Concern[]; isCut: boolean }> {
      const { data } = await answer(listSubmissionConcerns({ client, path: { id }, query: { limit: concernsShown } }));
      return { concerns: data?.data ?? [], isCut: (data?.next_cursor ?? null) !== null };
    },
    /** Reports a problem. The text is forwarded unchanged: the API validates it and reports every error. */
    reportConcern: (id: string, body: { reason: string; text: string }) =>
      // The body's type allows only valid values; invalid ones must reach the API for its error and hint.
      answer(createConcern({ client, path: { id }, body: body as never })),
    listResultsOfSystem: (system: string) =>
      fullResponse(listResults({ client, query: { ...requestFull, system: [system], limit: 200, include: unranked } })),
    /** Entries that ranked points use, most used first in each kind. */
    async listUsed(): Promise<UsedItems> {
      const { data } = await answer(listCatalogue({ client, path: { kind: 'used' } }));
      return Object.fromEntries(Map.groupBy(data?.data ?? [], ({ kind }) => String(kind)));
    },
  };
}
