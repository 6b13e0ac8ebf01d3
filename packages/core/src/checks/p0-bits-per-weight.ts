import { fileBits, findQuantization } from '../catalogue/index.ts';
import { type Check, figure, unchecked } from './check.ts';

const title = 'File size fits the named quantization';
/** Mixed-precision files legitimately differ this much from the average of their type. */
const tolerance = 0.15;

export const p0BitsPerWeight: Check = {
  id: 'P0',
  code: 'quantization_name_mismatch',
  title,
  rule: '',
  check({ result: { kind, system, extra } }) {
    const { file_bytes, params } = extra;
    if (kind !== 'serving' || (file_bytes === undefined && params === undefined)) return 'not_applicable';
    const named = system.quantization.id === null ? null : findQuantization(system.quantization.id);
    if (typeof file_bytes !== 'number' || typeof params !== 'number' || !named?.bitsPerWeight) {
      return unchecked(title, ['file size, parameter count or the bits of this quantization']);
    }
    const bits = fileBits(file_bytes, params);
    if (Math.abs(bits - named.bitsPerWeight) <= tolerance * named.bitsPerWeight) return 'pass';
    return [
      {
        severity: 'info',
        message: `The file holds ${figure(bits)} bits per weight, but ${system.quantization.name} has ${figure(named.bitsPerWeight)}: it is called by another type's name.`,
        evidence: { bits_per_weight: bits, named: named.id, named_bits_per_weight: named.bitsPerWeight },
      },
    ];
  },
};
