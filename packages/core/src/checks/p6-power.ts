import { gpuFigures } from '../hardware/gpus.ts';
import { answer, type Check, type Doubt, figure, unchecked } from './check.ts';

const title = 'The power drawn is what such boards draw';
/** Partner cards ship with higher limits, and meters err. */
const mostShare = 1.15;
/** A board under load draws more than this of what it may. */
const leastShare = 0.05;

export const p6Power: Check = {
  id: 'P6',
  code: 'power_implausible',
  title,
  rule:
    'power_w, of all GPUs together, should lie between 5 % and 115 % of GPUs x rated board power, and not above 115 % of the power limit that was set. ' +
    'Needs the GPUs with a rated power. Outside is a warning: another unit, one GPU of several, or the whole machine was measured.',
  check({ result: { kind, metrics, system } }) {
    const watts = metrics.power_w;
    if (kind !== 'serving' || watts === undefined) return 'not_applicable';
    const gpus = gpuFigures(system);
    if (gpus === null || gpus.tdpW === null)
      return unchecked(title, ['a GPU of the catalogue with a rated power, and how many']);
    const rated = gpus.count * gpus.tdpW;
    const limit = system.gpuPowerLimitW === null ? null : system.gpuPowerLimitW * gpus.count;
    const told = (than: string, bound: number): Doubt => ({
      severity: 'warning',
      message: `${figure(watts)} W drawn by ${gpus.count === 1 ? 'one' : `${gpus.count} x`} ${gpus.name} is ${than} ${figure(bound)} W.`,
      evidence: { power_w: watts, bound_w: bound, ratio: watts / bound },
    });
    const whose = gpus.count === 1 ? 'its' : 'their';
    const doubts: Doubt[] = [];
    if (watts > mostShare * rated) doubts.push(told(`more than ${whose} rated power of`, rated));
    else if (limit !== null && watts > mostShare * limit)
      doubts.push(told('more than the power limit that was set,', limit));
    if (watts < leastShare * rated) doubts.push(told(`hardly anything of ${whose} rated power of`, rated));
    return answer(doubts);
  },
};
