import { findGpu } from '../catalogue/index.ts';
import { type Check, figure, unchecked } from './check.ts';

const title = 'The weights fit into memory';
/** Drivers spill a little into host memory; honest results were seen up to here. */
const spillFactor = 1.1;
const gib = 2 ** 30;

export const p1MemoryFit: Check = {
  id: 'P1',
  code: 'weights_exceed_memory',
  title,
  rule: '',
  check({ result: { kind, system, extra } }) {
    if (kind !== 'serving') return 'not_applicable';
    const gpu = system.gpu.id === null ? null : findGpu(system.gpu.id);
    const bytes = extra.file_bytes;
    if (gpu === null || typeof bytes !== 'number' || system.gpuCount === null) {
      return unchecked(title, ['the size of the weights or the exact GPU']);
    }
    if (gpu.unifiedMemory || (system.features.offload ?? false) !== false)
      return unchecked(title, ['memory of the GPU alone']);
    const memory = system.gpuCount * gpu.memoryGb * gib;
    if (bytes <= memory) return 'pass';
    const beyond = bytes > memory * spillFactor;
    return [
      {
        severity: beyond && gpu.verified === 'two-sources' ? 'violation' : 'warning',
        message: `The weights take ${figure(bytes / gib)} GiB, ${system.gpuCount} x ${gpu.name} have ${figure(memory / gib)} GiB: part of them must lie outside GPU memory.`,
        evidence: { weights_bytes: bytes, memory_bytes: memory, ratio: bytes / memory },
      },
    ];
  },
};
