import { findQuantization } from '../../catalogue/index.ts';
import { fitsName, measuredBits } from '../../hardware/weights.ts';
import { type Check, figure, unchecked } from '../check.ts';

const title = 'File size fits the named quantization';

export const p0BitsPerWeight: Check = {
  id: 'P0',
  code: 'quantization_name_mismatch',
  title,
  rule:
    'File size x 8 / parameters must be within 15 % of the bits that the named quantization has on average. Needs both, and a format of known width. ' +
    'A larger difference is an info: the file is named after another quantization, and every bound uses its actual bits.',
  check({ result: { kind, system, extra } }) {
    const { file_bytes, params } = extra;
    if (kind !== 'serving' || (file_bytes === undefined && params === undefined)) return 'not_applicable';
    const named = system.quantization.id === null ? null : findQuantization(system.quantization.id);
    const bits = measuredBits(extra);
    if (bits === null || !named?.bitsPerWeight) {
      return unchecked(title, ['file size, parameter count or the bits of this quantization']);
    }
    if (fitsName(bits, named)) return 'pass';
    return [
      {
        severity: 'info',
        message: `The file has ${figure(bits)} bits per weight, but ${system.quantization.name} has ${figure(named.bitsPerWeight)}: the file is named after another quantization.`,
        evidence: { bits_per_weight: bits, named: named.id, named_bits_per_weight: named.bitsPerWeight },
      },
    ];
  },
};
