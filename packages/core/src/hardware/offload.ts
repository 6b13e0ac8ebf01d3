import { findModel } from '../catalogue/index.ts';
import type { Result } from '../subjects/result.ts';
import { isOn } from './switches.ts';

const offloading = ['offload', 'cpu_offload', 'cpu_offload_gb', 'n_cpu_moe', 'no_kv_offload'] as const;
/** Values from here up mean "all layers on the GPU". */
const allLayers = 99;

/** True if weights or cache are outside GPU memory. Then GPU memory does not limit the speed. */
export function isOffloaded({ system, extra }: Pick<Result, 'system' | 'extra'>): boolean {
  const { features, model } = system;
  if (offloading.some((name) => isOn(features[name]))) return true;
  if (/cpu/iu.test(String(features.override_tensor ?? extra.override_tensor ?? ''))) return true;
  const onGpu = features.n_gpu_layers ?? extra.n_gpu_layers;
  if (typeof onGpu !== 'number' || onGpu < 0 || onGpu >= allLayers) return false;
  return onGpu < ((model.id === null ? null : findModel(model.id)?.layers) ?? allLayers);
}
