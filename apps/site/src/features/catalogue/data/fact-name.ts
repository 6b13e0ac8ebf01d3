import { findEngine, findGpu, findGpuFamily, findModel, resolveQuantization } from '@inferboard/core/catalogue/index';
import { gpuTitle } from '@inferboard/core/subjects/system-label';
import { shapeTitle } from '@inferboard/core/workloads/shape-title';

/** "nvfp4 (fp4)": the format that the API reads from a bare "fp4". Other names are separate values. */
function quantizationName(value: string): string {
  if (value.toLowerCase() !== 'fp4') return value;
  const { id } = resolveQuantization(value);
  return id === null ? value : `${id} (${value})`;
}

const titles = new Map<string, (value: string) => string | undefined>([
  ['model', (value) => findModel(value)?.name],
  [
    'gpu',
    (value) => gpuTitle({ id: findGpu(value)?.id ?? null, family: findGpuFamily(value)?.id ?? null, name: value }),
  ],
  ['engine', (value) => findEngine(value)?.name],
  ['scenario', shapeTitle],
  ['quantization', quantizationName],
]);

/** The name of a fact's value: "H100 SXM5 80GB" for h100-sxm. The value itself if the catalogue does not have it. */
export const factName = (fact: string, value: string): string => titles.get(fact)?.(value) ?? value;
