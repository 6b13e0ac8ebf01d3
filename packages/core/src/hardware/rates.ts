import type { GpuFigures } from './gpus.ts';
import type { WeightFigures } from './weights.ts';

type Formats = readonly (keyof GpuFigures['flops'])[];

const anyFormat: Formats = ['bf16', 'fp16', 'fp8', 'fp4', 'int8'];
const sixteen: Formats = ['bf16', 'fp16'];
const eight: Formats = ['fp8', 'int8', ...sixteen];

/** Formats that a system could multiply in. Formats wider than its activations are slower but possible. */
function possibleFormats({ activationBits, format }: WeightFigures): Formats {
  if (activationBits === null || activationBits < 8) return anyFormat;
  // GGUF kernels round activations to eight bits if that is faster.
  if (format === 'gguf') return ['int8', ...sixteen];
  return activationBits < 16 ? eight : sixteen;
}

/** Highest dense rate of one GPU that could apply, in operations per second; null if none is known. */
export function flopsMost({ flops }: GpuFigures, weights: WeightFigures): number | null {
  const most = Math.max(0, ...possibleFormats(weights).map((format) => flops[format] ?? 0));
  return most === 0 ? null : most * (weights.isSparse ? 2 : 1);
}

/** Rate of the precision in use, for utilization; null if the format does not determine it. */
export function flopsOfPrecision({ flops }: GpuFigures, { activationBits, format }: WeightFigures): number | null {
  if (activationBits === null || format === 'gguf') return null;
  if (activationBits === 16) return flops.bf16 ?? flops.fp16 ?? null;
  if (activationBits === 8) return (format === 'int' ? flops.int8 : flops.fp8) ?? null;
  return activationBits === 4 ? (flops.fp4 ?? null) : null;
}
