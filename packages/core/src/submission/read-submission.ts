import type { Definitions, Metrics, ParsedResult } from '../adapters/adapter.ts';
import { type ArtifactReading, readArtifact } from '../adapters/index.ts';
import { figureFaults } from '../checks/arithmetic/a1-sane-figures.ts';
import type { Finding } from '../checks/check.ts';
import { judge, statusOf } from '../checks/index.ts';
import { findNotRepetitions, notRepetitionsFinding } from '../claims/not-repetitions.ts';
import { withRunOfUnstatedLoad } from '../claims/run-key.ts';
import { deriveMetrics } from '../derive/index.ts';
import { DomainError, type Fault } from '../errors.ts';
import { findMetric } from '../metrics/index.ts';
import { isRecomputed, withRecords } from '../records/attach.ts';
import { asImported, type CheckedResult, type Result, type Trust } from '../subjects/result.ts';
import { lengthsOf } from '../subjects/scenario.ts';
import { commonSource, type Source, statedSource, withGeneral } from '../subjects/source.ts';
import { type Subject, subjectsOf } from '../subjects/subject.ts';
import type { System } from '../subjects/system.ts';
import { isSameInstant } from '../text/instant.ts';
import { countFaults } from './assumed-count.ts';
import type { Parameters } from './parameters.ts';
import { loadNotes, resolveLoad } from './resolve/resolve-load.ts';
import { resolveWorkload } from './resolve/resolve-scenario.ts';
import { resolveSystem, type SystemOutcome } from './resolve/resolve-system.ts';

/** A parsed, resolved, checked and derived artifact: the whole submission except its storage. */
export interface ReadSubmission {
  tool: ArtifactReading['tool'];
  mediaType: string;
  ignored: string[];
  /** Notes for readers from the submitter or the artifact. */
  notes: string | null;
  sourceUrl: string | null;
  /** The common facts of its results' sources. */
  source: Source | null;
  results: CheckedResult[];
}

const faultsMax = 100;

/** Equal faults are merged, regardless of location. */
const faultKey = (fault: Fault) => `${fault.code} ${fault.parameter ?? ''} ${fault.message}`;

/** A result with resolved facts, not checked yet. */
interface Resolved {
  result: Result;
  /** Findings from parsing and resolving. */
  remarks: Finding[];
  faults: Fault[];
}

/**
 * Resolves the systems of an artifact. Results with the same stated facts share one system object, so that derived values
 * are calculated once.
 */
function createSystems(given: Parameters): (parsed: ParsedResult) => SystemOutcome {
  const known = new Map<string, SystemOutcome>();
  return (parsed) => {
    const facts = JSON.stringify([parsed.kind, parsed.system]);
    const outcome = known.get(facts) ?? resolveSystem(parsed, given);
    known.set(facts, outcome);
    return outcome;
  };
}

function resolveResult(
  parsed: ArtifactReading['results'][number],
  given: Parameters,
  systemOf: (parsed: ParsedResult) => SystemOutcome,
  notAfter: number,
): Resolved {
  const { load, faults: loadFaults } = resolveLoad(parsed.load, given);
  const system = systemOf(parsed);
  const summary: Omit<Result, 'scenario' | 'lengths'> = {
    kind: parsed.kind,
    tool: parsed.tool,
    system: system.system,
    load,
    repetition: parsed.repetition,
    metrics: parsed.metrics,
    definitions: parsed.definitions,
    repeats: parsed.repeats,
    records: null,
    limits: parsed.limits,
    ...(parsed.ranges === undefined ? {} : { ranges: parsed.ranges }),
    ...(parsed.tolerance === undefined ? {} : { tolerance: parsed.tolerance }),
    extra: parsed.extra,
    measuredAt: parsed.measuredAt ?? given.measured_at ?? null,
    source: withGeneral(parsed.source ?? null, statedSource(given)),
    lines: parsed.lines,
  };
  const measured = parsed.requests === null ? summary : withRecords(summary, parsed.requests);
  const workload = resolveWorkload(parsed, load, given, measured.metrics);
  const result = withRunOfUnstatedLoad({ ...measured, scenario: workload.scenario, lengths: workload.lengths });
  return {
    result,
    remarks: [...loadNotes(parsed.notes, load), ...system.findings, ...workload.findings],
    faults: [
      ...loadFaults,
      ...system.faults,
      ...workload.faults,
      ...timeFaults(parsed, given, notAfter),
      ...sizeFaults(result),
      ...figureFaults(result),
    ],
  };
}

