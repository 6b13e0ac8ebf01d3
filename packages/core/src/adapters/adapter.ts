import type { Load } from '../load.ts';
import type { MetricName } from '../metrics/index.ts';
import type { Limits, RequestRecord } from '../records.ts';
import type { KernelWork, MeasuredLengths, QualityTask, Scenario } from '../scenario.ts';
import type { Source } from '../source.ts';
import type { Parallelism } from '../system.ts';
import type { ArtifactText } from './reading/artifact-text.ts';

/**
 * A fact read from an artifact, verbatim, and how sure the reading is:
 * - `stated`: a field of the result itself says so; a caller who says otherwise contradicts it (422)
 * - `context`: said once near the result (a command line, a device line); contradicts as well
 * - `inferred`: a hint, such as a file name; the caller's word wins and a finding tells of it
 */
export interface Fact<T> {
  value: T;
  origin: 'stated' | 'context' | 'inferred';
}

/** What the artifact says about the system; a field it does not mention is null. */
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

/** What the artifact says about the workload. `name` only where the artifact names a scenario itself. */
export interface ScenarioFacts {
  name: Fact<string> | null;
  /** Tokens per request that were asked for. */
  inputTokens: Fact<number> | null;
  outputTokens: Fact<number> | null;
  /** Mean tokens per request that the artifact states as measured. */
  lengths?: MeasuredLengths;
  dataset: Fact<string> | null;
  depth: number | null;
  kernel: KernelWork | null;
  /** What was evaluated, in place of tokens; absent of everything but evaluations. */
  quality?: QualityTask;
}

/** Repetitions that the tool averaged itself: n and samples where it tells them, else null. */
export interface Repeats {
  n: number | null;
  /** Sample standard deviation by metric. */
  sd: Partial<Record<MetricName, number>>;
  samples: Partial<Record<MetricName, number[]>> | null;
}

export type ResultKind = 'serving' | 'kernel' | 'training' | 'quality';
export type Metrics = Partial<Record<MetricName, number>>;
/** Lowest and highest value where that is all that was noted of a metric: "3:00 to 3:20 h". */
export type Ranges = Partial<Record<MetricName, [number, number]>>;
/** Which formula made a value, by metric base name ("itl_ms", "decode_tok_s"): an id of the metric's `definitions`. */
export type Definitions = Record<string, string>;

/** Arithmetic between the figures of a tool holds no better than within this share, for this reason. */
export interface Tolerance {
  share: number;
  reason: string;
}

/** A doubt or remark the reader itself has; becomes a finding of the result. */
export interface ReaderNote {
  code: string;
  severity: 'info' | 'warning';
  message: string;
  evidence: Record<string, unknown>;
}

/** One result as one adapter read it: one record, table row or console block. */
export interface ParsedResult {
  kind: ResultKind;
  system: SystemFacts;
  scenario: ScenarioFacts;
  /** Null where the artifact does not tell how the load was made. */
  load: Load | null;
  repetition: number | null;
  metrics: Metrics;
  definitions: Definitions;
  repeats: Repeats | null;
  /** One entry for each request, failed ones too, where the artifact tells of them. */
  requests: readonly RequestRecord[] | null;
  /** The latency limits behind a goodput. */
  limits: Limits | null;
  /** Metrics of which only a range is told; they have no value. */
  ranges?: Ranges;
  /** Where the tool's own rounding or windows ask for more than the checks' usual tolerance. */
  tolerance?: Tolerance;
  /** Facts of the file beyond our metrics that checks or readers may want (file_bytes, params, printed_model ...). */
  extra: Record<string, string | number | boolean>;
  notes: ReaderNote[];
  /** RFC 3339 UTC where the artifact states an instant. */
  measuredAt: string | null;
  /** Where the artifact says that the figures were published. */
  source?: Source | null;
  /** 1-based, inclusive. */
  lines: { from: number; to: number };
}

/** A stretch of an artifact that one adapter says is its own. Lines are 1-based and inclusive. */
export interface Claim {
  adapter: string;
  from: number;
  to: number;
}

/** What an adapter made of one claim. */
export interface Reading {
  tool: { name: string; version: string | null };
  results: ParsedResult[];
  /** Names of fields or labels that were seen and not used. */
  ignored: string[];
  /** What the artifact says to readers about all of it, and where it was published; null where it does not. */
  notes: string | null;
  sourceUrl: string | null;
}

/** What a caller may say that the figures of a table count, where the tool does not print it. */
export const statedUnits = ['TFLOPS', 'GFLOPS', 'ms', 'us'] as const;
export type StatedUnit = (typeof statedUnits)[number];

/** For tools that write nothing but figures. */
export const noRemarks = { notes: null, sourceUrl: null } as const;

/**
 * The reader of one tool's format: pure, in one file, registered with one line in `index.ts`.
 * `detect` looks at content only (never a file name or media type) and claims stretches of it; `read` translates one
 * claim. `read` throws nothing but `ArtifactError`.
 */
export interface Adapter {
  /** kebab-case, e.g. `vllm-bench-serve`. Also what `tool=` takes. */
  id: string;
  /** The tool's own name, as submissions show it: "vllm bench serve". */
  title: string;
  kind: ResultKind;
  /** One line: what it recognises, for the answer to an unrecognised artifact. */
  recognises: string;
  /** How the file is made, as a command. */
  command: string;
  /** True of a tool that does not print what its figures count: `unit=` may then say it. */
  takesUnit?: true;
  /** True if logs of other programs contain such lines too: they count only if the artifact has no report. */
  yields?: true;
  detect(artifact: ArtifactText): Claim[];
  read(artifact: ArtifactText, claim: Claim, told?: { unit?: StatedUnit }): Reading;
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

/** What a serving result is until its artifact says more. */
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

export type { Scenario };
