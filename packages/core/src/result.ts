import type { Definitions, Metrics, Ranges, Repeats, ResultKind, Tolerance } from './adapters/adapter.ts';
import type { Finding } from './checks/check.ts';
import type { Load } from './load.ts';
import type { MetricName } from './metrics/index.ts';
import type { Limits, Records } from './records.ts';
import type { MeasuredLengths, Scenario } from './scenario.ts';
import type { System } from './system.ts';

/** Where a result came from. */
export type Origin = 'submitted' | 'managed';

/** How far a result may be believed, strongest first. */
export const trustLevels = ['managed', 'replicated', 'recomputed', 'self_reported'] as const;
export type Trust = (typeof trustLevels)[number];

/** `accepted` results rank; the others stay readable under their link, with the reason. */
export const resultStatuses = ['accepted', 'quarantined', 'retracted'] as const;
export type ResultStatus = (typeof resultStatuses)[number];

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
  lines: { from: number; to: number };
}

/** A result with what we computed from it and what we think of it. */
export interface CheckedResult extends Result {
  derived: Partial<Record<MetricName, number>>;
  findings: Finding[];
  /** Ids of the checks that ran and had no doubt. */
  passed: string[];
  trust: Trust;
  status: ResultStatus;
}
