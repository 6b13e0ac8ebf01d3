import type { AppType } from '@inferboard/api/client';
import type { ClientResponse, InferResponseType } from 'hono/client';
import { hc } from 'hono/client';

type Client = ReturnType<typeof hc<AppType>>['v1'];

export type Leaderboard = InferResponseType<Client['leaderboard']['$get'], 200>;
export type Entry = Leaderboard['data'][number];
export type Statistics = Omit<Entry['statistics'], 'assumed' | 'runs'>;
export type SystemDetail = InferResponseType<Client['systems'][':id']['$get'], 200>;
export type Point = SystemDetail['points'][number];
export type System = Entry['system'];
export type Scenario = Entry['scenario'];
export type Load = Entry['load'];
export type Submission = InferResponseType<Client['submissions'][':id']['$get'], 200>;
export type ResultPage = InferResponseType<Client['results']['$get'], 200>;
export type Result = ResultPage['data'][number];
export type Finding = Result['findings'][number];
export type CatalogueItem = InferResponseType<Client['catalogue'][':kind']['$get'], 200>['data'][number];
export type CatalogueKind = 'scenarios' | 'models' | 'quantizations' | 'gpus' | 'engines';

/** A refusal of the API, or what stands in for one where the API does not answer at all. */
export interface Problem {
  title: string;
  status: number;
  detail: string;
  code: string;
  request_id?: string;
  errors?: { code: string; message: string; hint?: string; parameter?: string; pointer?: string; line?: number }[];
}

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

async function answer<T>(ask: () => Promise<ClientResponse<unknown>>): Promise<Answer<T>> {
  try {
    const response = await ask();
    const body: unknown = await response.json();
    // The shape is the route's own output type: both ends are one program.
    if (response.ok) return { data: body as T, problem: null };
    return { data: null, problem: isProblem(body) ? body : { ...unreachable, status: response.status } };
  } catch {
    return { data: null, problem: unreachable };
  }
}

const heldBack = ['quarantined', 'retracted'];

export type Api = ReturnType<typeof createApi>;

/** What the pages ask of the API. Refusals are answers too: a page decides how to show them. */
export function createApi(fetch: typeof globalThis.fetch, apiUrl: string) {
  const { v1 } = hc<AppType>(apiUrl, { fetch });
  return {
    /** Takes the query as it came: the API judges it, and names every fault. */
    getLeaderboard: (query: Record<string, string[]>) =>
      // The route's query type is of validated names; unknown ones must reach it to be refused with a hint.
      answer<Leaderboard>(() => v1.leaderboard.$get({ query: query as never })),
    /** With what is held back from the boards: its page shows it, labelled. */
    getSystem: (id: string) =>
      answer<SystemDetail>(() => v1.systems[':id'].$get({ param: { id }, query: { include: heldBack } })),
    getSubmission: (id: string) => answer<Submission>(() => v1.submissions[':id'].$get({ param: { id }, query: {} })),
    listResultsOfSystem: (system: string) =>
      answer<ResultPage>(() => v1.results.$get({ query: { system, limit: '200', include: heldBack } })),
    /** Entries that some ranked point uses. */
    async listUsed(kind: CatalogueKind): Promise<CatalogueItem[]> {
      const { data } = await answer<{ data: CatalogueItem[] }>(() =>
        v1.catalogue[':kind'].$get({ param: { kind }, query: {} }),
      );
      return data === null ? [] : data.data.filter((item) => (item.points ?? 0) > 0);
    },
  };
}
