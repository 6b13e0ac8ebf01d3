import type { EndpointFacts, EndpointRow } from '@inferboard/db/runs/endpoint';
import { unprovenLimits } from '@inferboard/db/runs/target-budget';
import { instant } from '../views.ts';
import { proofUrlOf } from './ask-endpoint.ts';

export const viewFacts = (facts: EndpointFacts) => ({
  gpu: facts.gpu ?? null,
  gpu_count: facts.gpu_count ?? null,
  gpu_power_limit_w: facts.gpu_power_limit_w ?? null,
  quantization: facts.quantization ?? null,
  engine: facts.engine ?? null,
  engine_version: facts.engine_version ?? null,
  tensor_parallel: facts.tensor_parallel ?? null,
});

export function viewEndpoint(row: EndpointRow, publicUrl: string) {
  const { facts, verifiedBy, verifiedAt } = row;
  return {
    id: row.id,
    name: row.name,
    base_url: row.baseUrl,
    metrics_url: row.metricsUrl,
    model: row.model,
    facts: viewFacts(facts),
    has_api_key: row.hasCredential,
    verified: verifiedBy === null || verifiedAt === null ? null : { by: verifiedBy, at: instant(verifiedAt) },
    proof: { url: proofUrlOf(row.baseUrl), token: row.proofToken },
    budget: { requests_per_day: row.requestsPerDay, tokens_per_day: row.tokensPerDay },
    limits: verifiedBy === null ? unprovenLimits : null,
    created_at: instant(row.createdAt),
    links: { self: `${publicUrl}/v1/endpoints/${row.id}` },
  };
}
