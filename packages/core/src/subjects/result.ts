import type { Definitions, Metrics, Ranges, Repeats, ResultKind, Tolerance } from '../adapters/adapter.ts';
import type { Finding } from '../checks/check.ts';
import type { MetricName } from '../metrics/index.ts';
import type { Limits, Records } from '../records.ts';
import type { Load } from './load.ts';
import type { MeasuredLengths, Scenario } from './scenario.ts';
import type { Source } from './source.ts';
import type { System } from './system.ts';

/** Origin of a result. `imported` results were published elsewhere and name their source. */
export const origins = ['submitted', 'managed', 'imported'] as const;
export type Origin = (typeof origins)[number];

/** Trust levels of a result, strongest first. */
export const trustLevels = ['managed', 'replicated', 'recomputed', 'imported', 'self_reported'] as const;
export type Trust = (typeof trustLevels)[number];

/** Returns the initial origin of a result with this trust. Only we mark a result `managed`. */
export function originOf(trust: Trust): Origin {
  if (trust === 'managed' || trust === 'imported') return trust;
  return 'submitted';
}

/**
 * Only `accepted` results rank. The others stay available under their link, with the reason.
 *
 * - `provisional`: sent by an account that is not established yet
 * - `simulated`: measured on the fake endpoint
 * - `not_repetitions`: rows of one artifact that differ too much to be repetitions of one point
 * - `quarantined`: held until an admin reviews it
 * - `retracted`: withdrawn
 */
export const resultStatuses = [
  'accepted',
  'provisional',
  'simulated',
  'not_repetitions',
  'quarantined',
  'retracted',
] as const;
export type ResultStatus = (typeof resultStatuses)[number];

/** Status of a whole submission: see `submissionStatus`. */
export const submissionStatuses = resultStatuses;
export type SubmissionStatus = ResultStatus;

/** Statuses that reads exclude by default. */
export const unrankedStatuses = resultStatuses.filter((status) => status !== 'accepted');
export type UnrankedStatus = (typeof unrankedStatuses)[number];

/** One measured repetition of a point, with facts resolved through the catalogue. Latencies in ms, rates per second. */
export interface Result {
  kind: ResultKind;
  tool: { name: string; version: string | null };
  system: System;
  scenario: Scenario;
  /** Measured mean tokens per request as stated in the artifact; null if it states none. */
  lengths: MeasuredLengths | null;
  load: Load;
  repetition: number | null;
  metrics: Metrics;
  definitions: Definitions;
  repeats: Repeats | null;
  /** Per-request records, if the artifact has them. The figures of `metrics` are then recomputed from them. */
  records: Records | null;
  /** The latency limits of a goodput. */
  limits: Limits | null;
  /** Metrics of which only a range is known; they have no value and never rank. */
  ranges?: Ranges;
  /** Minimum tolerance between the tool's figures; absent by default. */
  tolerance?: Tolerance;
  extra: Record<string, string | number | boolean>;
  measuredAt: string | null;
  /** Where the figures were published; absent or null if unknown. */
  source?: Source | null;
  lines: { from: number; to: number };
}

/** A result with its derived figures and findings. */
export interface CheckedResult extends Result {
  derived: Partial<Record<MetricName, number>>;
  findings: Finding[];
  /** Ids of the checks that passed. */
  passed: string[];
  trust: Trust;
  /** Absent if the trust determines it: see `originOf`. */
  origin?: Origin;
  status: ResultStatus;
}

/**
 * Marks a result as imported from a publication by the operator. Figures that we recomputed from records keep that trust;
 * all others have the trust of the publication.
 */
export function asImported(result: CheckedResult): CheckedResult {
  return { ...result, origin: 'imported', trust: result.trust === 'recomputed' ? 'recomputed' : 'imported' };
}
