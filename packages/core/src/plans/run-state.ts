/**
 * Where a managed run stands: `pending` waits, `claimed` is prepared by a worker, `running` is measured, `completed` has
 * all points measured, `processed` has its results stored. `failed` and `canceled` keep the points that were measured.
 */
export const runStates = ['pending', 'claimed', 'running', 'completed', 'processed', 'failed', 'canceled'] as const;
export type RunState = (typeof runStates)[number];

/** States that a run stays in. */
export const endStates = ['processed', 'failed', 'canceled'] as const satisfies readonly RunState[];
export type EndState = (typeof endStates)[number];

export const isEnded = (state: RunState): state is EndState => endStates.some((end) => end === state);
