import { type CommandLine, optionValues } from '../reading/context/command-line.ts';

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

/** With this many layers or more, all are on the GPU. */
const layersMost = 99;
const longest = 200;

const valuesOf = (command: CommandLine, ...names: string[]) =>
  optionValues(command, ...names).filter((value) => !value.includes('$'));

/** The tensors that a command keeps on other devices. Their description may be cut; `offload` is set if one is the CPU. */
export function overridesOf(command: CommandLine | null): Record<string, string | boolean> {
  const text = command === null ? '' : valuesOf(command, '-ot', '--override-tensor').join(',');
  return {
    ...(text === '' ? {} : { override_tensor: text.slice(0, longest) }),
    ...(/=cpu\b/i.test(text) ? { offload: true } : {}),
  };
}

/** The options of a command that keep weights outside GPU memory, as facts of the system under llama-bench's names. */
export function offloadOf(command: CommandLine | null): Record<string, string | number | boolean> {
  if (command === null) return {};
  const whole = (...names: string[]) => {
    const value = valuesOf(command, ...names).at(-1) ?? '';
    return /^\d{1,4}$/.test(value) ? Number(value) : null;
  };
  const experts = whole('-ncmoe', '--n-cpu-moe') ?? 0;
  const isAllExperts = command.words.some((word) => word === '-cmoe' || word === '--cpu-moe');
  const layers = whole('-ngl', '--gpu-layers', '--n-gpu-layers');
  return {
    ...overridesOf(command),
    ...(experts > 0 ? { n_cpu_moe: experts } : {}),
    ...(isAllExperts ? { cpu_moe: true } : {}),
    ...(layers === null || layers >= layersMost ? {} : { n_gpu_layers: layers }),
    ...(experts > 0 || isAllExperts ? { offload: true } : {}),
  };
}
