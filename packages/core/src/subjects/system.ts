import { catalogueKey } from '../catalogue/names/normalise.ts';

/** A fact resolved through the catalogue. `id`: null if the catalogue has no such entry; `name`: as written. */
export interface CatalogueRef {
  id: string | null;
  name: string;
}

/** A GPU or model. `family` is also set if only the family is known ("H100", variant unspecified). */
export interface FamilyRef extends CatalogueRef {
  family: string | null;
}

/** A quantization. `recipe` has the tags of a name such as w8a8_sparse_smooth_gptq. */
export interface QuantizationRef extends CatalogueRef {
  recipe: string[];
}

export interface Parallelism {
  tensor: number | null;
  pipeline: number | null;
  data: number | null;
  expert: number | null;
}

/** The measured system. Two results share a system only if all of this is equal (see `systemKey`). */
export interface System {
  model: FamilyRef;
  quantization: QuantizationRef;
  gpu: FamilyRef;
  gpuCount: number | null;
  gpuPowerLimitW: number | null;
  engine: CatalogueRef & { version: string | null };
  parallelism: Parallelism;
  /** All other facts that distinguish systems: flash_attention, speculative_decoding, ... */
  features: Record<string, string | number | boolean>;
}

/** Value for a required fact that the submitter does not disclose. The result ranks with this label. */
export const unspecified = 'unspecified';

/** `name` of a fact that a kind of result does not have: a kernel has no model. */
export const notApplicable = 'n/a';

function refKey(ref: CatalogueRef): string {
  return ref.id === null ? `name:${catalogueKey(ref.name)}` : `id:${ref.id}`;
}

function familyKey(ref: FamilyRef): string {
  return ref.id === null && ref.family !== null ? `family:${ref.family}` : refKey(ref);
}

/**
 * Identity of a system as text: equal for two results if and only if they measured the same system. For entries of the
 * catalogue, the spelling has no effect. Every stated fact counts.
 */
export function systemKey(system: System): string {
  const { tensor, pipeline, data, expert } = system.parallelism;
  return JSON.stringify([
    familyKey(system.model),
    refKey(system.quantization),
    [...system.quantization.recipe].sort(),
    familyKey(system.gpu),
    system.gpuCount,
    system.gpuPowerLimitW,
    refKey(system.engine),
    system.engine.version,
    [tensor, pipeline, data, expert],
    Object.entries(system.features).sort(([a], [b]) => (a < b ? -1 : 1)),
  ]);
}
