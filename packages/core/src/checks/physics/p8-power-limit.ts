import { leastRatedWatts } from '../../hardware/gpus.ts';
import { type Check, figure, unchecked } from '../check.ts';

const title = 'The GPU accepts the power limit';
/**
 * The catalogue has rated powers but not the lowest limit of a card. That limit is between a quarter and three quarters of
 * the rated power (RTX PRO 6000: 150 of 600 W, A100 SXM: 100 of 400 W). Half is used for all cards.
 */
const lowestSetting = 0.5;
/** A limit below this share of the lowest setting is not possible. */
const leastShare = 0.3;

export const p8PowerLimit: Check = {
  id: 'P8',
  code: 'power_limit_impossible',
  title,
  rule:
    'gpu_power_limit_w, of each GPU, must be 15 % of its rated board power or more: 30 % of the lowest setting, which is assumed to be half of the rated power. For a family, the variant with the least power is used; for a GPU without a rated power, the least of the catalogue, and a limit above it stays unchecked. ' +
    'A lower limit is a violation: no card accepts it, and it would inflate tokens per joule.',
  check({ result: { system } }) {
    const limit = system.gpuPowerLimitW;
    if (limit === null) return 'not_applicable';
    const { watts, isOwn } = leastRatedWatts(system);
    const least = leastShare * lowestSetting * watts;
    if (limit >= least) return isOwn ? 'pass' : unchecked(title, ['the rated power of this GPU']);
    const whose = isOwn ? `the GPU "${system.gpu.name}", rated for ${figure(watts)} W,` : 'the GPUs of the catalogue';
    return [
      {
        severity: 'violation',
        message: `A power limit of ${figure(limit)} W is too low. The minimum for ${whose} is ${figure(least)} W.`,
        evidence: { power_limit_w: limit, bound_w: least, rated_w: watts },
      },
    ];
  },
};
