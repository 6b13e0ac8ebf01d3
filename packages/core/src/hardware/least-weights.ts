import { findModel, findModelFamily, type Model, models } from '../catalogue/index.ts';
import { derived } from '../catalogue/memo.ts';
import { isWaived } from '../catalogue/names/normalise.ts';
import type { Result } from '../subjects/result.ts';
import { fewestBits, type WeightFigures, weightFigures, weightsOf } from './weights.ts';

/** The lightest weights that match a result's facts. */
export interface LeastWeights {
  weights: WeightFigures & Record<'decodeParams' | 'prefillParams' | 'bytesLeast', number>;
  /** False if the model may be smaller than all models of the catalogue. Caches may then hold it. */
  isNamed: boolean;
  /** Unknown facts of the model and its format. */
  missing: { model: string[]; format: string[] };
}

function fewest(of: readonly Model[], figure: 'matmulParamsPerTokenB' | 'prefillParamsPerTokenB'): number | null {
  const known = of.flatMap((model) => model[figure] ?? []);
  return known.length === 0 ? null : Math.min(...known);
}

/** A model with the minimum of each figure among several models, and an empty cache. */
function smallestOf(of: readonly Model[]): Model | null {
  const [first] = of;
  if (first === undefined) return null;
  return {
    ...first,
    matmulParamsPerTokenB: fewest(of, 'matmulParamsPerTokenB'),
    prefillParamsPerTokenB: fewest(of, 'prefillParamsPerTokenB'),
    kvBytesPerToken16bit: null,
  };
}

const ofCatalogue = derived(() => smallestOf(models));
const ofFamilies = derived(() => new Map<string, Model | null>());

function ofFamily(family: string): Model | null {
  const known = ofFamilies().get(family);
  if (known !== undefined) return known;
  const smallest = smallestOf((findModelFamily(family)?.members ?? []).flatMap((id) => findModel(id) ?? []));
  ofFamilies().set(family, smallest);
  return smallest;
}

/** The substitute for a model that is not fully named; null for an unknown name. */
function standIn({ family, name }: Result['system']['model']): Model | null {
  if (family !== null) return ofFamily(family);
  return isWaived(name) ? ofCatalogue() : null;
}

/**
 * Weights for bounds: of the named model, of the smallest of its family, or of the smallest of the catalogue if it is
 * `unspecified`. Unknown bits are the fewest of any format. Null for an unknown name.
 */
export function leastWeights(result: Pick<Result, 'system' | 'extra'>): LeastWeights | null {
  const { model } = result.system;
  const own = weightFigures(result);
  const other = own === null ? standIn(model) : null;
  const weights = own ?? (other === null ? null : weightsOf(other, result));
  const smallest = ofCatalogue();
  if (weights === null || smallest === null) return null;
  const { decodeParams, prefillParams, bytesLeast } = weights;
  const isCounted = decodeParams !== null && prefillParams !== null;
  return {
    weights: {
      ...weights,
      decodeParams: decodeParams ?? (smallest.matmulParamsPerTokenB ?? 0) * 1e9,
      prefillParams: prefillParams ?? (smallest.prefillParamsPerTokenB ?? 0) * 1e9,
      bytesLeast: bytesLeast ?? fewestBits() / 8,
    },
    isNamed: own !== null || model.family !== null,
    missing: {
      model: own === null ? ['a model of the catalogue'] : isCounted ? [] : ["the model's active parameters"],
      format: bytesLeast === null ? ['the bits of this quantization'] : [],
    },
  };
}
