import {
  findEngine,
  findGpu,
  findGpuFamily,
  findModel,
  findQuantization,
  vendorTitle,
} from '@inferboard/core/catalogue/index';
import { fp4Formats } from '@inferboard/core/filters/filters';
import { gpuTitle } from '@inferboard/core/subjects/system-label';
import { shapeTitle } from '@inferboard/core/workloads/shape-title';

const nameOfFormat = (id: string): string | undefined => findQuantization(id)?.name;

/** "NVFP4 or MXFP4 (fp4)": the formats that the filter selects for a bare "fp4". */
const quantizationName = (value: string): string | undefined =>
  value.toLowerCase() === 'fp4' ? `${fp4Formats.map(nameOfFormat).join(' or ')} (${value})` : nameOfFormat(value);

const titles = new Map<string, (value: string) => string | undefined>([
  ['model', (value) => findModel(value)?.name],
  [
    'gpu',
    (value) =>
      vendorTitle(value) ??
      gpuTitle({ id: findGpu(value)?.id ?? null, family: findGpuFamily(value)?.id ?? null, name: value }),
  ],
  ['engine', (value) => findEngine(value)?.name],
  ['scenario', shapeTitle],
  ['quantization', quantizationName],
]);

/** The name of a fact's value: "H100 SXM5 80GB" for h100-sxm. The value itself if the catalogue does not have it. */
export const factName = (fact: string, value: string): string => titles.get(fact)?.(value) ?? value;
