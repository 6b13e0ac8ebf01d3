import { isNoGpu, noGpuHint } from '@inferboard/core/catalogue/names/no-gpu';

/** What is wrong with the option `--gpu` if it states that there is no GPU. */
export const noGpuFaults = (gpu: string | undefined): string[] =>
  gpu !== undefined && isNoGpu(gpu) ? [`--gpu: "${gpu}" does not name a device. ${noGpuHint}`] : [];
