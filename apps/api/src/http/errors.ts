import { errorCodes, type Fault } from '@inferboard/core/errors';

/** Errors in bytes that never become a request of a route. These codes are specific to HTTP and unknown to core. */
export const wireCodes = [
  'request_malformed',
  'address_unreadable',
  'request_slow',
  'expectation_unknown',
  'head_too_large',
] as const;

/** Every code that a problem document may have. */
export const problemCodes = [...errorCodes, ...wireCodes] as const;
export type ProblemCode = (typeof problemCodes)[number];

/** The only mapping from error codes to HTTP statuses. `title` is the same for every occurrence. */
const problems: Record<ProblemCode, { status: number; title: string }> = {
  request_malformed: { status: 400, title: 'Malformed HTTP request' },
  address_unreadable: { status: 400, title: 'Invalid URL or Host header' },
  request_slow: { status: 408, title: 'Request timeout' },
  expectation_unknown: { status: 417, title: 'Unsupported Expect header' },
  head_too_large: { status: 431, title: 'Request headers too large' },
  request_invalid: { status: 422, title: 'Invalid request' },
  body_empty: { status: 422, title: 'The body is empty' },
  body_too_large: { status: 413, title: 'The body is too large' },
  media_type_unsupported: { status: 415, title: 'Unsupported content type' },
  artifact_unreadable: { status: 422, title: 'The artifact cannot be parsed' },
  tool_unrecognised: { status: 422, title: 'Unknown artifact format' },
  facts_missing: { status: 422, title: 'Required facts are missing' },
  facts_contradict: { status: 422, title: 'The request contradicts the artifact' },
  name_refused: { status: 422, title: 'A name is not allowed' },
  signature_invalid: { status: 422, title: 'Invalid signature' },
  results_too_many: { status: 422, title: 'The artifact has too many results' },
  query_not_understood: { status: 422, title: 'The question was not understood' },
  key_missing: { status: 401, title: 'Key required' },
  key_unknown: { status: 401, title: 'Invalid key' },
  key_in_query: { status: 400, title: 'Keys are not allowed in URLs' },
  scope_missing: { status: 403, title: 'The key does not allow this' },
  not_yours: { status: 403, title: 'Owned by another account' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  idempotency_key_reused: { status: 422, title: 'The idempotency key was used for another request' },
  request_running: { status: 409, title: 'The request is still running' },
  account_name_taken: { status: 409, title: 'The account name is taken' },
  keys_too_many: { status: 409, title: 'Too many keys' },
  signing_keys_too_many: { status: 409, title: 'Too many signing keys' },
  signing_key_revoked: { status: 409, title: 'The signing key is revoked' },
  endpoints_too_many: { status: 409, title: 'Too many endpoints' },
  endpoint_name_taken: { status: 409, title: 'The account already has an endpoint with this name' },
  endpoint_unproven: { status: 409, title: 'The proof of control was not found' },
  target_budget_spent: { status: 429, title: 'The daily request limit of the server is reached' },
  target_busy: { status: 429, title: 'The concurrency limit of the server is reached' },
  plan_empty: { status: 409, title: 'No point of the plan can be measured now' },
  runs_too_many: { status: 409, title: 'Too many open runs' },
  schedules_too_many: { status: 409, title: 'Too many schedules' },
  webhooks_too_many: { status: 409, title: 'Too many webhooks' },
  event_id_invalid: { status: 400, title: 'Invalid Last-Event-ID' },
  bodies_too_many: { status: 503, title: 'Too many request bodies in progress' },
  streams_too_many: { status: 503, title: 'Too many open streams' },
  already_submitted: { status: 409, title: 'The account has already submitted this artifact' },
  submission_already_retracted: { status: 409, title: 'The submission is already retracted' },
  nothing_to_review: { status: 409, title: 'Nothing to review' },
  concern_already_open: { status: 409, title: 'You already have an open concern about the submission' },
  concern_already_decided: { status: 409, title: 'The concern is already decided' },
  entry_conflicts: { status: 409, title: 'The entry conflicts with the catalogue' },
  entry_in_use: { status: 409, title: 'The entry is in use' },
  artifact_reads_differently: { status: 409, title: 'The artifact now gives different results' },
  rate_limited: { status: 429, title: 'Too many requests' },
  precondition_failed: { status: 412, title: 'The resource has changed' },
  range_not_satisfiable: { status: 416, title: 'Range not satisfiable' },
  database_unavailable: { status: 503, title: 'Database unavailable' },
  artifact_unavailable: { status: 503, title: 'Artifact store unavailable' },
  timeout: { status: 504, title: 'The request took too long' },
  internal: { status: 500, title: 'Internal error' },
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
  /** Where a refused text can be tried again, and the format that any figures can be written in. */
  links?: { read: string; native: string };
}

/** The content of a refusal; a DomainError is one. */
export interface Refusal {
  code: ProblemCode;
  message: string;
  faults: Fault[];
}

/** Refusals about the content of an artifact: the submit page shows its lines. */
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
    ...(ofTheText.has(code) ? { links: { read: `${baseUrl}/submit#paste`, native: `${baseUrl}/docs/native` } } : {}),
  };
}

/** Every code with its status and title, for the documentation. */
export const errorTable = problemCodes.map((code) => ({ code, ...problems[code] }));

/** Refusals that any request may get: "400 `request_malformed`, ..." */
export const wireRefusals = wireCodes.map((code) => `${problems[code].status} \`${code}\``).join(', ');
