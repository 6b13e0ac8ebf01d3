import { errorCodes, type Fault } from '@inferboard/core/errors';

/** What may be wrong with bytes that never become a request of a route: matters of HTTP alone, of which core knows nothing. */
export const wireCodes = [
  'request_malformed',
  'address_unreadable',
  'request_slow',
  'expectation_unknown',
  'head_too_large',
] as const;

/** Every code that a problem document may carry. */
export const problemCodes = [...errorCodes, ...wireCodes] as const;
export type ProblemCode = (typeof problemCodes)[number];

/** The one place that knows which status a refusal has. `title` is the same for every occurrence. */
const problems: Record<ProblemCode, { status: number; title: string }> = {
  request_malformed: { status: 400, title: 'The request is not HTTP' },
  address_unreadable: { status: 400, title: 'The address or the Host header cannot be read' },
  request_slow: { status: 408, title: 'The request took too long to arrive' },
  expectation_unknown: { status: 417, title: 'Only 100-continue can be expected here' },
  head_too_large: { status: 431, title: 'The head of the request is too large' },
  request_invalid: { status: 422, title: 'The request is not valid' },
  body_empty: { status: 422, title: 'The body is empty' },
  body_too_large: { status: 413, title: 'The body is too large' },
  media_type_unsupported: { status: 415, title: 'The body is of the wrong kind' },
  artifact_unreadable: { status: 422, title: 'The artifact cannot be read' },
  tool_unrecognised: { status: 422, title: 'No known tool wrote this' },
  facts_missing: { status: 422, title: 'Required facts are missing' },
  facts_contradict: { status: 422, title: 'Request and artifact contradict each other' },
  name_refused: { status: 422, title: 'A name is refused' },
  results_too_many: { status: 422, title: 'The artifact holds too many results' },
  query_not_understood: { status: 422, title: 'The question is not understood' },
  key_missing: { status: 401, title: 'A key is needed' },
  key_unknown: { status: 401, title: 'The key is not valid' },
  key_in_query: { status: 400, title: 'Keys do not belong into addresses' },
  scope_missing: { status: 403, title: 'The key may not do this' },
  not_yours: { status: 403, title: 'It belongs to another account' },
  not_found: { status: 404, title: 'There is no such thing' },
  method_not_allowed: { status: 405, title: 'The method is not allowed here' },
  idempotency_key_reused: { status: 422, title: 'The idempotency key belongs to another request' },
  request_running: { status: 409, title: 'The request is still running' },
  account_name_taken: { status: 409, title: 'The account name is taken' },
  keys_too_many: { status: 409, title: 'The account has as many keys as it may' },
  endpoints_too_many: { status: 409, title: 'The account has as many endpoints as it may' },
  endpoint_name_taken: { status: 409, title: 'The account has an endpoint of this name' },
  endpoint_unproven: { status: 409, title: 'The proof of control was not found' },
  target_budget_spent: { status: 429, title: 'The server was asked as much as it may be today' },
  target_busy: { status: 429, title: 'The server is asked as much as it may be at a time' },
  plan_empty: { status: 409, title: 'Nothing of the plan may be measured now' },
  runs_too_many: { status: 409, title: 'The account has as many open runs as it may' },
  schedules_too_many: { status: 409, title: 'The account has as many schedules as it may' },
  webhooks_too_many: { status: 409, title: 'The account has as many webhooks as it may' },
  event_id_invalid: { status: 400, title: 'Last-Event-ID names no event of the run' },
  bodies_too_many: { status: 503, title: 'Too many bytes of request bodies are under way' },
  streams_too_many: { status: 503, title: 'As many streams as may be are open' },
  submission_already_retracted: { status: 409, title: 'The submission is retracted already' },
  nothing_to_review: { status: 409, title: 'Nothing waits for review' },
  concern_already_open: { status: 409, title: 'A concern of yours about it is open' },
  concern_already_decided: { status: 409, title: 'The concern is decided already' },
  entry_conflicts: { status: 409, title: 'The catalogue cannot take the entry' },
  entry_in_use: { status: 409, title: 'The entry is in use' },
  artifact_reads_differently: { status: 409, title: 'The artifact reads differently today' },
  rate_limited: { status: 429, title: 'Too many requests' },
  precondition_failed: { status: 412, title: 'It has changed since it was read' },
  range_not_satisfiable: { status: 416, title: 'There are no such bytes' },
  database_unavailable: { status: 503, title: 'The database does not answer' },
  artifact_unavailable: { status: 503, title: 'The store of artifacts does not answer' },
  timeout: { status: 504, title: 'The request took too long' },
  internal: { status: 500, title: 'Something went wrong on our side' },
};

export const problemType = 'application/problem+json';

export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: ProblemCode;
  request_id: string;
  errors?: Fault[];
  /** Where a text that was refused can be tried again. */
  links?: { read: string };
}

/** What a refusal is about; a DomainError is one. */
export interface Refusal {
  code: ProblemCode;
  message: string;
  faults: Fault[];
}

/** Refusals of what an artifact says: the submit page shows its lines. */
const ofTheText: ReadonlySet<ProblemCode> = new Set(['tool_unrecognised', 'artifact_unreadable']);

/** A refusal as the problem document of RFC 9457. */
export function toProblem({ code, message, faults }: Refusal, requestId: string, baseUrl: string): Problem {
  const { status, title } = problems[code];
  return {
    type: `${baseUrl}/docs/errors#${code}`,
    title,
    status,
    detail: message,
    code,
    request_id: requestId,
    ...(faults.length > 0 ? { errors: faults } : {}),
    ...(ofTheText.has(code) ? { links: { read: `${baseUrl}/submit#paste` } } : {}),
  };
}

/** Every code with its status and title, for the documentation. */
export const errorTable = problemCodes.map((code) => ({ code, ...problems[code] }));

/** Refusals that may meet any request, whatever it asks: "400 `request_malformed`, ..." */
export const wireRefusals = wireCodes.map((code) => `${problems[code].status} \`${code}\``).join(', ');
