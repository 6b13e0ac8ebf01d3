/** Failure codes of runs; a closed list. */
export type FailureCode =
  | 'endpoint_removed'
  | 'endpoint_refused'
  | 'endpoint_unreachable'
  | 'endpoint_failing'
  | 'endpoint_busy'
  | 'credential_unreadable'
  | 'prompts_uncounted'
  | 'budget_used_up'
  | 'scenario_not_runnable'
  | 'results_rejected'
  | 'worker_lost'
  | 'run_crashed';

/**
 * Why a run cannot continue, in a message for its owner. Never contains resolved addresses, and at most the start of the
 * server's error message.
 */
export class RunFailure extends Error {
  override readonly name = 'RunFailure';
  readonly code: FailureCode;
  /** True if a later retry may succeed. */
  readonly isPassing: boolean;

  constructor(code: FailureCode, message: string, options: { isPassing?: boolean } = {}) {
    super(message);
    this.code = code;
    this.isPassing = options.isPassing ?? false;
  }
}
