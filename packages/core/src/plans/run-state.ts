/**
 * State of a managed run. `pending`: in the queue; `claimed`: a worker prepares it; `running`: measuring; `completed`: all
 * points measured; `processed`: results stored. `failed` and `canceled` keep the measured points.
 */
export const runStates = ['pending', 'claimed', 'running', 'completed', 'processed', 'failed', 'canceled'] as const;
export type RunState = (typeof runStates)[number];

/** Final states. */
export const endStates = ['processed', 'failed', 'canceled'] as const satisfies readonly RunState[];
export type EndState = (typeof endStates)[number];

/** What a canceled run publishes. `measured`: also the requests of a point that the cancellation ended; `finished`: finished points only. */
export const publishChoices = ['measured', 'finished'] as const;
export type PublishChoice = (typeof publishChoices)[number];

export const isEnded = (state: RunState): state is EndState => endStates.some((end) => end === state);
