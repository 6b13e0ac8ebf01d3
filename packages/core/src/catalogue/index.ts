export { findEngine, resolveEngine } from './engines.ts';
export { findGpu, findGpuFamily, gpuFamilies, gpuVendor, resolveGpu, vendorTitle } from './gpus.ts';
export {
  findModel,
  findModelFamily,
  llamaBenchCandidates,
  modelFamilies,
  resolveModel,
} from './models.ts';
export { catalogueKey } from './names/normalise.ts';
export { quantizationHint } from './names/quantization-hint.ts';
export { fileBits, findQuantization, resolveQuantization } from './quantizations.ts';
export {
  engines,
  type Gpu,
  gpus,
  type Model,
  models,
  type Quantization,
  quantizations,
  scenarios,
  sloPresets,
} from './records.ts';
export { findNamedScenario, nearestScenarios } from './scenario-names.ts';
export { readScenarioName, resolveScenario } from './scenarios.ts';
export { findSloPreset, presetLimits } from './slo-presets.ts';
