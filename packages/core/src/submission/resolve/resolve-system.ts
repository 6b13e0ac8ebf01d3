import type { Fact, ParsedResult } from '../../adapters/adapter.ts';
import {
  findModel,
  gpuVendor,
  resolveEngine,
  resolveGpu,
  resolveModel,
  resolveQuantization,
} from '../../catalogue/index.ts';
import type { Finding } from '../../checks/check.ts';
import type { Fault } from '../../errors.ts';
import { notApplicable, type System, unspecified } from '../../subjects/system.ts';
import { type Merged, mergeFact, overridden } from '../merge.ts';
import type { Parameters } from '../parameters.ts';
import { agreeOnEngine, agreeOnGpu, agreeOnModel, agreeOnQuantization, agreeOnVersion, plainVersion } from './agree.ts';
import { systemNameFaults } from './check-names.ts';

/** A system, or the faults that prevent it, with findings about the resolution. */
export interface SystemOutcome {
  system: System;
  faults: Fault[];
  findings: Finding[];
}

const requiredFor: Record<ParsedResult['kind'], readonly ('model' | 'gpu' | 'quantization')[]> = {
  serving: ['model', 'gpu', 'quantization'],
  kernel: ['gpu'],
  training: ['model', 'gpu'],
  quality: ['model', 'quantization'],
};

const examples = { model: 'meta-llama/Llama-3.1-8B-Instruct', gpu: 'h100-sxm', quantization: 'fp8' } as const;

function missing(field: keyof typeof examples): Fault {
  return {
    code: `${field}_missing`,
    parameter: field,
    message: `The artifact does not state the ${field}.`,
    hint: `State the ${field}, for example ${field}=${examples[field]}. If it is unknown, use ${field}=${unspecified}.`,
  };
}

/** Removes folders, which describe the submitter's machine; keeps a hub's `org/name`. */
function withoutFolders(name: string): string {
  const parts = name.split(/[/\\]/);
  const isPath = parts.length > 2 || /^(?:[~.]|$|[a-z]:$)/i.test(parts[0] ?? '');
  return isPath ? (parts.findLast((part) => part !== '') ?? name) : name;
}

/** "vLLM 0.11.0" names an engine and its version. */
const versionInName = (name: string | undefined) =>
  name === undefined ? undefined : (resolveEngine(name).version ?? undefined);

function versionFact(engine: Fact<string> | null): Fact<string> | null {
  const version = versionInName(engine?.value);
  return engine === null || version === undefined ? null : { value: version, origin: engine.origin };
}

const countInName = (name: string | null | undefined) => (name == null ? null : resolveGpu(name).count);

/**
 * Resolves the number of GPUs: as stated, as counted in the GPU's name, as required by the model's layout, or one with a
 * finding.
 */
function resolveCount(
  stated: Merged<number>,
  named: number | null,
  gpuKnown: boolean,
  width: number | null,
): { count: number | null; fault?: Fault; finding?: Finding } {
  if (stated.value !== null && named !== null && stated.value !== named) {
    return {
      count: stated.value,
      fault: {
        code: 'facts_contradict',
        parameter: 'gpu_count',
        message: `gpu_count=${stated.value}, but the GPU's name has ${named}.`,
        hint: 'Give the number of GPUs once.',
      },
    };
  }
  const count = stated.value ?? named ?? width;
  if (count !== null || !gpuKnown) return { count };
  return {
    count: 1,
    finding: {
      code: 'gpu_count_assumed',
      severity: 'info',
      message: 'No number of GPUs was given. One is assumed. To change it, pass gpu_count.',
      evidence: { gpu_count: 1 },
    },
  };
}

