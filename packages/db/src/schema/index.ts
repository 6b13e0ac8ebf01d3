export * from './accounts.ts';
export * from './endpoints.ts';
export * from './idempotency.ts';
export * from './rate-limits.ts';
export * from './results.ts';
export * from './runs.ts';
export * from './submissions.ts';
export * from './webhooks.ts';
