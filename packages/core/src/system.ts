import { catalogueKey } from './catalogue/normalise.ts';

/** A fact resolved through the catalogue. `id` null: the catalogue has no such entry; `name`: as it was written. */
export interface CatalogueRef {
  id: string | null;
  name: string;
}

/** A GPU or model; `family` is set too when only the family is known ("H100", variant unspecified). */
export interface FamilyRef extends CatalogueRef {
  family: string | null;
}

/** A quantization; `recipe` holds the tags behind a name such as w8a8_sparse_smooth_gptq. */
export interface QuantizationRef extends CatalogueRef {
  recipe: string[];
}

export interface Parallelism {
  tensor: number | null;
  pipeline: number | null;
  data: number | null;
  expert: number | null;
}

/** What was measured. Two results share a system only when all of this is equal (see `systemKey`). */
export interface System {
  model: FamilyRef;
  quantization: QuantizationRef;
  gpu: FamilyRef;
  gpuCount: number | null;
  gpuPowerLimitW: number | null;
  engine: CatalogueRef & { version: string | null };
  parallelism: Parallelism;
  /** Everything else that makes a system another one: flash_attention, speculative_decoding, ... */
  features: Record<string, string | number | boolean>;
}

/** What a submitter writes who does not want to state a required fact. It ranks, labelled so. */
export const unspecified = 'unspecified';

/** Stands in `name` where a kind of result has no such fact: a kernel has no model. */
export const notApplicable = 'n/a';

function refKey(ref: CatalogueRef): string {
  return ref.id === null ? `name:${catalogueKey(ref.name)}` : `id:${ref.id}`;
}

function familyKey(ref: FamilyRef): string {
  return ref.id === null && ref.family !== null ? `family:${ref.family}` : refKey(ref);
}

/**
 * The identity of a system as text: equal for two results if and only if they measured the same thing. Spelling does
 * not count where the catalogue knows the entry; every stated fact does.
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
