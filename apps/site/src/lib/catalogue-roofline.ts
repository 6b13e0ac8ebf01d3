import { findGpu, type Gpu } from '@inferboard/core/catalogue/index';
import { familyMembers } from './catalogue-facts.ts';
import { formatCount } from './format.ts';

export interface RooflineRow {
  format: string;
  /** Bytes of a weight in this format. */
  bytes: number;
  /** Dense arithmetic of one device. */
  tflops: number;
  /** Sequences in a batch from which decoding is bound by arithmetic, not by reading weights. */
  batch: string;
  /** The fastest that one user can be served for each 10^9 weights read per token. */
  userSpeed: string;
}

const formats = [
  ['bf16', 2],
  ['fp8', 1],
  ['int8', 1],
  ['fp4', 0.5],
] as const;

/** Devices that an address means: one, or the variants of a family. */
export function devicesOf(id: string): Gpu[] {
  const gpu = findGpu(id);
  return gpu !== null ? [gpu] : familyMembers(id).flatMap((member) => findGpu(member) ?? []);
}

/**
 * Where the two walls of the hardware meet, of one device, dense models, short contexts: reading weights takes
 * weights x bytes / bandwidth, multiplying them 2 x weights x batch / FLOP/s, so they are equal at
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
