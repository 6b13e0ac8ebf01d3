/** How a run chose among the devices it found, as the options say it; undefined or a default where it did not. */
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
 * GPUs that hold part of the model, of as many as were found: those that were chosen, that have a share above 0, and the
 * first alone where the model is not split. Null where nothing tells their number.
 */
export function gpusUsed(found: number | null, { devices, tensorSplit, splitMode }: DeviceChoice): number | null {
  if (devices?.trim() === 'none') return null;
  if (splitMode?.trim() === 'none') return 1;
  const chosen = partsOf(devices).filter((name) => name !== 'auto').length;
  const shares = partsOf(tensorSplit).filter((share) => Number(share) > 0).length;
  const counts = [found ?? 0, chosen, shares].filter((count) => count > 0);
  return counts.length === 0 ? null : Math.min(...counts);
}
