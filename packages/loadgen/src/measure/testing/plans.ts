import type { LoadPlan } from '../plan.ts';
import type { LoadRecord, Outcome } from '../records/load-record.ts';

/** A request for `tokens` output tokens, as its JSON text. */
export function bodyOf(tokens: number, rest: object = {}): string {
  return JSON.stringify({
    model: 'fake-model',
    messages: [{ role: 'user', content: 'Say something.' }],
    max_tokens: tokens,
    stream: true,
    stream_options: { include_usage: true },
    ...rest,
  });
}

export const usualLimits = { duration_ms: null, outputTokens: null, request_timeout_ms: 20_000, stall_ms: 10_000 };

/** `requests` of 12 tokens, eight at a time, to a server on this machine. */
export function planFor(port: number, requests: number, over: Partial<LoadPlan> = {}): LoadPlan {
  return {
    connect: { host: 'localhost', port, address: '127.0.0.1', tls: false },
    path: '/v1/chat/completions',
    headers: {},
    bodies: Array.from({ length: requests }, () => bodyOf(12)),
    pace: { mode: 'closed', concurrency: 8 },
    warmsUp: false,
    ...over,
    limits: { ...usualLimits, ...over.limits },
  };
}

export function countOutcomes({ requests }: LoadRecord): Partial<Record<Outcome, number>> {
  const counts: Partial<Record<Outcome, number>> = {};
  for (const { outcome } of requests) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}
