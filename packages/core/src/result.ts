import type { Definitions, Metrics, Ranges, Repeats, ResultKind, Tolerance } from './adapters/adapter.ts';
import type { Finding } from './checks/check.ts';
import type { Load } from './load.ts';
import type { MetricName } from './metrics/index.ts';
import type { Limits, Records } from './records.ts';
import type { MeasuredLengths, Scenario } from './scenario.ts';
import type { Source } from './source.ts';
import type { System } from './system.ts';

/** Where a result came from: `imported` was published by somebody else, and names its source. */
export const origins = ['submitted', 'managed', 'imported'] as const;
export type Origin = (typeof origins)[number];

/** How far a result may be believed, strongest first. */
export const trustLevels = ['managed', 'replicated', 'recomputed', 'imported', 'self_reported'] as const;
export type Trust = (typeof trustLevels)[number];

/** Where a result of this trust came from, as it is first stored: only we call a result `managed`. */
export function originOf(trust: Trust): Origin {
  if (trust === 'managed' || trust === 'imported') return trust;
  return 'submitted';
}

/**
 * Only `accepted` results rank. The others stay readable under their link, with the reason.
 *
 * - `provisional`: sent by an account that is not established yet
 * - `simulated`: measured on the fake endpoint
 * - `not_repetitions`: rows of one artifact that differ too much to be repetitions of one point
 * - `quarantined`: held until an admin has looked
 * - `retracted`: taken back
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

/** What became of a whole submission: see `submissionStatus`. */
export const submissionStatuses = resultStatuses;
export type SubmissionStatus = ResultStatus;

/** What reads leave out unless they are asked to include it. */
export const unrankedStatuses = resultStatuses.filter((status) => status !== 'accepted');
export type UnrankedStatus = (typeof unrankedStatuses)[number];

/** One measured repetition of a point, its facts resolved through the catalogue. Latencies in ms, rates per second. */
export interface Result {
  kind: ResultKind;
  tool: { name: string; version: string | null };
  system: System;
  scenario: Scenario;
  /** Mean tokens per request that the artifact states as measured; null where it states none. */
  lengths: MeasuredLengths | null;
  load: Load;
  repetition: number | null;
  metrics: Metrics;
  definitions: Definitions;
  repeats: Repeats | null;
  /** What each request did, where the artifact tells; the figures of `metrics` are then recomputed from it. */
  records: Records | null;
  /** The latency limits behind a goodput. */
  limits: Limits | null;
  /** Metrics of which only a range is told; they have no value and rank nowhere. */
  ranges?: Ranges;
  /** How well the tool's figures fit each other at best; absent where nothing special is known. */
  tolerance?: Tolerance;
  extra: Record<string, string | number | boolean>;
  measuredAt: string | null;
  /** Where the figures were published; absent or null where nobody says so. */
  source?: Source | null;
  lines: { from: number; to: number };
}

/** A result with what we computed from it and what we think of it. */
export interface CheckedResult extends Result {
  derived: Partial<Record<MetricName, number>>;
  findings: Finding[];
  /** Ids of the checks that ran and had no doubt. */
  passed: string[];
  trust: Trust;
  /** Absent where it follows from the trust: see `originOf`. */
  origin?: Origin;
  status: ResultStatus;
}

/**
 * A result that the operator imported from a publication. Figures that were computed from records here are believed as
 * such; all others as far as the publication.
 */
export function asImported(result: CheckedResult): CheckedResult {
  return { ...result, origin: 'imported', trust: result.trust === 'recomputed' ? 'recomputed' : 'imported' };
}
