export { type EngineMatch, findEngine, resolveEngine } from './engines.ts';
export { findGpu, findGpuFamily, type GpuFamily, type GpuMatch, gpuFamilies, gpuVendor, resolveGpu } from './gpus.ts';
export {
  findModel,
  findModelFamily,
  llamaBenchCandidates,
  type ModelFamily,
  type ModelMatch,
  modelFamilies,
  resolveModel,
} from './models.ts';
export { catalogueKey } from './normalise.ts';
export { quantizationHint } from './quantization-hint.ts';
export { fileBits, findQuantization, type QuantizationMatch, resolveQuantization } from './quantizations.ts';
export {
  type Engine,
  engines,
  type Gpu,
  gpus,
  type Model,
  models,
  type NamedScenario,
  type Quantization,
  quantizations,
  type SloPreset,
  scenarios,
  sloPresets,
} from './records.ts';
export { findNamedScenario, nearestScenarios } from './scenario-names.ts';
export { readScenarioName, resolveScenario, type ScenarioFacts, type ScenarioMatch } from './scenarios.ts';
export { findSloPreset, presetLimits } from './slo-presets.ts';
