import type { LoadMode } from '@inferboard/core/load';

/** One workload under one load, as a caller wrote it. */
export interface PlanItem {
  scenario: string | { name?: string; input_tokens?: number; output_tokens?: number; dataset?: string };
  load: { mode: LoadMode; level: number; burstiness?: number; max_concurrency?: number };
  requests?: number;
  warmup?: number;
}
