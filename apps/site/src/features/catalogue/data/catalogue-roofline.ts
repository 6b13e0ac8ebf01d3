import { findGpu, type Gpu } from '@inferboard/core/catalogue/index';
import { formatCount } from '../../../lib/format.ts';
import { familyMembers } from './gpu-families.ts';

export interface RooflineRow {
  format: string;
  /** Bytes per weight in this format. */
  bytes: number;
  /** Dense FLOP/s of one device. */
  tflops: number;
  /** Batch size from which decoding is compute-bound instead of bandwidth-bound. */
  batch: string;
  /** Maximum tokens per second of one user, for each 10^9 weights read per token. */
  userSpeed: string;
}

const formats = [
  ['bf16', 2],
  ['fp8', 1],
  ['int8', 1],
  ['fp4', 0.5],
] as const;

/** The devices of a URL: one, or the variants of a family. */
export function devicesOf(id: string): Gpu[] {
  const gpu = findGpu(id);
  return gpu !== null ? [gpu] : familyMembers(id).flatMap((member) => findGpu(member) ?? []);
}

/**
 * The ridge point of one device for dense models and short contexts: reading the weights takes
 * weights x bytes / bandwidth, multiplying them takes 2 x weights x batch / FLOP/s. Both are equal at
 * batch = FLOP/s x bytes / (2 x bandwidth).
 */
export function rooflineOf({ tflopsDense, memoryBandwidthGbs }: Gpu): RooflineRow[] {
  return formats.flatMap(([format, bytes]) => {
    const tflops = tflopsDense[format];
    if (tflops === null) return [];
    const batch = (tflops * 1e12 * bytes) / (2 * memoryBandwidthGbs * 1e9);
    return [
      {
        format,
        bytes,
        tflops,
        batch: formatCount(Math.round(batch)),
        userSpeed: formatCount(Math.round(memoryBandwidthGbs / bytes)),
      },
    ];
  });
}