/** Statistics recomputed from records do not depend on the submitter's arithmetic. */
const trustOf = (result: Result): Trust => (isRecomputed(result) ? 'recomputed' : 'self_reported');

function checkAndDerive(subject: Subject, remarks: readonly Finding[]): CheckedResult {
  const { result } = subject;
  const judgement = judge(subject);
  const findings = [...remarks, ...judgement.findings];
  const { derived, definitions } = deriveMetrics(subject);
  return {
    ...result,
    definitions: labelValues(result, derived, definitions),
    derived,
    findings,
    passed: judgement.passed,
    trust: trustOf(result),
    status: statusOf(findings),
  };
}

/** Holds back checked results that look like repetitions of each other but are not. */
function holdNotRepetitions(results: CheckedResult[]): CheckedResult[] {
  const findingOf = new Map(
    findNotRepetitions(results).flatMap((group) => {
      const finding = notRepetitionsFinding(group);
      return group.indexes.map((index) => [index, finding] as const);
    }),
  );
  return results.map((result, index) => {
    const finding = findingOf.get(index);
    if (finding === undefined) return result;
    const status = result.status === 'accepted' ? 'not_repetitions' : result.status;
    return { ...result, status, findings: [...result.findings, finding] };
  });
}

/** Codes of errors in the artifact. They name their line even if every line has the error. */
const ofTheArtifact = new Set([
  'facts_contradict',
  'scenario_contradicted',
  'number_too_large',
  'value_invalid',
  'name_refused',
]);
const contradictions = new Set(['facts_contradict', 'scenario_contradicted']);

function timeFaults(parsed: ParsedResult, given: Parameters, notAfter: number): Fault[] {
  const measuredAt = parsed.measuredAt ?? given.measured_at;
  if (measuredAt != null && Date.parse(measuredAt) > notAfter) {
    const message = `measured_at is ${measuredAt}, which is in the future.`;
    return [{ code: 'value_invalid', parameter: 'measured_at', message }];
  }
  if (given.measured_at === undefined || parsed.measuredAt === null) return [];
  if (isSameInstant(given.measured_at, parsed.measuredAt)) return [];
  return [
    {
      code: 'facts_contradict',
      parameter: 'measured_at',
      message: `measured_at=${given.measured_at} was given, but the artifact has ${parsed.measuredAt}.`,
      hint: 'Omit measured_at to use the value in the artifact.',
    },
  ];
}

const countMax = 2 ** 31 - 1;

/** Faults for counts that are impossible in practice and too large for their columns. */
function sizeFaults({ system, scenario, lengths, repetition, repeats }: Result): Fault[] {
  const { inputTokens, outputTokens } = lengthsOf({ scenario, lengths });
  const most = Math.max(
    system.gpuCount ?? 0,
    inputTokens ?? 0,
    outputTokens ?? 0,
    scenario.depth ?? 0,
    repetition ?? 0,
    repeats?.n ?? 0,
  );
  // True for nearly all results.
  if (most <= countMax) return [];
  const counts = {
    gpu_count: system.gpuCount,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    depth: scenario.depth,
    repetition,
    'repeats.n': repeats?.n ?? null,
  };
  return Object.entries(counts)
    .filter(([, value]) => value !== null && value > countMax)
    .map(([name, value]) => ({
      code: 'number_too_large',
      message: `${name} is ${value}; the maximum is ${countMax}.`,
    }));
}

/** True if a metric base has a value. */
function hasValue(values: Metrics, base: string): boolean {
  for (const name in values) if (findMetric(name)?.family.base === base) return true;
  return false;
}

/** A label belongs to a value: ours if we derived it, the artifact's if it was measured, none if it is missing. */
function labelValues(result: Result, derived: Metrics, ours: Definitions): Definitions {
  const definitions: Definitions = {};
  for (const [base, id] of Object.entries(ours)) if (hasValue(derived, base)) definitions[base] = id;
  for (const [base, id] of Object.entries(result.definitions))
    if (hasValue(result.metrics, base)) definitions[base] = id;
  return definitions;
}

