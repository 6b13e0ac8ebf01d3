import { catalogueKey } from '@inferboard/core/catalogue/index';
import type { Finding } from '@inferboard/core/checks/check';
import { type CheckedResult, originOf } from '@inferboard/core/subjects/result';
import { type Scenario, scenarioKey } from '@inferboard/core/subjects/scenario';
import { type System, systemKey } from '@inferboard/core/subjects/system';
import { systemLabel } from '@inferboard/core/subjects/system-label';
import type { SystemRow } from '../boards/lists/row-types.ts';
import { createId, idOfFacts } from './ids.ts';

/** Rows in snake_case, as `jsonb_populate_recordset` expects them. */
export type Row = Record<string, unknown>;

export function toSystemRow(system: System): Row & { id: string; label: string } {
  return {
    id: idOfFacts('sys', systemKey(system)),
    label: systemLabel(system),
    model_id: system.model.id,
    model_family: system.model.family,
    model_name: system.model.name,
    model_key: catalogueKey(system.model.name),
    quantization_id: system.quantization.id,
    quantization_name: system.quantization.name,
    quantization_key: catalogueKey(system.quantization.name),
    quantization_recipe: system.quantization.recipe,
    gpu_id: system.gpu.id,
    gpu_family: system.gpu.family,
    gpu_name: system.gpu.name,
    gpu_key: catalogueKey(system.gpu.name),
    gpu_count: system.gpuCount,
    gpu_power_limit_w: system.gpuPowerLimitW,
    engine_id: system.engine.id,
    engine_name: system.engine.name,
    engine_key: catalogueKey(system.engine.name),
    engine_version: system.engine.version,
    parallelism: system.parallelism,
    features: system.features,
  };
}

export function toScenarioRow(scenario: Scenario): Row & { key: string } {
  return {
    key: scenarioKey(scenario),
    name: scenario.id,
    input_tokens: scenario.inputTokens,
    output_tokens: scenario.outputTokens,
    dataset: scenario.dataset,
    depth: scenario.depth,
    kernel: scenario.kernel,
    quality: scenario.quality ?? null,
  };
}

/** Columns of a result, without metric columns and columns that the database fills. */
export const resultFacts = [
  'id',
  'submission_id',
  'account_id',
  'ordinal',
  'point_id',
  'status',
  'copy_of',
  'copy_reason',
  'own_trust',
  'trust',
  'origin',
  'tool',
  'tool_version',
  'measured_lengths',
  'repetition',
  'definitions',
  'derived',
  'repeats',
  'limits',
  'certificates',
  'ranges',
  'extra',
  'findings',
  'passed',
  'unchecked',
  'line_from',
  'line_to',
  'measured_at',
  'source',
] as const;

/** A result as its row. */
export function toResultRow(
  result: CheckedResult,
  place: {
    submissionId: string;
    accountId: string;
    ordinal: number;
    pointId: number;
    copyOf: string | null;
    copyReason: string | null;
    /** A new id is created if omitted. */
    id?: string;
  },
): Row & { id: string; findings: Finding[] } {
  return {
    id: place.id ?? createId('res'),
    submission_id: place.submissionId,
    account_id: place.accountId,
    ordinal: place.ordinal,
    point_id: place.pointId,
    status: result.status,
    copy_of: place.copyOf,
    copy_reason: place.copyReason,
    own_trust: result.trust,
    trust: result.trust,
    origin: result.origin ?? originOf(result.trust),
    tool: result.tool.name,
    tool_version: result.tool.version,
    measured_lengths: result.lengths,
    repetition: result.repetition,
    definitions: result.definitions,
    derived: Object.keys(result.derived),
    repeats: result.repeats,
    limits: result.limits,
    certificates: result.records?.certificates ?? null,
    ranges: result.ranges ?? null,
    extra: result.extra,
    findings: result.findings.filter((finding) => finding.severity !== 'unchecked'),
    passed: result.passed,
    unchecked: result.findings
      .filter((finding) => finding.severity === 'unchecked')
      .map(({ evidence }) => [evidence.check, evidence.missing]),
    line_from: result.lines.from,
    line_to: result.lines.to,
    measured_at: result.measuredAt,
    source: result.source ?? null,
    ...result.derived,
    ...result.metrics,
  };
}

/** A system as the database would return it, without storing it. */
export function systemRowOf(system: System): SystemRow {
  return { ...(toSystemRow(system) as unknown as SystemRow), created_at: '' };
}
