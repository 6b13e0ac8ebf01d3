import {
  addToCatalogue,
  approveEndpoint,
  cancelRun,
  checkEndpoint,
  claimSubmission,
  createAccount,
  createClient,
  createEndpoint,
  createKey,
  createRun,
  createSchedule,
  createSession,
  createSubmission,
  createWebhook,
  decideConcern,
  endSession,
  getEndpoint,
  getMe,
  getRegistration,
  listCatalogueAdditions,
  listConcerns,
  listEndpoints,
  listHeldNames,
  listKeys,
  listRuns,
  listSchedules,
  listSigningKeys,
  listSubmissions,
  listWaitingAccounts,
  listWaitingEndpoints,
  listWebhookDeliveries,
  listWebhooks,
  proveEndpoint,
  redeliverMessage,
  removeEndpoint,
  removeFromCatalogue,
  removeSchedule,
  removeWebhook,
  reviewHeldName,
  reviewSubmission,
  revokeKey,
  revokeSigningKey,
  testWebhook,
  vouchAccount,
} from '@inferboard/api/client';
import { answer, dryRunOf } from '../lib/api.ts';

export type AccountApi = ReturnType<typeof createAccountApi>;

/** Maximum number of entries in a list of a page. */
export const listMax = 20;

/** The account pages' client of the API. Uses an API key or a session token; anonymous without either. */
export function createAccountApi(fetch: typeof globalThis.fetch, apiUrl: string, token: string | null) {
  const headers = token === null ? {} : { authorization: `Bearer ${token}` };
  const client = createClient({ baseUrl: apiUrl, fetch, headers });
  const query = { limit: listMax };
  // Bodies are forwarded unchanged: the API validates them and reports every error.
  return {
    getRegistration: () => answer(getRegistration({ client })),
    getMe: () => answer(getMe({ client })),
    createAccount: (name: string) => answer(createAccount({ client, body: { name } as never })),
    /** Creates a session from the request's API key or from a sign-in link, which is valid once. */
    startSession: (link?: string) =>
      answer(createSession({ client, body: (link === undefined ? {} : { link }) as never })),
    endSession: () => answer(endSession({ client })),
    listKeys: () => answer(listKeys({ client })),
    createKey: (body: object) => answer(createKey({ client, body: body as never })),
    revokeKey: (id: string) => answer(revokeKey({ client, path: { id } })),
    listSigningKeys: () => answer(listSigningKeys({ client })),
    revokeSigningKey: (id: string) => answer(revokeSigningKey({ client, path: { id } })),
    /** Its statuses are those that the account's submission would get. */
    dryRun: dryRunOf(client),
    submit: (artifact: Blob, given: Record<string, string>) =>
      answer(createSubmission({ client, body: artifact, query: given as never })),
    listSubmissions: (account: string) => answer(listSubmissions({ client, query: { ...query, account } })),
    listEndpoints: () => answer(listEndpoints({ client })),
    createEndpoint: (body: object) => answer(createEndpoint({ client, body: body as never })),
    getEndpoint: (id: string) => answer(getEndpoint({ client, path: { id } })),
    checkEndpoint: (id: string) => answer(checkEndpoint({ client, path: { id } })),
    proveEndpoint: (id: string) => answer(proveEndpoint({ client, path: { id } })),
    removeEndpoint: (id: string) => answer(removeEndpoint({ client, path: { id } })),
    createRun: (body: object) => answer(createRun({ client, body: body as never })),
    cancelRun: (id: string) => answer(cancelRun({ client, path: { id } })),
    listRuns: () => answer(listRuns({ client, query })),
    createSchedule: (body: object) => answer(createSchedule({ client, body: body as never })),
    listSchedules: () => answer(listSchedules({ client })),
    removeSchedule: (id: string) => answer(removeSchedule({ client, path: { id } })),
    createWebhook: (body: object) => answer(createWebhook({ client, body: body as never })),
    testWebhook: (id: string) => answer(testWebhook({ client, path: { id } })),
    removeWebhook: (id: string) => answer(removeWebhook({ client, path: { id } })),
    listWebhooks: () => answer(listWebhooks({ client })),
    listDeliveries: (id: string) => answer(listWebhookDeliveries({ client, path: { id }, query })),
    redeliver: (id: string) => answer(redeliverMessage({ client, path: { id } })),
    claim: (id: string, claim: string) =>
      answer(claimSubmission({ client, path: { id }, body: { token: claim } as never })),

    listHeldNames: () => answer(listHeldNames({ client })),
    reviewHeldName: (body: object) => answer(reviewHeldName({ client, body: body as never })),
    listHeldSubmissions: () => answer(listSubmissions({ client, query: { ...query, status: 'quarantined' } })),
    reviewSubmission: (id: string, body: object) =>
      answer(reviewSubmission({ client, path: { id }, body: body as never })),
    listOpenConcerns: () => answer(listConcerns({ client, query: { ...query, state: 'open' } })),
    decideConcern: (id: string, body: object) => answer(decideConcern({ client, path: { id }, body: body as never })),
    listWaitingAccounts: () => answer(listWaitingAccounts({ client })),
    vouch: (id: string) => answer(vouchAccount({ client, path: { id }, body: {} as never })),
    listWaitingEndpoints: () => answer(listWaitingEndpoints({ client })),
    approveEndpoint: (id: string) => answer(approveEndpoint({ client, path: { id } })),
    listAdditions: () => answer(listCatalogueAdditions({ client })),
    addToCatalogue: (body: object) => answer(addToCatalogue({ client, body: body as never })),
    removeAddition: (id: string) => answer(removeFromCatalogue({ client, path: { id } })),
  };
}
