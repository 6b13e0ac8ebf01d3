import { gpuFigures } from '../hardware/gpus.ts';
import { isOffloaded } from '../hardware/offload.ts';
import { weightFigures } from '../hardware/weights.ts';
import type { Result } from '../result.ts';
import { type Check, figure, unchecked } from './check.ts';
import { gpusText } from './roofline.ts';

const title = 'The weights fit into memory';
/** Drivers spill a little into host memory; honest results were seen up to here. */
const spillFactor = 1.1;
const gib = 2 ** 30;

/** Bytes of the weights: the file's, or the fewest that the model can have in this format. */
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
    'The weights (the file, else all parameters at the smallest bits the format has) may take GPUs x memory, counted in GiB. ' +
    'Needs the size of the weights and the GPUs; not judged where layers are offloaded or memory is shared with the processor. ' +
    'Up to 1.10 times is a warning, since drivers spill into host memory; beyond is a violation.',
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
      return unchecked(title, ['how much of the weights must lie in memory of the GPU alone']);
    const memory = gpus.count * gpus.memoryBytes;
    if (bytes <= memory) return 'pass';
    const beyond = bytes > memory * spillFactor;
    return [
      {
        severity: beyond && gpus.isCertain ? 'violation' : 'warning',
        message: `The weights take ${figure(bytes / gib)} GiB; ${gpusText(gpus.count, gpus.name)} ${figure(memory / gib)} GiB: part of them must lie outside GPU memory.`,
        evidence: { weights_bytes: bytes, memory_bytes: memory, ratio: bytes / memory },
      },
    ];
  },
};
