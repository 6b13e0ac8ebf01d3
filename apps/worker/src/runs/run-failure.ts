/** Why runs fail, closed list. */
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
  | 'run_crashed';

/**
 * Why a run cannot go on, in words for its owner: never how a name resolves, and of what the server said at most the
 * beginning of its error.
 */
export class RunFailure extends Error {
  override readonly name = 'RunFailure';
  readonly code: FailureCode;
  /** True where the same may succeed in a while. */
  readonly isPassing: boolean;

  constructor(code: FailureCode, message: string, options: { isPassing?: boolean } = {}) {
    super(message);
    this.code = code;
    this.isPassing = options.isPassing ?? false;
  }
}