/** Resolves the system of one result from its artifact and its submitter's facts. Reports all faults at once. */
export function resolveSystem(parsed: ParsedResult, given: Parameters): SystemOutcome {
  const { system: facts, kind } = parsed;
  const required = requiredFor[kind];
  const model = mergeFact('model', given.model, facts.model, agreeOnModel);
  const resolvedModel = model.value === null ? null : resolveModel(model.value);
  const catalogueModel = resolvedModel?.id ? findModel(resolvedModel.id) : null;
  const gpu = mergeFact('gpu', given.gpu, facts.gpu, agreeOnGpu);
  const resolvedGpu = gpu.value === null ? null : resolveGpu(gpu.value);
  const vendor = resolvedGpu === null ? null : gpuVendor(resolvedGpu);
  const agree = agreeOnQuantization(catalogueModel, vendor);
  // A file name often contains the quantization, which is a hint.
  const named: Fact<string> | null = resolvedModel?.quantization
    ? { value: resolvedModel.quantization, origin: 'inferred' }
    : null;
  const quantization = mergeFact('quantization', given.quantization, facts.quantization ?? named, agree);
  const engine = mergeFact('engine', given.engine, facts.engine, agreeOnEngine);
  const engineVersion = mergeFact(
    'engine_version',
    given.engine_version ?? versionInName(given.engine),
    facts.engineVersion ?? versionFact(facts.engine),
    agreeOnVersion,
  );
  const powerLimit = mergeFact('gpu_power_limit_w', given.gpu_power_limit_w, facts.gpuPowerLimitW);
  const statedTensor = facts.parallelism.tensor;
  const tensor = mergeFact(
    'tensor_parallel',
    given.tensor_parallel,
    statedTensor == null ? null : { value: statedTensor, origin: 'stated' },
  );
  const statedCount = mergeFact('gpu_count', given.gpu_count, facts.gpuCount);

  const quantizationName = quantization.value;
  const hintFinding =
    named !== null &&
    facts.quantization !== null &&
    quantizationName !== null &&
    agree(quantizationName, named.value) === null
      ? overridden('quantization', quantizationName, named.value)
      : null;
  const count = resolveCount(
    statedCount,
    // The less exact spelling may include the count.
    [gpu.value, given.gpu, facts.gpu?.value].map(countInName).find((named) => named !== null) ?? null,
    gpu.value !== null && gpu.value !== unspecified,
    tensor.value === null ? null : tensor.value * (facts.parallelism.pipeline ?? 1),
  );

  const values = { model: model.value, gpu: gpu.value, quantization: quantizationName };
  const missingOrWrong = [
    ...required.filter((field) => values[field] === null).map(missing),
    ...[model, quantization, gpu, engine, engineVersion, powerLimit, tensor, statedCount, count].flatMap((merged) =>
      merged.fault ? [merged.fault] : [],
    ),
  ];
  const findings = [model, quantization, gpu, engine, count].flatMap((merged) =>
    merged.finding ? [merged.finding] : [],
  );
  if (hintFinding !== null) findings.push(hintFinding);

  // A kernel has neither, so `unspecified` does not make it another system.
  const absent = (field: 'model' | 'quantization') => (required.includes(field) ? unspecified : notApplicable);
  const isAbsent = (field: 'model' | 'quantization', value: string | null) =>
    value === null || (!required.includes(field) && value === unspecified);
  // Scores hardly depend on GPU and engine, so an evaluation includes them only if stated.
  const absentPlace = kind === 'quality' ? notApplicable : unspecified;
  const namedEngine = engine.value ?? absentPlace;
  const system: System = {
    model:
      resolvedModel && !isAbsent('model', model.value)
        ? { id: resolvedModel.id, name: withoutFolders(resolvedModel.name), family: resolvedModel.family }
        : { id: null, name: absent('model'), family: null },
    quantization: resolveNamedQuantization(
      quantizationName === null || isAbsent('quantization', quantizationName)
        ? absent('quantization')
        : quantizationName,
      catalogueModel,
      vendor,
    ),
    gpu:
      resolvedGpu && !(kind === 'quality' && gpu.value === unspecified)
        ? { id: resolvedGpu.id, name: resolvedGpu.name, family: resolvedGpu.family }
        : { id: null, name: absentPlace, family: null },
    gpuCount: count.count,
    gpuPowerLimitW: powerLimit.value,
    engine: {
      id: resolveEngine(namedEngine).id,
      name: namedEngine,
      version: engineVersion.value && plainVersion(engineVersion.value),
    },
    parallelism: {
      tensor: tensor.value,
      pipeline: facts.parallelism.pipeline ?? null,
      data: facts.parallelism.data ?? null,
      expert: facts.parallelism.expert ?? null,
    },
    features: given.features === undefined ? facts.features : { ...facts.features, ...given.features },
  };
  return { system, faults: [...missingOrWrong, ...systemNameFaults(system)], findings };
}

function resolveNamedQuantization(
  name: string,
  model: ReturnType<typeof findModel>,
  vendor: ReturnType<typeof gpuVendor>,
): System['quantization'] {
  const { id, recipe } = resolveQuantization(name, model, vendor);
  return { id, name, recipe };
}