/**
 * Merges faults that several results share; each names its first line. A fact missing from every result has no line, because
 * the whole artifact lacks it.
 */
function distinct(outcomes: readonly Resolved[]): Fault[] {
  const found = new Map<string, { fault: Fault; line: number; results: Set<Result> }>();
  for (const { result, faults } of outcomes) {
    for (const fault of faults) {
      const key = faultKey(fault);
      const known = found.get(key);
      if (known !== undefined) known.results.add(result);
      else if (found.size < faultsMax) found.set(key, { fault, line: result.lines.from, results: new Set([result]) });
    }
  }
  return [...found.values()].map(({ fault, line, results }) =>
    ofTheArtifact.has(fault.code) || results.size < outcomes.length ? { ...fault, line } : fault,
  );
}

function refuse(faults: Fault[]): never {
  if (faults.some((fault) => contradictions.has(fault.code))) {
    const detail = 'Parameters of the request differ from facts in the artifact.';
    throw new DomainError('facts_contradict', detail, faults);
  }
  if (faults.some((fault) => fault.code === 'name_refused'))
    throw new DomainError('name_refused', 'A name is not allowed.', faults);
  if (faults.every((fault) => fault.code === 'number_too_large'))
    throw new DomainError('artifact_unreadable', 'The artifact has numbers that are too large.', faults);
  if (faults.every((fault) => fault.code === 'number_too_large' || fault.code === 'value_invalid'))
    throw new DomainError('artifact_unreadable', 'The artifact has impossible figures.', faults);
  const detail = 'The artifact was recognised, but required facts are missing.';
  throw new DomainError('facts_missing', detail, faults);
}

/** Options for parsing an artifact that was not just sent by a caller. */
export interface Reading {
  /** Replaces the system that a result is checked and stored with, if it differs from the artifact's facts. */
  amend?: (system: System, ordinal: number) => System;
  /** False if no caller can state the GPU count. One GPU is then assumed and checked. */
  mayAsk?: boolean;
  /** Milliseconds since 1970: latest allowed measurement time. Not checked if absent. */
  notAfter?: number;
  /** True for an operator's import: its figures have the trust of their publication. */
  isImported?: boolean;
}

/**
 * Converts an artifact's bytes and the caller's facts to checked results. All results are accepted or none is.
 *
 * @throws DomainError `tool_unrecognised`, `artifact_unreadable`, `facts_missing`, `facts_contradict` ... with all faults
 */
export function readSubmission(
  bytes: Uint8Array,
  given: Parameters,
  { amend, mayAsk = true, isImported = false, notAfter = Number.POSITIVE_INFINITY }: Reading = {},
): ReadSubmission {
  const reading = readArtifact(bytes, {
    ...(given.tool === undefined ? {} : { tool: given.tool }),
    ...(given.unit === undefined ? {} : { unit: given.unit }),
  });
  const systemOf = createSystems(given);
  const outcomes = reading.results.map((parsed) => resolveResult(parsed, given, systemOf, notAfter));
  const faults = distinct(outcomes);
  if (faults.length > 0) refuse(faults);
  const amended = (result: Result, ordinal: number) =>
    amend === undefined ? result : { ...result, system: amend(result.system, ordinal) };
  const subjects = subjectsOf(outcomes.map((outcome, ordinal) => amended(outcome.result, ordinal)));
  const checked = subjects.map((subject, index) => checkAndDerive(subject, outcomes[index]?.remarks ?? []));
  const results = isImported ? checked.map(asImported) : checked;
  const unasked = mayAsk ? countFaults(subjects, results) : [];
  if (unasked.length > 0) refuse(unasked);
  const { tool, mediaType, ignored } = reading;
  const source = commonSource(results.map((result) => result.source ?? null));
  return {
    tool,
    mediaType,
    ignored,
    notes: given.notes ?? reading.notes,
    sourceUrl: given.source_url ?? reading.sourceUrl ?? source?.url ?? null,
    source,
    results: holdNotRepetitions(results),
  };
}
