const noGpu = /^(?:cpus?(?:[ -]only)?|none|no gpus?)$/i;

/** True for a text that states that there is no GPU, such as "cpu". A system without one is named by its CPU. */
export const isNoGpu = (name: string): boolean => noGpu.test(name.trim());

/** What to state instead. */
export const noGpuHint =
  'If the model runs on a CPU, name it, such as "Intel Xeon 6787P". If it is unknown, use "unspecified".';
