import { findGpu, findGpuFamily, findModel, findQuantization } from '@inferboard/core/catalogue/index';
import { findNamedScenario } from '@inferboard/core/catalogue/scenario-names';
import { unspecifiedShape } from '@inferboard/core/workloads/shape-name';
import type { Scenario, System } from './api.ts';

const path = (folder: string, id: string) => `/${folder}/${encodeURIComponent(id)}`;

/** The page about a value of a fact; null where there is none: the catalogue does not know the value. */
export function cataloguePage(fact: string, id: string): string | null {
  if (fact === 'model') return findModel(id) === null ? null : path('models', id);
  if (fact === 'gpu') return findGpu(id) === null && findGpuFamily(id) === null ? null : path('gpus', id);
  if (fact === 'quantization') return findQuantization(id) === null ? null : path('quantizations', id);
  // What is no row of the catalogue has a page too where its name says what it is: pp512, a kernel's case.
  if (fact === 'scenario') return id === unspecifiedShape ? null : path('scenarios', id);
  return null;
}

export function modelPage({ model }: System): string | null {
  return model.id === null ? null : cataloguePage('model', model.id);
}

export function gpuPage({ gpu }: System): string | null {
  const id = gpu.id ?? gpu.family;
  return id === null ? null : cataloguePage('gpu', id);
}

export function quantizationPage({ quantization }: System): string | null {
  return quantization.id === null ? null : cataloguePage('quantization', quantization.id);
}

export function scenarioPage({ id }: Scenario): string | null {
  return cataloguePage('scenario', id);
}

/** The catalogue's name of a named scenario, else its id. */
export function scenarioTitle(id: string): string {
  return findNamedScenario(id)?.title ?? id;
}
