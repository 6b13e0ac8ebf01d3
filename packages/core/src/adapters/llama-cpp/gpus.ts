/** How the options of a run select among the found devices; undefined or a default if they do not. */
export interface DeviceChoice {
  /** `CUDA0/CUDA2` or `CUDA0,CUDA2`. */
  devices?: string | undefined;
  /** `3.00/1.00`: the share of the model on each device. */
  tensorSplit?: string | undefined;
  /** `none`, `layer`, `row`. */
  splitMode?: string | undefined;
}

const partsOf = (text = '') =>
  text
    .split(/[/,]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');

/**
 * Number of GPUs that hold a part of the model: the selected GPUs with a share above 0, or only the first if the model is
 * not split. Null if the number is unknown.
 */
export function gpusUsed(found: number | null, { devices, tensorSplit, splitMode }: DeviceChoice): number | null {
  if (devices?.trim() === 'none') return null;
  if (splitMode?.trim() === 'none') return 1;
  const chosen = partsOf(devices).filter((name) => name !== 'auto').length;
  const shares = partsOf(tensorSplit).filter((share) => Number(share) > 0).length;
  const counts = [found ?? 0, chosen, shares].filter((count) => count > 0);
  return counts.length === 0 ? null : Math.min(...counts);
}
