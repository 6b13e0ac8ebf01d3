import { z } from 'zod';
import type { KnownLoad } from '../subjects/load.ts';
import { type LatencyLimit, readLimits } from './latency-limits.ts';
import { type PlanScenario, turnsOf } from './made-up-prompts.ts';
import { levelMax, requestsMax } from './plan-schema.ts';
import { itemKey, pointTitle } from './point.ts';
import { type Omission, type OmittedPoint, type PlanLimits, tokensOfRequest } from './scale.ts';
import { NamedScenarioSchema, resolveWorkload } from './scenario-schema.ts';
import { limitsLengthMax, positive, reportTo, say, whole } from './schema-parts.ts';

/** Loads that a search may vary. */
export const searchModes = ['concurrency', 'rate'] as const;

/** A search for the highest load under latency limits, as requested. */
export interface AskedSearch {
  scenario: PlanScenario;
  limits: LatencyLimit[];
  mode: (typeof searchModes)[number];
  /** The load of the first point, and the highest load that may be measured. */
  first: number;
  highest: number;
  /** Maximum number of points. */
  pointsMax: number;
  /** Requests of a point near the limit; null: as many as its load needs. */
  requests: number | null;
}

/** A search with its budget, fixed when the run is created. */
export interface CapacitySearch extends AskedSearch {
  /** Warm-up requests of each point; null: as many as its load needs. */
  warmup: number | null;
  /** Maximum of all points together, with the warm-up. `durationS`: seconds of sending, without the warm-up. */
  budget: { requests: number; tokens: number | null; durationS: number | null };
}

/** Limits of a search that the caller omitted. */
export const searchDefaults = { first: 1, highest: 256, pointsMax: 20, requests: 20_000 } as const;
export const searchPointsMax = 60;
/** Requests, or conversations, of the shortest point. */
export const searchRequestsLeast = 16;

const FindShape = z.strictObject({
  limits: z.string(say('must be text, such as "ttft_p99<2000,tpot_p99<50"')),
  scenario: NamedScenarioSchema,
  mode: z.enum(searchModes, say(`must be one of ${searchModes.join(', ')}`)).nullish(),
  from: positive(levelMax).nullish(),
  to: positive(levelMax).nullish(),
  points: whole(2, searchPointsMax).nullish(),
  requests: whole(1, requestsMax).nullish(),
});

/** Field names of a search, for the hint of an unknown field. */
export const findFields = Object.keys(FindShape.shape);

/** Parses the limits; empty after a fault. */
function parseLimits(text: string, fault: (message: string) => void): LatencyLimit[] {
  try {
    return readLimits(text.slice(0, limitsLengthMax));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    fault(error.message);
    return [];
  }
}

/** Parses a search: `{limits, scenario, mode?, from?, to?, points?, requests?}`. */
export const FindSchema = FindShape.transform((written, context): AskedSearch => {
  const at = reportTo(context);
  const mode = written.mode ?? 'concurrency';
  const first = written.from ?? searchDefaults.first;
  const highest = written.to ?? Math.max(first, searchDefaults.highest);
  if (mode === 'concurrency')
    for (const [field, level] of Object.entries({ from: first, to: highest }))
      if (!Number.isInteger(level)) at(field, 'plan_inconsistent', 'must be a whole number', 'It counts users.');
  if (highest < first) at('to', 'plan_inconsistent', `must be at least ${first}, the value of from`, '');
  return {
    ...{ mode, first, highest, pointsMax: written.points ?? searchDefaults.pointsMax },
    limits: parseLimits(written.limits, (message) => at('limits', 'limits_unreadable', message, '')),
    scenario: resolveWorkload(written.scenario, { mode, level: first }, at),
    requests: written.requests ?? null,
  };
});

/** A search that fits its limits, or why it cannot start. */
export type BoundSearch = { search: CapacitySearch } | { omitted: OmittedPoint };

/**
 * Fixes the budget of a search. Lowers the highest load to the limit of concurrency. A rate has no limit of concurrency, so
 * under one it cannot start.
 */
export function boundSearch(asked: AskedSearch, warmup: number | null, limits: PlanLimits): BoundSearch {
  const { mode, first, scenario } = asked;
  const load: KnownLoad = { mode, level: first };
  const omit = (reason: Omission) => ({
    omitted: { key: itemKey({ scenario, load }), title: pointTitle({ scenario, load, repetition: 1 }), reason },
  });
  const { concurrency } = limits;
  if (concurrency !== null && (mode === 'rate' || first > concurrency)) return omit('above_concurrency');
  const requests = limits.requests ?? searchDefaults.requests;
  if (requests < searchRequestsLeast * turnsOf(scenario)) return omit('above_requests');
  if (limits.tokens !== null && limits.tokens < searchRequestsLeast * turnsOf(scenario) * tokensOfRequest({ scenario }))
    return omit('above_tokens');
  const highest = Math.min(asked.highest, concurrency ?? asked.highest);
  return {
    search: { ...asked, highest, warmup, budget: { requests, tokens: limits.tokens, durationS: limits.durationS } },
  };
}
