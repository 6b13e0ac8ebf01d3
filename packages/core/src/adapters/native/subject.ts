import { type Load, offlineLoad } from '../../subjects/load.ts';
import { type Fact, noFacts, noScenario, type ScenarioFacts, type SystemFacts } from '../adapter.ts';
import type { Report } from './metrics.ts';
import type { NativeReport, NativeResult, NativeScenario } from './schema.ts';

function stated<T>(value: T | null | undefined): Fact<T> | null {
  return value === null || value === undefined ? null : { value, origin: 'stated' };
}

export function toSystem(report: NativeReport): SystemFacts {
  const system = report.system ?? {};
  const { tensor, pipeline, data, expert } = system.parallelism ?? {};
  const parallelism = Object.entries({ tensor, pipeline, data, expert }).filter(([, width]) => width != null);
  return {
    ...noFacts,
    model: stated(system.model),
    quantization: stated(system.quantization),
    gpu: stated(system.gpu),
    gpuCount: stated(system.gpu_count),
    gpuPowerLimitW: stated(system.gpu_power_limit_w),
    engine: stated(system.engine?.name),
    engineVersion: stated(system.engine?.version),
    parallelism: Object.fromEntries(parallelism),
    features: { ...system.features, ...((system.nodes ?? 1) > 1 ? { nodes: system.nodes ?? 1 } : {}) },
  };
}

/** A result's scenario overrides the document's, field by field. */
export function toScenario(
  general: NativeScenario | null | undefined,
  own: NativeScenario | null | undefined,
): ScenarioFacts {
  const given = Object.entries(own ?? {}).filter(([, value]) => value != null);
  const scenario: NativeScenario = { ...general, ...Object.fromEntries(given) };
  const { kernel, quality } = scenario;
  return {
    ...noScenario,
    name: stated(scenario.name),
    inputTokens: stated(scenario.input_tokens),
    outputTokens: stated(scenario.output_tokens),
    dataset: stated(scenario.dataset),
    depth: scenario.depth ?? null,
    kernel:
      kernel == null
        ? null
        : {
            operation: kernel.operation,
            case: kernel.case,
            shape: kernel.shape ?? null,
            sparsity: kernel.sparsity ?? null,
          },
    ...(quality == null
      ? {}
      : {
          quality: {
            task: quality.task,
            metric: quality.metric,
            variant: quality.variant ?? null,
            fewShot: quality.few_shot ?? null,
            context: quality.context ?? null,
          },
        }),
  };
}

export function toLoad(load: NativeResult['load']): Load | null {
  if (load == null) return null;
  if (load.mode === 'unspecified' || load.level == null) return load.regime === 'offline' ? offlineLoad : null;
  const { mode, level, burstiness, max_concurrency: maxConcurrency } = load;
  return {
    mode,
    level,
    ...(burstiness == null ? {} : { burstiness }),
    ...(maxConcurrency == null ? {} : { maxConcurrency }),
    ...(load.regime == null ? {} : { regime: load.regime }),
  };
}

export function checkLevel(load: NativeResult['load'], at: readonly PropertyKey[], add: Report): void {
  if (load == null) return;
  const { mode, level } = load;
  if (mode === 'unspecified') {
    if (level != null) add(at, 'value_invalid', 'A load with the mode "unspecified" must not have a level.');
  } else if (level == null) add(at, 'field_missing', `The mode "${mode}" needs a level.`);
  else if (mode !== 'rate' && !Number.isSafeInteger(level))
    add(at, 'value_invalid', `The level of the mode "${mode}" must be a whole number.`);
}
