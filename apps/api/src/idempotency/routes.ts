/** Routes that store their response in the transaction that does the work. */
const own = new Set(['/v1/submissions', '/v1/runs', '/v1/submissions/{id}/concerns']);

/** Whether a POST route stores the responses of requests with an idempotency key itself. */
export const keepsItsAnswer = (route: string): boolean => own.has(route);
