import { fp4Formats } from '@inferboard/core/filters/filters';
import { gpuTitle, titleOfId } from '@inferboard/core/subjects/system-label';
import { shapeTitle } from '@inferboard/core/workloads/shape-title';

const nameOfFormat = (id: string): string => titleOfId('quantization', id) ?? id;

/** The name of a fact's value: "H100 SXM5 80GB" for h100-sxm. The value itself if the catalogue does not have it. */
export function factName(fact: string, value: string): string {
  if (fact === 'scenario') return shapeTitle(value);
  // "NVFP4 or MXFP4 (fp4)": the formats that the filter selects for a bare "fp4".
  if (fact === 'quantization' && value.toLowerCase() === 'fp4')
    return `${fp4Formats.map(nameOfFormat).join(' or ')} (${value})`;
  return titleOfId(fact, value) ?? (fact === 'gpu' ? gpuTitle({ id: null, family: null, name: value }) : value);
}
