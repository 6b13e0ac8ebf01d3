import { findQuantization } from '@inferboard/core/catalogue/index';
import { bitsLeast } from '@inferboard/core/questions/fit';
import type { FitAnswer, FitRow, Question } from '@inferboard/core/questions/index';

/** Maximum number of rows in a response. */
const rowsMax = 60;

const gb = (value: number) => `${Number(value.toPrecision(3))} GB`;
const isSame = (a: FitRow, b: FitRow) => a.model === b.model && a.quantization === b.quantization;
const needs = ({ gpusNeeded }: FitRow) => (gpusNeeded === null ? '' : ` and needs ${gpusNeeded} of these GPUs`);
const say = ({ modelName, quantizationName, totalGb }: FitRow) =>
  `${modelName} in ${quantizationName} takes ${gb(totalGb)}`;

const viewRow = (row: FitRow) => ({
  ...{ model: row.model, model_name: row.modelName },
  ...{ quantization: row.quantization, quantization_name: row.quantizationName },
  ...{ weights_gb: row.weightsGb, cache_gb: row.cacheGb, context_tokens: row.contextTokens, requests: row.requests },
  ...{ allowance_gb: row.allowanceGb, total_gb: row.totalGb },
  ...{ fits: row.fits, gpus_needed: row.gpusNeeded, arithmetic: row.arithmetic },
});

export const viewFit = ({ memoryGb, usableGb, gpu, gpuCount, rows }: FitAnswer) => ({
  ...{ memory_gb: memoryGb, usable_gb: usableGb, gpu, gpu_count: gpuCount, count: rows.length },
  rows: rows.slice(0, rowsMax).map(viewRow),
});

/**
 * The row that needs the fewest GPUs in a format of at least four bits, or in any if there is none. Of several, the one with the
 * most bits. Without a GPU, the smallest row.
 */
function smallerOf(rows: readonly FitRow[]): FitRow | undefined {
  const bySize = rows.toSorted((a, b) => a.totalGb - b.totalGb);
  const smallest =
    bySize.find(({ quantization }) => (findQuantization(quantization)?.bitsPerWeight ?? 0) >= bitsLeast) ?? bySize[0];
  if (smallest === undefined || smallest.gpusNeeded === null) return bySize[0];
  return rows.find(({ model, gpusNeeded }) => model === smallest.model && gpusNeeded === smallest.gpusNeeded);
}

/** States what fits, with the arithmetic of the deciding row. */
export function sayFit(question: Question, { usableGb, rows }: FitAnswer): string {
  const [first] = rows;
  if (first === undefined) return 'The catalogue has no size for this.';
  const computed = 'Computed from the catalogue, not measured';
  if (usableGb === null) {
    if (question.filters.model === undefined)
      return 'The memory depends on the model. Name one, such as "llama 3.1 70b".';
    const last = rows.at(-1);
    const range = last === undefined || last === first ? '' : `; ${say(last)}`;
    return `${computed}: ${say(first)}${range}. ${first.arithmetic}.`;
  }
  const fitting = rows.filter(({ fits }) => fits);
  const [best] = fitting;
  if (best === undefined) {
    const smaller = smallerOf(rows) ?? first;
    const written = [...(isSame(first, smaller) ? [] : [first]), smaller];
    const sizes = written.map((row) => `${say(row)}${needs(row)}: ${row.arithmetic}.`);
    return `${computed}: nothing requested fits in ${gb(usableGb)}. ${sizes.join(' ')}`;
  }
  const needed =
    best.gpusNeeded === null || question.filters.model === undefined ? '' : ` (${best.gpusNeeded} of these GPUs)`;
  const others = fitting.length - 1;
  const isOneModel = fitting.every(({ model }) => model === best.model);
  const what = isOneModel ? 'smaller format' : 'other combination';
  const more = others === 0 ? '' : ` ${others} ${what}${others === 1 ? ' also fits' : 's also fit'}.`;
  return `${computed}: fits in ${gb(usableGb)}: ${say(best)}${needed}: ${best.arithmetic}.${more}`;
}
