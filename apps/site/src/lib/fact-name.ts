import { findEngine, findGpu, findGpuFamily, findModel } from '@inferboard/core/catalogue/index';

const finders: Readonly<Record<string, (id: string) => { name: string } | null>> = {
  model: findModel,
  gpu: (id) => findGpu(id) ?? findGpuFamily(id),
  engine: findEngine,
};

/** The catalogue's name of a fact's value: "H100 SXM5 80GB" for h100-sxm. The value itself if the catalogue does not have it. */
export const factName = (fact: string, value: string): string => finders[fact]?.(value)?.name ?? value;
