import type { DomainError, ErrorCode, Fault } from '@inferboard/core/errors';

/** The one place that knows which status a refusal has. `title` is the same for every occurrence. */
const problems: Record<ErrorCode, { status: number; title: string }> = {
  request_invalid: { status: 422, title: 'The request is not valid' },
  body_empty: { status: 422, title: 'The body is empty' },
  body_too_large: { status: 413, title: 'The body is too large' },
  media_type_unsupported: { status: 415, title: 'The body is of the wrong kind' },
  artifact_unreadable: { status: 422, title: 'The artifact cannot be read' },
  tool_unrecognised: { status: 422, title: 'No known tool wrote this' },
  facts_missing: { status: 422, title: 'Required facts are missing' },
  facts_contradict: { status: 422, title: 'Request and artifact contradict each other' },
  results_too_many: { status: 422, title: 'The artifact holds too many results' },
  query_not_understood: { status: 422, title: 'The question is not understood' },
  price_needed: { status: 422, title: 'A price is needed' },
  key_missing: { status: 401, title: 'A key is needed' },
  key_unknown: { status: 401, title: 'The key is not valid' },
  key_in_query: { status: 400, title: 'Keys do not belong into addresses' },
  scope_missing: { status: 403, title: 'The key may not do this' },
  not_found: { status: 404, title: 'There is no such thing' },
  method_not_allowed: { status: 405, title: 'The method is not allowed here' },
  idempotency_key_reused: { status: 422, title: 'The idempotency key belongs to another request' },
  request_running: { status: 409, title: 'The request is still running' },
  account_name_taken: { status: 409, title: 'The account name is taken' },
  keys_too_many: { status: 409, title: 'The account has as many keys as it may' },
  submission_already_retracted: { status: 409, title: 'The submission is retracted already' },
  nothing_to_review: { status: 409, title: 'Nothing waits for review' },
  artifact_reads_differently: { status: 409, title: 'The artifact reads differently today' },
  rate_limited: { status: 429, title: 'Too many requests' },
  precondition_failed: { status: 412, title: 'It has changed since it was read' },
  range_not_satisfiable: { status: 416, title: 'There are no such bytes' },
  database_unavailable: { status: 503, title: 'The database does not answer' },
  timeout: { status: 504, title: 'The request took too long' },
  internal: { status: 500, title: 'Something went wrong on our side' },
};

export const problemType = 'application/problem+json';

export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  request_id: string;
  errors?: Fault[];
}

/** A refusal as the problem document of RFC 9457. */
export function toProblem(error: DomainError, requestId: string, baseUrl: string): Problem {
  const { status, title } = problems[error.code];
  return {
    type: `${baseUrl}/docs/errors#${error.code}`,
    title,
    status,
    detail: error.message,
    code: error.code,
    request_id: requestId,
    ...(error.faults.length > 0 ? { errors: error.faults } : {}),
  };
}

/** Every code with its status and title, for the documentation. */
export const errorTable = Object.entries(problems).map(([code, { status, title }]) => ({ code, status, title }));
