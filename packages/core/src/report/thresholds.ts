/** How a reader should take a finding; `info` states figures and judges nothing. */
export type Severity = 'good' | 'info' | 'notice' | 'bad';

/** A limit that a sentence may judge by. Every judgement of a report names one of these. */
export interface Threshold {
  id: string;
  value: number;
  /** Unit of `value`; empty for ratios, printed as a percentage or a factor. */
  unit: string;
  /** As sentences print it: "20 ms". */
  text: string;
  /** What it means and why it lies there. */
  reason: string;
}

export const ttftLimitDefaultS = 3;

const itlFluid: Threshold = {
  id: 'itl_fluid',
  value: 20,
  unit: 'ms',
  text: '20 ms',
  reason: 'With gaps of up to 20 ms between tokens a stream seems to be there at once.',
};
const itlSluggish: Threshold = {
  id: 'itl_sluggish',
  value: 70,
  unit: 'ms',
  text: '70 ms',
  reason: 'With gaps beyond 70 ms readers wait for words; up to there they notice the pace and live with it.',
};
const speedExcellent: Threshold = {
  id: 'speed_excellent',
  value: 100,
  unit: 'tok/s',
  text: '100 tok/s',
  reason: 'Our own mark: 10 ms a token, half of what still seems instant, so an answer of 256 tokens streams in 2.6 s.',
};
const speedFluid: Threshold = {
  id: 'speed_fluid',
  value: 50,
  unit: 'tok/s',
  text: '50 tok/s',
  reason: 'The fluid gap of 20 ms as a speed: 1000 / 20.',
};
const speedSluggish: Threshold = {
  id: 'speed_sluggish',
  value: 14.3,
  unit: 'tok/s',
  text: '14.3 tok/s',
  reason: 'The sluggish gap of 70 ms as a speed: 1000 / 70, rounded.',
};
const scalingWell: Threshold = {
  id: 'scaling_well',
  value: 0.7,
  unit: '',
  text: '70 %',
  reason: 'Our own mark: who keeps 70 % of a lone user’s speed hardly notices the company.',
};
const scalingPoor: Threshold = {
  id: 'scaling_poor',
  value: 0.25,
  unit: '',
  text: '25 %',
  reason: 'Our own mark: below a quarter each user is four times slower than alone, and more users mostly take turns.',
};
const scalingBelievable: Threshold = {
  id: 'scaling_believable',
  value: 1.1,
  unit: '',
  text: '110 %',
  reason:
    'Sharing makes nobody faster; a tenth is left for noise. Beyond, the single run was slow or the set-ups differ.',
};
const rangeNarrow: Threshold = {
  id: 'range_narrow',
  value: 1.5,
  unit: '',
  text: '1.5 times',
  reason:
    'Our own mark: when the best served workload gets at most half as much again as the worst, users see one system.',
};
const roofline: Threshold = {
  id: 'roofline',
  value: 1,
  unit: '',
  text: '100 %',
  reason:
    'Memory bandwidth and arithmetic of the stated hardware allow no more. A higher figure or its configuration is wrong.',
};
const gapRough: Threshold = {
  id: 'depth_gap_rough',
  value: 4,
  unit: '',
  text: '4 times',
  reason: 'Our own mark: sweeps double the depth; a straight line over more than two doublings is a rough guide.',
};

/** All limits of a report, in one place. The TTFT limit is the caller's, in seconds. */
export function thresholdsAt(ttftLimitS: number) {
  const isShort = Number.isInteger(ttftLimitS);
  const ttft: Threshold = {
    id: 'ttft_limit',
    value: ttftLimitS,
    unit: 's',
    text: `${isShort ? ttftLimitS.toFixed(1) : ttftLimitS} s`,
    reason:
      'Users who wait longer for a first token take the system for slow; 3.0 s unless the caller names another limit.',
  };
  return {
    ttft,
    itlFluid,
    itlSluggish,
    speedExcellent,
    speedFluid,
    speedSluggish,
    scalingWell,
    scalingPoor,
    scalingBelievable,
    rangeNarrow,
    gapRough,
    roofline,
  };
}

export type Thresholds = ReturnType<typeof thresholdsAt>;
