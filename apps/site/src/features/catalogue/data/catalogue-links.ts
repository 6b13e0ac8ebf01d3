import { findGpu, findGpuFamily, findModel, findQuantization } from '@inferboard/core/catalogue/index';
import { unspecifiedShape } from '@inferboard/core/workloads/shape-name';
import { shapeTitle } from '@inferboard/core/workloads/shape-title';
import type { System } from '../../../lib/api.ts';

const path = (folder: string, id: string) => `/${folder}/${encodeURIComponent(id)}`;

/** URL of the page about a value of a fact; null if the catalogue does not know the value. */
export function cataloguePage(fact: string, id: string): string | null {
  if (fact === 'model') return findModel(id) === null ? null : path('models', id);
  if (fact === 'gpu') return findGpu(id) === null && findGpuFamily(id) === null ? null : path('gpus', id);
  if (fact === 'quantization') return findQuantization(id) === null ? null : path('quantizations', id);
  // Self-describing names that are not in the catalogue have a page too: pp512, a kernel's case.
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

/** The title of a scenario: "Chatbot", "8K→1K", "2,000 → 100 tokens". */
export const scenarioTitle = (id: string): string => shapeTitle(id);
