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
