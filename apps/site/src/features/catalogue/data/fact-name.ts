import { findEngine, findGpu, findGpuFamily, findModel } from '@inferboard/core/catalogue/index';
import { gpuTitle } from '@inferboard/core/subjects/system-label';
import { shapeTitle } from '@inferboard/core/workloads/shape-title';

const titles = new Map<string, (value: string) => string | undefined>([
  ['model', (value) => findModel(value)?.name],
  [
    'gpu',
    (value) => gpuTitle({ id: findGpu(value)?.id ?? null, family: findGpuFamily(value)?.id ?? null, name: value }),
  ],
  ['engine', (value) => findEngine(value)?.name],
  ['scenario', shapeTitle],
]);

/** The name of a fact's value: "H100 SXM5 80GB" for h100-sxm. The value itself if the catalogue does not have it. */
export const factName = (fact: string, value: string): string => titles.get(fact)?.(value) ?? value;
