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
  getSystem,
  getSystemReport,
  listCatalogue,
  listChanges,
  listQuality,
  listResults,
  listSubmissionConcerns,
  listSystems,
  type Problem as Refusal,
  searchAll,
} from '@inferboard/api/client';
import { unrankedStatuses } from '@inferboard/core/result';
import { type Submission, type Whole, wholly } from './whole-answers.ts';

export type {
  CatalogueItem,
  Change,
  Choice,
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

export type { Best, Comparison, Entry, Leaderboard, Matrix, Submission } from './whole-answers.ts';

export type CatalogueKind = 'scenarios' | 'models' | 'quantizations' | 'gpus' | 'engines';

/** A refusal of the API, or what stands in for one where the API does not answer at all. */
export type Problem = Omit<Refusal, 'type' | 'code' | 'request_id'> & { code: string; request_id?: string };

export type Answer<T> = { data: T; problem: null } | { data: null; problem: Problem };

const unreachable: Problem = {
  title: 'The API does not answer',
  status: 503,
  detail: 'The page could not fetch its data. Try again in a few seconds.',
  code: 'api_unreachable',
};

function isProblem(value: unknown): value is Problem {
  return typeof value === 'object' && value !== null && 'code' in value && 'detail' in value && 'status' in value;
}

/** What the client makes of an answer; `error` is the body of a refusal, or why there is no answer. */
type Asked<T> = Promise<{ data?: T; error?: unknown; response?: Response }>;

async function answer<T>(asked: Asked<T>): Promise<Answer<T>> {
  const { data, error, response } = await asked;
  if (data !== undefined) return { data, problem: null };
  if (isProblem(error)) return { data: null, problem: error };
  return { data: null, problem: { ...unreachable, status: response?.ok === false ? response.status : 503 } };
}

/** The answer to a question that asks for the whole. */
const wholeAnswer = <T>(asked: Asked<T>) => answer(asked as Asked<Whole<T>>);

/** A submission with its results, however many they are. */
const wholeSubmission = (asked: Asked<unknown>) => answer(asked as Asked<Submission>);

/** Concerns that a submission's page shows; its data have all of them. */
const concernsShown = 10;

/** Everything that no board shows: the pages of submissions and systems do, labelled. */
const unranked = [...unrankedStatuses];

export type Api = ReturnType<typeof createApi>;

/** What the pages ask of the API. Refusals are answers too: a page decides how to show them. */
export function createApi(fetch: typeof globalThis.fetch, apiUrl: string) {
  const client = createClient({ baseUrl: apiUrl, fetch });
  return {
    /** Takes the query as it came: the API judges it, and names every fault. */
    getLeaderboard: (query: Record<string, string[]>) =>
      // The query's type is of valid values; others must reach the API to be refused with a hint.
      wholeAnswer(getLeaderboard({ client, query: { ...query, ...wholly } as never })),
    /** A question in words or in parameters, as it came. */
    getBest: (query: Record<string, string[]>) =>
      wholeAnswer(getBest({ client, query: { ...query, ...wholly } as never })),
    /** With what is held back from the boards: its page shows it, labelled. */
    getSystem: (id: string) => answer(getSystem({ client, path: { id }, query: { include: unranked } })),
    /** Two to six systems, the first of them the baseline; the API refuses other numbers, and says so. */
    compareSystems: (query: Record<string, string[]>) =>
      wholeAnswer(compareSystems({ client, query: { ...query, ...wholly } as never })),
    /** How a metric of a system moved over the versions of its engine. */
    getHistory: (query: Record<string, string[]>) => answer(getHistory({ client, query: query as never })),
    /** What got better or worse, and what took a first place, newest first. */
    listChanges: (query: Record<string, string[]>) => answer(listChanges({ client, query: query as never })),
    getMatrix: (query: Record<string, string[]>) =>
      wholeAnswer(getMatrix({ client, query: { ...query, ...wholly } as never })),
    /** Points of one workload by two figures. */
    getPareto: (query: Record<string, string[]>) =>
      wholeAnswer(getPareto({ client, query: { ...query, ...wholly } as never })),
    /** What evaluations found. */
    listQuality: (query: Record<string, string[]>) => answer(listQuality({ client, query: query as never })),
    /** Everything that a text may mean, by kind. */
    search: (q: string) => answer(searchAll({ client, query: { q } })),
    listSystems: (query: Record<string, string[]>) => answer(listSystems({ client, query: query as never })),
    /** What the sender of a submission wrote beside it; null if nothing. */
    getNotes: async (id: string) => (await answer(getSubmission({ client, path: { id } }))).data?.notes ?? null,
    /** Everything of a kind that is known, and what is in use besides. */
    listCatalogue: (kind: CatalogueKind | 'metrics' | 'tools' | 'workloads') =>
      answer(listCatalogue({ client, path: { kind } })),
    /** What operators added to the catalogue of the release. */
    listAdditions: () => answer(listCatalogue({ client, path: { kind: 'additions' } })),
    /** Accepted results alone. The limit goes as it came: the API judges it. */
    getSystemReport: (id: string, ttftLimitS: string | null) =>
      answer(
        getSystemReport({
          client,
          path: { id },
          query: ttftLimitS === null ? {} : { ttft_limit_s: ttftLimitS as never },
        }),
      ),
    /** What would become of an artifact. Stores nothing. */
    dryRun: (artifact: Blob, given: Record<string, string>) =>
      wholeSubmission(
        createSubmission({ client, body: artifact, query: { ...given, ...wholly, dry_run: 'true' } as never }),
      ),
    /** The bytes of a stored artifact. */
    getArtifact: (id: string) => answer(getArtifact({ client, path: { id }, parseAs: 'blob' }) as Asked<Blob>), // its type is that of any bytes
    getRun: (id: string) => answer(getRun({ client, path: { id } })),
    getSubmission: (id: string) => wholeSubmission(getSubmission({ client, path: { id }, query: wholly })),
    /** What readers found wrong with a submission and an admin has decided about: the newest, and whether there are more. */
    async listConcerns(id: string): Promise<{ concerns: Concern[]; isCut: boolean }> {
      const { data } = await answer(listSubmissionConcerns({ client, path: { id }, query: { limit: concernsShown } }));
      return { concerns: data?.data ?? [], isCut: (data?.next_cursor ?? null) !== null };
    },
    /** Reports a problem, as it was written: the API judges it, and names every fault. */
    reportConcern: (id: string, body: { reason: string; text: string }) =>
      // The body's type is of valid values; others must reach the API to be refused with a hint.
      answer(createConcern({ client, path: { id }, body: body as never })),
    listResultsOfSystem: (system: string) =>
      wholeAnswer(listResults({ client, query: { ...wholly, system: [system], limit: 200, include: unranked } })),
    /** Entries that some ranked point uses. */
    async listUsed(kind: CatalogueKind): Promise<CatalogueItem[]> {
      const { data } = await answer(listCatalogue({ client, path: { kind } }));
      return data === null ? [] : data.data.filter((item) => (item.points ?? 0) > 0);
    },
  };
}
