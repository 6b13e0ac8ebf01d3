import type { AskedSearch } from '@inferboard/core/plans/capacity-search';
import type { LoadMode } from '@inferboard/core/subjects/load';

/** One workload under one load, as given by the caller. */
export interface PlanItem {
  scenario:
    | string
    | {
        name?: string;
        /** Text: a distribution. */
        input_tokens?: number | string;
        output_tokens?: number | string;
        dataset?: string;
        prefix?: { groups: number; tokens: number };
        turns?: number;
        /** Seconds; text: a distribution. */
        think_s?: number | string;
        mix?: { name?: string; input_tokens?: number; output_tokens?: number; weight?: number }[];
      };
  load: { mode: LoadMode; level: number; burstiness?: number; max_concurrency?: number };
  requests?: number;
  warmup?: number;
}

/** What the plan `capacity` searches, as given by the caller. */
export interface FindRequest {
  limits: string;
  scenario: PlanItem['scenario'];
  mode?: AskedSearch['mode'];
  from?: number;
  to?: number;
  points?: number;
  requests?: number;
}
