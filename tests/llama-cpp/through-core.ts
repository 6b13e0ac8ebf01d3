import { measureLoad } from '../../packages/loadgen/src/measure/measure-load.ts';
import type { LoadPlan } from '../../packages/loadgen/src/measure/plan.ts';
import { type Endpoint, endpointPaths, requestBody } from '../../packages/loadgen/src/prompts/body.ts';
import type { MeasuredRequest } from './compare.ts';
import type { Load } from './loads.ts';

function paceOf({ mode, level, requests }: Load): LoadPlan['pace'] {
  if (mode === 'concurrency') return { mode: 'closed', concurrency: level };
  const gapMs = mode === 'rate' ? 1000 / level : 0;
  return {
    mode: 'open',
    due_ms: Float64Array.from({ length: requests }, (_, index) => index * gapMs),
    maxInFlight: null,
  };
}

/** Measures a load with the load generator's core. Responses have up to 15 tokens more than the load states. */
export async function measureThroughCore(port: number, endpoint: Endpoint, load: Load): Promise<MeasuredRequest[]> {
  const asked = { endpoint, dialect: 'llama.cpp' as const, model: 'tiny', forcing: 'ignore_eos' as const };
  const { requests } = await measureLoad({
    connect: { host: '127.0.0.1', address: '127.0.0.1', port, tls: false },
    path: endpointPaths[endpoint],
    headers: {},
    bodies: Array.from({ length: load.requests }, (_, index) => {
      const prompt = `${index} able also area away`;
      return JSON.stringify(requestBody({ ...asked, prompt, outputTokens: load.tokens + (index % 16) }));
    }),
    pace: paceOf(load),
    limits: { duration_ms: null, outputTokens: null, request_timeout_ms: 60_000, stall_ms: 30_000 },
  });
  return requests.map(({ outcome, outcome_detail, output_tokens, chunks_ms }) => ({
    error: outcome === 'ok' ? null : `${outcome} ${outcome_detail}`,
    tokens: output_tokens ?? -1,
    generationMs: (chunks_ms.at(-1) ?? 0) - (chunks_ms[0] ?? 0),
  }));
}
