import type { MetricName } from '../metrics/index.ts';
import type { Load } from '../subjects/load.ts';
import type { Severity, Threshold } from './thresholds.ts';

/** A workload in a report. Token counts are null if they vary or were not stated. */
export interface ReportScenario {
  id: string;
  title: string;
  inputTokens: number | null;
  outputTokens: number | null;
  dataset: string | null;
  depth: number | null;
}

export type ReportLoad = Pick<Load, 'mode'> & { level: number | null };

/** One metric of a point over its repetitions, in the metric's unit. */
export interface ReportStatistic {
  /** Null if a tool averaged without stating the number of values. */
  n: number | null;
  mean: number;
  ci95: readonly [number, number] | null;
  /** The formula; null if only one is possible or none was recorded. */
  definition: string | null;
  /** True if we calculated it from other figures of the results. */
  derived: boolean;
}

/** System x scenario x load with its measurements. `source` identifies the results and is passed through. */
export interface ReportPoint {
  scenario: ReportScenario;
  load: ReportLoad;
  statistics: Partial<Record<MetricName, ReportStatistic>>;
  source: string;
}

/** A number with the data to assess it. */
export interface Figure extends Omit<ReportStatistic, 'mean'> {
  /** A metric of the registry, `max_safe_queue`, or `roofline_share`: measured value over hardware limit. */
  metric: string;
  value: number;
  unit: string;
  scenario: ReportScenario;
  load: ReportLoad;
  source: string;
}

/** One scenario's values of one metric, by ascending level. Unmeasured levels are absent. */
export interface Series {
  scenario: ReportScenario;
  metric: string;
  unit: string;
  values: Figure[];
}

/** The lowest and the highest value of all scenarios measured at one load. */
export interface Range {
  metric: string;
  unit: string;
  load: ReportLoad;
  scenarios: number;
  low: Figure;
  high: Figure;
}

/** Maximum simultaneous requests before the mean TTFT exceeds the limit. */
export interface SafeQueue {
  scenario: ReportScenario;
  unit: 'requests';
  limitS: number;
  statistic: 'mean';
  /** Null if the smallest measured queue already exceeds the limit. */
  answer: number | null;
  /** `estimate` is between measured depths; `at_least` and `below` mark the end of the measured range. */
  bound: 'estimate' | 'at_least' | 'below';
  /** "131", ">= 256" or "< 1". */
  text: string;
  /** Fewest repetitions of any of the depths; null if unknown for one. */
  n: number | null;
  definition: string | null;
  /** All depths used. */
  measured: Figure[];
  /** True if a TTFT below that of a smaller burst was raised to it before interpolation. */
  isEvened: boolean;
  /** The measured depths below and above an estimate. */
  between: [Figure, Figure] | null;
}

/** A figure that a sentence cites, with its printed text. */
export type Evidence = Figure & { text: string };

export type SectionId = 'headline' | 'peak' | 'burst' | 'batch';

/** A sentence calculated from figures. Every number in it is in its evidence, thresholds or scenarios. */
export interface ReportFinding {
  id: string;
  section: SectionId;
  severity: Severity;
  sentence: string;
  evidence: Evidence[];
  thresholds: Threshold[];
  /** Scenarios that it names without citing one of their figures. */
  scenarios: ReportScenario[];
}

export interface Headline {
  /** Highest decode speed of a single user, in a closed loop or a burst of 1. */
  peakDecodeSpeed: Figure | null;
  /** Highest sum of all users' decode speeds, without prefill. */
  maxDecodeThroughput: Figure | null;
  /** Highest throughput over the whole window, with prefill and queueing. */
  maxOutputThroughput: Figure | null;
  bestTtft: Figure | null;
  /** The deepest safe queue of all scenarios. */
  maxSafeQueue: SafeQueue | null;
}

interface Section {
  /** Levels measured by at least one scenario, ascending. */
  levels: number[];
}

/** Closed loop, 1 to 32 requests in flight. */
export interface PeakSection extends Section {
  userTokS: Series[];
  itlMs: Series[];
  ttftMs: Series[];
  scalingEfficiency: Series[];
  /** Limits of memory and compute per user; empty if `rooflineMissing` has reasons. */
  rooflineUserTokS: Series[];
  /** Facts that the catalogue or the system lacks for a roofline. */
  rooflineMissing: string[];
}

/** Bursts of 1 to 256 simultaneous requests. */
export interface BurstSection extends Section {
  ttftMs: Series[];
  itlMs: Series[];
  userTokS: Series[];
  maxSafeQueue: SafeQueue[];
}

/** Static offline batches of any size. */
export interface BatchSection extends Section {
  decodeTokS: Series[];
  outputTokS: Series[];
  prefillTokS: Series[];
  scalingEfficiency: Series[];
}

export interface Report {
  ttftLimitS: number;
  headline: Headline;
  peak: PeakSection | null;
  burst: BurstSection | null;
  batch: BatchSection | null;
  /** Why a section is null. */
  unmeasured: { section: Exclude<SectionId, 'headline'>; reason: string }[];
  ranges: Range[];
  findings: ReportFinding[];
  /** Points that no section shows, by reason, and values omitted because they have another formula. */
  leftOut: { rate: number; unspecified: number; beyondLevels: number; otherDefinition: number };
  thresholds: Threshold[];
}
