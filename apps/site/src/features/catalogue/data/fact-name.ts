import { findEngine, findGpu, findGpuFamily, findModel } from '@inferboard/core/catalogue/index';
import { fp4Formats } from '@inferboard/core/filters/filters';
import { gpuTitle } from '@inferboard/core/subjects/system-label';
import { shapeTitle } from '@inferboard/core/workloads/shape-title';

/** "nvfp4 or mxfp4 (fp4)": the formats that the filter selects for a bare "fp4". Other names are separate values. */
const quantizationName = (value: string): string =>
  value.toLowerCase() === 'fp4' ? `${fp4Formats.join(' or ')} (${value})` : value;

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
