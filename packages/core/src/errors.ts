/** One error in a client's request. All errors are reported at once. */
export interface Fault {
  code: string;
  message: string;
  /** How to fix it. */
  hint?: string;
  /** Location: a JSON pointer, a query parameter's name, or a line of the artifact (1-based). */
  pointer?: string;
  parameter?: string;
  line?: number;
}

/** Closed list of request errors, independent of HTTP. One table in the API maps each code to a status. */
export const errorCodes = [
  'request_invalid',
  'body_empty',
  'body_too_large',
  'media_type_unsupported',
  'artifact_unreadable',
  'tool_unrecognised',
  'facts_missing',
  'facts_contradict',
  'name_refused',
  'signature_invalid',
  'results_too_many',
  'key_missing',
  'key_unknown',
  'key_in_query',
  'scope_missing',
  'not_yours',
  'not_found',
  'method_not_allowed',
  'idempotency_key_reused',
  'request_running',
  'account_name_taken',
  'keys_too_many',
  'signing_keys_too_many',
  'signing_key_revoked',
  'endpoints_too_many',
  'endpoint_name_taken',
  'endpoint_unproven',
  'target_budget_spent',
  'target_busy',
  'plan_empty',
  'runs_too_many',
  'schedules_too_many',
  'webhooks_too_many',
  'event_id_invalid',
  'streams_too_many',
  'bodies_too_many',
  'submission_already_retracted',
  'already_submitted',
  'nothing_to_review',
  'concern_already_open',
  'concern_already_decided',
  'entry_conflicts',
  'entry_in_use',
  'artifact_reads_differently',
  'query_not_understood',
  'rate_limited',
  'precondition_failed',
  'range_not_satisfiable',
  'database_unavailable',
  'artifact_unavailable',
  'timeout',
  'internal',
] as const;
export type ErrorCode = (typeof errorCodes)[number];

/** An error with all faults of the request. */
export class DomainError extends Error {
  readonly code: ErrorCode;
  readonly faults: Fault[];
  /** Whole seconds until a retry makes sense; null if a retry does not help. */
  readonly retryAfterS: number | null;

  constructor(code: ErrorCode, detail: string, faults: Fault[] = [], retryAfterS: number | null = null) {
    super(detail);
    this.name = 'DomainError';
    this.code = code;
    this.faults = faults;
    this.retryAfterS = retryAfterS;
  }
}
