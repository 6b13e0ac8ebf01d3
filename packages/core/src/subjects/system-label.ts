import {
  findEngine,
  findGpu,
  findGpuFamily,
  findModel,
  findQuantization,
  resolveGpu,
  vendorTitle,
} from '../catalogue/index.ts';
import {
  type CatalogueRef,
  type FamilyRef,
  notApplicable,
  type QuantizationRef,
  type System,
  unspecified,
} from './system.ts';

const lastSegment = (name: string) => name.slice(name.lastIndexOf('/') + 1);

/** Display name: the catalogue's if it knows the entry, else as written, without folders. */
export function modelTitle(model: FamilyRef): string {
  if (model.id !== null) return findModel(model.id)?.name ?? lastSegment(model.name);
  return model.name === unspecified ? 'unspecified model' : lastSegment(model.name);
}

export function gpuTitle(gpu: FamilyRef): string {
  const known = gpu.id === null ? null : findGpu(gpu.id);
  if (known) return known.name.replace(/^(NVIDIA|AMD|Intel) /, '').replace(/^GeForce /, '');
  if (gpu.family !== null) return findGpuFamily(gpu.family)?.name ?? gpu.name;
  return gpu.name === unspecified ? 'unspecified GPU' : gpu.name;
}

/**
 * Display name: the catalogue's, "Q4_K_M" for "Q4_K - Medium". A name with a recipe, or of a format whose bits vary, stays as
 * written, because it states more than the entry.
 */
export function quantizationTitle({ id, name, recipe }: QuantizationRef): string {
  const format = id === null ? null : findQuantization(id);
  if (format !== null && format.weightBits !== null && recipe.length === 0) return format.name;
  return name === unspecified ? 'unspecified quantization' : name;
}

/**
 * Display name of an entry of the catalogue by its id: "Llama 3.1 8B", "H100 SXM", "FP8", "vLLM". A GPU id can be that of a
 * family or a vendor. Null for kinds and ids that have none.
 */
export function titleOfId(kind: string, id: string): string | null {
  if (kind === 'model') return findModel(id)?.name ?? null;
  if (kind === 'quantization') return findQuantization(id)?.name ?? null;
  if (kind === 'engine') return findEngine(id)?.name ?? null;
  if (kind !== 'gpu') return null;
  if (findGpu(id) !== null) return gpuTitle({ id, name: id, family: null });
  return findGpuFamily(id)?.name ?? vendorTitle(id);
}

export function engineTitle(engine: CatalogueRef & { version: string | null }): string {
  if (engine.name === unspecified) return '';
  const name = (engine.id === null ? null : findEngine(engine.id)?.name) ?? engine.name;
  return engine.version === null ? name : `${name} ${engine.version}`;
}

/** One line that identifies a system: "Llama 2 7B · Q4_0 · RTX PRO 6000 at 600 W · llama.cpp b6413". */
export function systemLabel(system: System): string {
  const isCountedInName = system.gpu.family === null && resolveGpu(system.gpu.name).count !== null;
  const count = system.gpuCount !== null && system.gpuCount > 1 && !isCountedInName ? `${system.gpuCount}x ` : '';
  const power = system.gpuPowerLimitW === null ? '' : ` at ${system.gpuPowerLimitW} W`;
  const parts = [
    system.model.name === notApplicable ? '' : modelTitle(system.model),
    system.quantization.name === notApplicable ? '' : quantizationTitle(system.quantization),
    `${count}${gpuTitle(system.gpu)}${power}`,
    engineTitle(system.engine),
  ];
  return parts.filter((part) => part !== '').join(' · ');
}
