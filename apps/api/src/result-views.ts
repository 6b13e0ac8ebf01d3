import { noteUnchecked } from '@inferboard/core/checks/index';
import { type MetricName, metrics as registry } from '@inferboard/core/metrics/index';
import type { Certificates, Limits } from '@inferboard/core/records';
import { type CheckedResult, originOf } from '@inferboard/core/subjects/result';
import type { ResultRow, SystemRow } from '@inferboard/db/boards/lists/row-types';
import {
  instant,
  toWorkload,
  viewLengths,
  viewLoad,
  viewMetrics,
  viewQualityTask,
  viewScenario,
  viewSystem,
  viewWorkload,
} from './views.ts';

// Converts results to their public form, stored or not.

function viewLimits(limits: Limits | null) {
  if (limits === null) return null;
  return { ttft_ms: limits.ttftMs, itl_ms: limits.itlMs, tpot_ms: limits.tpotMs, e2e_ms: limits.e2eMs };
}

const percentiles = registry.filter(({ statistic }) => statistic !== null && /^p\d/.test(statistic));

interface Certified {
  status: 'certified' | 'too_few_samples' | 'uncertified';
  n: number | null;
  floor: number | null;
  value: number | null;
  upper_99: number | null;
}

/** Each percentile that the result has, or would have with more samples, and whether the sample supports it. */
function viewCertified(row: Partial<Record<MetricName, number | null>>, certificates: Certificates | null) {
  const certified: Record<string, Certified> = {};
  for (const { name } of percentiles) {
    const found = certificates?.[name];
    const value = row[name] ?? null;
    if (found !== undefined) {
      // Stated by the tool, but with too few records to certify it.
      const status = found.certified ? 'certified' : value === null ? 'too_few_samples' : 'uncertified';
      certified[name] = { status, n: found.n, floor: found.floor, value: found.value, upper_99: found.upper99 };
    } else if (value !== null) certified[name] = { status: 'uncertified', n: null, floor: null, value, upper_99: null };
  }
  return certified;
}

const detectedPrefix = 'detected_';

/** What the load generator recorded about its measurement, in addition to figures; null if nothing. */
function viewRecorded(extra: CheckedResult['extra']) {
  const numberOf = (value: unknown) => (typeof value === 'number' ? value : null);
  const textOf = (value: unknown) => (typeof value === 'string' ? value : null);
  const detected = Object.entries(extra).flatMap(([name, value]) =>
    name.startsWith(detectedPrefix) && typeof value !== 'boolean' ? [[name.slice(detectedPrefix.length), value]] : [],
  );
  const recorded = {
    seed: numberOf(extra.prompts_seed ?? extra.traffic_seed),
    salt: textOf(extra.prompts_salt),
    bodies_sha256: textOf(extra.prompts_bodies_sha256 ?? extra.traffic_bodies_sha256),
    requests_retried: numberOf(extra.generator_retried),
    observed_samples: numberOf(extra.observed_samples),
    detected: Object.fromEntries(detected) as Record<string, string | number>,
  };
  const { detected: _, ...facts } = recorded;
  return detected.length === 0 && Object.values(facts).every((fact) => fact === null) ? null : recorded;
}

const viewResultHead = (row: ResultRow) => ({ id: row.id as string | null, kind: row.kind, status: row.status });

/** The fields of a result that follow its system. */
function viewResultOwn(row: ResultRow) {
  return {
    scenario: viewScenario(row.scenario),
    workload: viewWorkload(row, row.scenario),
    measured_lengths: viewLengths(row.measured_lengths),
    load: viewLoad(row),
    repetition: row.repetition,
    ...viewMetrics(row),
    definitions: row.definitions,
    findings: [...row.findings, ...row.unchecked.flatMap(([check, missing]) => noteUnchecked(check, missing))],
    passed: row.passed,
    certified: viewCertified(row, row.certificates),
    limits: viewLimits(row.limits),
    recorded: viewRecorded(row.extra),
    ranges: row.ranges as Record<string, [number, number]> | null,
    trust: row.trust,
    origin: row.origin,
    tool: { name: row.tool, version: row.tool_version },
    repeats: row.repeats as {
      n: number | null;
      sd: Record<string, number>;
      samples: Record<string, number[]> | null;
    } | null,
    lines: { from: row.line_from, to: row.line_to },
    submission_id: row.submission_id as string | null,
    copy_of: row.copy_of,
    measured_at: row.measured_at === null ? null : instant(row.measured_at),
    source: row.source,
    created_at: instant(row.created_at) as string | null,
  };
}

export function viewResult(row: ResultRow, base: string) {
  return { ...viewResultHead(row), system: viewSystem(row.system, base), ...viewResultOwn(row) };
}

/** Serializes a new result of a submission around its already serialized system. */
export function writeResult(row: ResultRow, system: string): string {
  const head = JSON.stringify(viewResultHead(row));
  const own = JSON.stringify({ ...viewResultOwn(row), would_rank: null });
  return `${head.slice(0, -1)},"system":${system},${own.slice(1)}`;
}

/** A result that was parsed but not stored, in the form of a stored one. */
export function viewDryResult(result: CheckedResult, system: SystemRow, base: string) {
  const derived = Object.keys(result.derived) as MetricName[];
  const row = { ...result.derived, ...result.metrics, kind: result.kind, derived };
  return {
    id: null as string | null,
    kind: result.kind,
    status: result.status,
    system: viewSystem(system, base),
    scenario: {
      id: result.scenario.id,
      input_tokens: result.scenario.inputTokens,
      output_tokens: result.scenario.outputTokens,
      dataset: result.scenario.dataset,
      depth: result.scenario.depth,
      kernel: result.scenario.kernel,
      ...viewQualityTask(result.scenario.quality ?? null),
    },
    workload: toWorkload(result),
    measured_lengths: viewLengths(result.lengths),
    load: {
      mode: result.load.mode,
      level: result.load.level,
      burstiness: result.load.burstiness ?? null,
      max_concurrency: result.load.maxConcurrency ?? null,
    },
    repetition: result.repetition,
    ...viewMetrics(row),
    definitions: result.definitions,
    findings: result.findings,
    passed: result.passed,
    certified: viewCertified(row, result.records?.certificates ?? null),
    limits: viewLimits(result.limits),
    recorded: viewRecorded(result.extra),
    ranges: (result.ranges ?? null) as Record<string, [number, number]> | null,
    trust: result.trust,
    origin: result.origin ?? originOf(result.trust),
    tool: result.tool,
    repeats: result.repeats as ReturnType<typeof viewResult>['repeats'],
    lines: result.lines,
    submission_id: null as string | null,
    copy_of: null as string | null,
    measured_at: result.measuredAt === null ? null : instant(result.measuredAt),
    source: result.source ?? null,
    created_at: null as string | null,
  };
}
