import type { Load } from '../load.ts';
import type { MetricName } from '../metrics/index.ts';
import type { Severity, Threshold } from './thresholds.ts';

/** A workload as a report names it; null where token counts vary or were not stated. */
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
  /** Null where a tool averaged and does not say over how many. */
  n: number | null;
  mean: number;
  ci95: readonly [number, number] | null;
  /** The formula behind it; null where only one is possible or none was recorded. */
  definition: string | null;
  /** True where we computed it from other figures of the results. */
  derived: boolean;
}

/** System x scenario x load with what was measured there. `source` leads to the results, and is handed through. */
export interface ReportPoint {
  scenario: ReportScenario;
  load: ReportLoad;
  statistics: Partial<Record<MetricName, ReportStatistic>>;
  source: string;
}

/** A number with everything needed to believe it. */
export interface Figure extends Omit<ReportStatistic, 'mean'> {
  /** A metric of the registry, `max_safe_queue`, or `roofline_share`: measured over what the hardware allows. */
  metric: string;
  value: number;
  unit: string;
  scenario: ReportScenario;
  load: ReportLoad;
  source: string;
}

/** One scenario's values of one metric, by rising level. Levels that were not measured are absent. */
export interface Series {
  scenario: ReportScenario;
  metric: string;
  unit: string;
  values: Figure[];
}

/** Of all scenarios measured at one load, the one with the lowest value and the one with the highest. */
export interface Range {
  metric: string;
  unit: string;
  load: ReportLoad;
  scenarios: number;
  low: Figure;
  high: Figure;
}

/** How many requests may arrive at once before the mean TTFT passes the limit. */
export interface SafeQueue {
  scenario: ReportScenario;
  unit: 'requests';
  limitS: number;
  statistic: 'mean';
  /** Null where the shallowest measured queue is over the limit already. */
  answer: number | null;
  /** `estimate` lies between measured depths; `at_least` and `below` mark where measuring ended. */
  bound: 'estimate' | 'at_least' | 'below';
  /** "131", ">= 256" or "< 1". */
  text: string;
  /** Fewest repetitions behind any of the depths; null where one does not tell. */
  n: number | null;
  definition: string | null;
  /** Every depth it was read from. */
  measured: Figure[];
  /** Whether a TTFT below that of a shallower burst was raised to it before reading off. */
  isEvened: boolean;
  /** The measured depths on either side of an estimate. */
  between: [Figure, Figure] | null;
}

/** A figure that a sentence cites, with the text it cites it by. */
export type Evidence = Figure & { text: string };

export type SectionId = 'headline' | 'peak' | 'burst' | 'batch';

/** A sentence computed from figures. Every number in it is in its evidence, thresholds or scenarios. */
export interface ReportFinding {
  id: string;
  section: SectionId;
  severity: Severity;
  sentence: string;
  evidence: Evidence[];
  thresholds: Threshold[];
  /** Scenarios it names without a figure of theirs. */
  scenarios: ReportScenario[];
}

export interface Headline {
  /** Fastest decode for a single user, closed loop or burst of 1. */
  peakDecodeSpeed: Figure | null;
  /** Largest sum of all users' decode speeds: prefill is not in it. */
  maxDecodeThroughput: Figure | null;
  /** Largest throughput over the whole window: prefill and queueing are in it. */
  maxOutputThroughput: Figure | null;
  bestTtft: Figure | null;
  /** The deepest safe queue of any scenario. */
  maxSafeQueue: SafeQueue | null;
}

interface Section {
  /** Levels measured by any scenario, rising. */
  levels: number[];
}

/** Closed loop, 1 to 32 requests in flight. */
export interface PeakSection extends Section {
  userTokS: Series[];
  itlMs: Series[];
  ttftMs: Series[];
  scalingEfficiency: Series[];
  /** The most that memory and arithmetic allow each user; empty where `rooflineMissing` says why. */
  rooflineUserTokS: Series[];
  /** What the catalogue or the system lacks to tell a roofline. */
  rooflineMissing: string[];
}

/** So many requests at once, 1 to 256. */
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
  /** Points that no section shows, by reason; and values left out since they were made by another formula. */
  leftOut: { rate: number; unspecified: number; beyondLevels: number; otherDefinition: number };
  thresholds: Threshold[];
}
