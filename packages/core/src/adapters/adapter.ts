import type { MetricName } from '../metrics/index.ts';
import type { Sample } from '../observed/engine-state.ts';
import type { Limits, RequestRecord } from '../records.ts';
import type { Load } from '../subjects/load.ts';
import type { KernelWork, MeasuredLengths, QualityTask } from '../subjects/scenario.ts';
import type { Source } from '../subjects/source.ts';
import type { Parallelism } from '../subjects/system.ts';
import type { ArtifactText } from './reading/text/artifact-text.ts';

/**
 * A fact read verbatim from an artifact, with the certainty of the reading:
 * - `stated`: a field of the result states it; a contradicting query parameter is an error (422)
 * - `context`: stated once near the result (a command line, a device line); a contradiction is an error as well
 * - `inferred`: a hint such as a file name; the query parameter wins and a finding reports the difference
 */
export interface Fact<T> {
  value: T;
  origin: 'stated' | 'context' | 'inferred';
}

/** System facts in the artifact. A field that the artifact does not mention is null. */
export interface SystemFacts {
  model: Fact<string> | null;
  quantization: Fact<string> | null;
  gpu: Fact<string> | null;
  gpuCount: Fact<number> | null;
  gpuPowerLimitW: Fact<number> | null;
  engine: Fact<string> | null;
  engineVersion: Fact<string> | null;
  parallelism: Partial<Parallelism>;
  features: Record<string, string | number | boolean>;
}

/** Workload facts in the artifact. `name` is set only if the artifact names a scenario. */
export interface ScenarioFacts {
  name: Fact<string> | null;
  /** Requested tokens per request. */
  inputTokens: Fact<number> | null;
  outputTokens: Fact<number> | null;
  /** Mean measured tokens per request, if the artifact states them. */
  lengths?: MeasuredLengths;
  dataset: Fact<string> | null;
  depth: number | null;
  kernel: KernelWork | null;
  /** The evaluation task, which replaces token counts. Set only for evaluations. */
  quality?: QualityTask;
}

/** Repetitions that the tool averaged. n and samples are null if the tool does not report them. */
export interface Repeats {
  n: number | null;
  /** Sample standard deviation by metric. */
  sd: Partial<Record<MetricName, number>>;
  samples: Partial<Record<MetricName, number[]>> | null;
}

export type ResultKind = 'serving' | 'kernel' | 'training' | 'quality';
export type Metrics = Partial<Record<MetricName, number>>;
/** Lowest and highest value of a metric for which the artifact gives only a range: "3:00 to 3:20 h". */
export type Ranges = Partial<Record<MetricName, [number, number]>>;
/** Formula of each value, by metric base name ("itl_ms", "decode_tok_s"): an id from the metric's `definitions`. */
export type Definitions = Record<string, string>;

/** Largest relative difference to allow between figures of this tool, and the reason. */
export interface Tolerance {
  share: number;
  reason: string;
}

/** A warning or remark from the reader. It becomes a finding of the result. */
export interface ReaderNote {
  code: string;
  severity: 'info' | 'warning';
  message: string;
  evidence: Record<string, unknown>;
}

/** One result as read by one adapter: a record, a table row or a console block. */
export interface ParsedResult {
  kind: ResultKind;
  system: SystemFacts;
  scenario: ScenarioFacts;
  /** Null if the artifact does not describe the load. */
  load: Load | null;
  repetition: number | null;
  metrics: Metrics;
  definitions: Definitions;
  repeats: Repeats | null;
  /** One entry per request, including failed ones, if the artifact lists requests. */
  requests: readonly RequestRecord[] | null;
  /** The latency limits behind a goodput. */
  limits: Limits | null;
  /** Metrics with a range and no value. */
  ranges?: Ranges;
  /** Set if the tool's rounding or time windows require more than the usual tolerance of the checks. */
  tolerance?: Tolerance;
  /** Facts outside our metrics that checks or readers may need (file_bytes, params, printed_model ...). */
  extra: Record<string, string | number | boolean>;
  notes: ReaderNote[];
  /** Readings of the server during the measurement, and the zero of the requests' times, if the artifact has them. */
  observed?: { startedUnixMs: number; samples: readonly Sample[] };
  /** RFC 3339 UTC, if the artifact states an instant. */
  measuredAt: string | null;
  /** The publication that the artifact names as the source of the figures. */
  source?: Source | null;
  /** 1-based, inclusive. */
  lines: { from: number; to: number };
}

/** A range of lines that one adapter recognises. Lines are 1-based and inclusive. */
export interface Claim {
  adapter: string;
  from: number;
  to: number;
}

/** The result of reading one claim. */
export interface Reading {
  tool: { name: string; version: string | null };
  results: ParsedResult[];
  /** Names of fields or labels that were found but not used. */
  ignored: string[];
  /** Notes about the whole artifact and the URL of its publication; null if the artifact has none. */
  notes: string | null;
  sourceUrl: string | null;
}

/** Units that a client may state for the figures of a table, if the tool does not print them. */
export const statedUnits = ['TFLOPS', 'GFLOPS', 'ms', 'us'] as const;
export type StatedUnit = (typeof statedUnits)[number];

/** For tools that write only figures. */
export const noRemarks = { notes: null, sourceUrl: null } as const;

/**
 * The reader of one tool's format. Readers are pure, and each is registered with one line in `index.ts`. `detect` examines
 * only content, never a file name or media type, and claims ranges of lines. `read` translates one claim. It throws only
 * `ArtifactError`.
 */
export interface Adapter {
  /** kebab-case, e.g. `vllm-bench-serve`. Also the value of `tool=`. */
  id: string;
  /** The tool's own name, as shown on submissions: "vllm bench serve". */
  title: string;
  kind: ResultKind;
  /** One line that describes the recognised format, for the response to an unrecognised artifact. */
  recognises: string;
  /** Command that writes the file. */
  command: string;
  /** True if the tool does not print the unit of its figures. `unit=` may then state it. */
  takesUnit?: true;
  /** True if logs of other programs contain such lines too. The lines count only if the artifact has no report. */
  yields?: true;
  detect(artifact: ArtifactText): Claim[];
  read(artifact: ArtifactText, claim: Claim, options?: { unit?: StatedUnit }): Reading;
}

export const noFacts: SystemFacts = {
  model: null,
  quantization: null,
  gpu: null,
  gpuCount: null,
  gpuPowerLimitW: null,
  engine: null,
  engineVersion: null,
  parallelism: {},
  features: {},
};

export const noScenario: ScenarioFacts = {
  name: null,
  inputTokens: null,
  outputTokens: null,
  dataset: null,
  depth: null,
  kernel: null,
};

/** Default facts of a serving result. */
export const noResult: Omit<ParsedResult, 'lines'> = {
  kind: 'serving',
  system: noFacts,
  scenario: noScenario,
  load: null,
  repetition: null,
  metrics: {},
  definitions: {},
  repeats: null,
  requests: null,
  limits: null,
  extra: {},
  notes: [],
  measuredAt: null,
};
