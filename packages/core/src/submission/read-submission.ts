import type { Definitions, Metrics, ParsedResult } from '../adapters/adapter.ts';
import { type ArtifactReading, readArtifact } from '../adapters/index.ts';
import { figureFaults } from '../checks/a1-sane-figures.ts';
import type { Finding } from '../checks/check.ts';
import { judge, statusOf } from '../checks/index.ts';
import { findNotRepetitions, notRepetitionsFinding } from '../claims/not-repetitions.ts';
import { withRunOfUnstatedLoad } from '../claims/run-key.ts';
import { deriveMetrics } from '../derive/index.ts';
import { DomainError, type Fault } from '../errors.ts';
import { isSameInstant } from '../instant.ts';
import { findMetric } from '../metrics/index.ts';
import { isRecomputed, withRecords } from '../records/attach.ts';
import { asImported, type CheckedResult, type Result, type Trust } from '../result.ts';
import { lengthsOf } from '../scenario.ts';
import { commonSource, type Source, statedSource, withGeneral } from '../source.ts';
import { type Subject, subjectsOf } from '../subject.ts';
import type { System } from '../system.ts';
import { countFaults } from './assumed-count.ts';
import type { Parameters } from './parameters.ts';
import { resolveLoad } from './resolve-load.ts';
import { resolveWorkload } from './resolve-scenario.ts';
import { resolveSystem, type SystemOutcome } from './resolve-system.ts';

/** An artifact read, resolved, checked and derived: everything about a submission but where it is stored. */
export interface ReadSubmission {
  tool: ArtifactReading['tool'];
  mediaType: string;
  ignored: string[];
  /** What the submitter, or the artifact itself, has to say to readers. */
  notes: string | null;
  sourceUrl: string | null;
  /** What its results have in common of their sources. */
  source: Source | null;
  results: CheckedResult[];
}

const faultsMax = 100;

/** Equal faults are one fault, wherever they were found. */
const faultKey = (fault: Fault) => `${fault.code} ${fault.parameter ?? ''} ${fault.message}`;

/** A result with its facts resolved, not judged yet. */
interface Resolved {
  result: Result;
  /** What reading and resolving had to remark. */
  remarks: Finding[];
  faults: Fault[];
}

/**
 * Resolves the systems of an artifact: results that say the same of theirs share one, so that what follows from it is
 * worked out once.
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
    remarks: [...parsed.notes, ...system.findings, ...workload.findings],
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

/** Statistics that we computed from records need no faith in the submitter's arithmetic. */
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

/** Checked results, those held back that look like repetitions of each other and are none. */
function holdNotRepetitions(results: CheckedResult[]): CheckedResult[] {
  const told = new Map(
    findNotRepetitions(results).flatMap((group) => {
      const finding = notRepetitionsFinding(group);
      return group.indexes.map((index) => [index, finding] as const);
    }),
  );
  return results.map((result, index) => {
    const finding = told.get(index);
    if (finding === undefined) return result;
    const status = result.status === 'accepted' ? 'not_repetitions' : result.status;
    return { ...result, status, findings: [...result.findings, finding] };
  });
}

/** Something the artifact itself says is wrong, so the line that says it is named even if every line says it. */
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
      message: `measured_at=${given.measured_at} was given, but the artifact says ${parsed.measuredAt}.`,
      hint: "Leave measured_at away to use the artifact's word.",
    },
  ];
}

const countMax = 2 ** 31 - 1;

/** Counts that no machine has would not fit where they are stored. */
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
  // Of nearly all results.
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
      message: `${name} is ${value}; at most ${countMax} can be read.`,
    }));
}

/** Whether there is a value of a metric base. */
function hasValue(values: Metrics, base: string): boolean {
  for (const name in values) if (findMetric(name)?.family.base === base) return true;
  return false;
}

/** A label belongs to a value: ours where we computed it, the artifact's where it was measured, none where it is missing. */
function labelValues(result: Result, derived: Metrics, ours: Definitions): Definitions {
  const definitions: Definitions = {};
  for (const [base, id] of Object.entries(ours)) if (hasValue(derived, base)) definitions[base] = id;
  for (const [base, id] of Object.entries(result.definitions))
    if (hasValue(result.metrics, base)) definitions[base] = id;
  return definitions;
}

/**
 * Faults that several results share are told once, with the first of their lines. What is missing from every result
 * needs no line: it is missing from the artifact.
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
    const detail = 'What the request says and what the artifact says do not fit together.';
    throw new DomainError('facts_contradict', detail, faults);
  }
  if (faults.some((fault) => fault.code === 'name_refused'))
    throw new DomainError('name_refused', 'A name cannot stand beside those of others.', faults);
  if (faults.every((fault) => fault.code === 'number_too_large'))
    throw new DomainError('artifact_unreadable', 'The artifact holds numbers that are too large.', faults);
  if (faults.every((fault) => fault.code === 'number_too_large' || fault.code === 'value_invalid'))
    throw new DomainError('artifact_unreadable', 'The artifact holds figures that no measurement gives.', faults);
  const detail = 'The artifact was recognised, but it does not tell everything that is needed.';
  throw new DomainError('facts_missing', detail, faults);
}

/** How an artifact is read that no caller has just sent. */
export interface Reading {
  /** The system that a result is judged and stored by, where it is another than the artifact's words say. */
  amend?: (system: System, ordinal: number) => System;
  /** False where nobody is there to say how many GPUs there were: one is then assumed, and judged as one. */
  mayAsk?: boolean;
  /** Milliseconds since 1970: nothing was measured later. Not asked where it is absent. */
  notAfter?: number;
  /** True of a file that the operator imports: its figures are believed as far as their publication. */
  isImported?: boolean;
}

/**
 * From bytes and the caller's word to checked results. All land or none does.
 *
 * @throws DomainError `tool_unrecognised`, `artifact_unreadable`, `facts_missing`, `facts_contradict` ... with every fault
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
