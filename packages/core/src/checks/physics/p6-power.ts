import { gpuFigures } from '../../hardware/gpus.ts';
import { answer, type Check, type Doubt, figure, unchecked } from '../check.ts';

const title = 'The power drawn is plausible for the boards';
/** Partner cards have higher limits, and meters have errors. */
const mostShare = 1.15;
/** A board under load draws more than this share of its maximum. */
const leastShare = 0.05;

export const p6Power: Check = {
  id: 'P6',
  code: 'power_implausible',
  title,
  rule:
    'power_w, of all GPUs together, should be between 5 % and 115 % of GPUs x rated board power, and not above 115 % of the power limit that was set. ' +
    'Needs the GPUs with a rated power. A value outside is a warning: another unit, one of several GPUs, or the whole machine was measured.',
  check({ result: { kind, metrics, system } }) {
    const watts = metrics.power_w;
    if (kind !== 'serving' || watts === undefined) return 'not_applicable';
    const gpus = gpuFigures(system);
    if (gpus === null || gpus.tdpW === null)
      return unchecked(title, ['a GPU of the catalogue with a rated power, and how many']);
    const rated = gpus.count * gpus.tdpW;
    const limit = system.gpuPowerLimitW === null ? null : system.gpuPowerLimitW * gpus.count;
    const toDoubt = (than: string, bound: number): Doubt => ({
      severity: 'warning',
      message: `${figure(watts)} W drawn by ${gpus.count === 1 ? 'one' : `${gpus.count} x`} ${gpus.name} is ${than} ${figure(bound)} W.`,
      evidence: { power_w: watts, bound_w: bound, ratio: watts / bound },
    });
    const whose = gpus.count === 1 ? 'its' : 'their';
    const doubts: Doubt[] = [];
    if (watts > mostShare * rated) doubts.push(toDoubt(`more than ${whose} rated power of`, rated));
    else if (limit !== null && watts > mostShare * limit)
      doubts.push(toDoubt('more than the power limit that was set,', limit));
    if (watts < leastShare * rated) doubts.push(toDoubt(`only a small part of ${whose} rated power of`, rated));
    return answer(doubts);
  },
};
