import { gpuFigures } from '../../hardware/gpus.ts';
import { isOffloaded } from '../../hardware/offload.ts';
import { weightFigures } from '../../hardware/weights.ts';
import type { Result } from '../../subjects/result.ts';
import { type Check, figure, unchecked } from '../check.ts';
import { gpusText } from './roofline.ts';

const title = 'The weights fit in memory';
/** Drivers move some data into host memory; honest results reach up to this factor. */
const spillFactor = 1.1;
const gib = 2 ** 30;

/** Returns the bytes of the weights: the file's, or the minimum for the model in this format. */
function weightBytes(result: Result): number | null {
  const { file_bytes } = result.extra;
  if (typeof file_bytes === 'number') return file_bytes;
  const weights = weightFigures(result);
  return weights === null || weights.bytesLeast === null ? null : weights.params * weights.bytesLeast;
}

export const p1MemoryFit: Check = {
  id: 'P1',
  code: 'weights_exceed_memory',
  title,
  rule:
    'The weights (the file, else all parameters at the fewest bits of the format) may take at most GPUs x memory, in GiB. ' +
    'Needs the size of the weights and the GPUs. Not checked if layers are offloaded or memory is shared with the CPU. ' +
    'Up to 1.10 times is a warning, because drivers spill into host memory; more is a violation.',
  check({ result }) {
    const { kind, system } = result;
    if (kind !== 'serving') return 'not_applicable';
    const gpus = gpuFigures(system);
    const bytes = weightBytes(result);
    if (gpus === null || bytes === null) {
      return unchecked(title, [
        ...(bytes === null ? ['the size of the weights'] : []),
        ...(gpus === null ? ['a GPU of the catalogue and how many'] : []),
      ]);
    }
    if (gpus.isUnified || isOffloaded(result))
      return unchecked(title, ['how much of the weights must be in GPU memory']);
    const memory = gpus.count * gpus.memoryBytes;
    if (bytes <= memory) return 'pass';
    const beyond = bytes > memory * spillFactor;
    return [
      {
        severity: beyond && gpus.isCertain ? 'violation' : 'warning',
        message: `The weights take ${figure(bytes / gib)} GiB; ${gpusText(gpus.count, gpus.name)} ${figure(memory / gib)} GiB: part of them must be outside GPU memory.`,
        evidence: { weights_bytes: bytes, memory_bytes: memory, ratio: bytes / memory },
      },
    ];
  },
};
