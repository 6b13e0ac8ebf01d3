/** Severity of a finding; `info` states figures without a judgement. */
export type Severity = 'good' | 'info' | 'notice' | 'bad';

/** A limit for judgements. Every judgement of a report names one. */
export interface Threshold {
  id: string;
  value: number;
  /** Unit of `value`; empty for ratios, printed as a percentage or a factor. */
  unit: string;
  /** Text in sentences: "20 ms". */
  text: string;
  /** Its meaning and the reason for its value. */
  reason: string;
}

export const ttftLimitDefaultS = 3;

const itlFluid: Threshold = {
  id: 'itl_fluid',
  value: 20,
  unit: 'ms',
  text: '20 ms',
  reason: 'With gaps of up to 20 ms between tokens, a stream appears instant.',
};
const itlSluggish: Threshold = {
  id: 'itl_sluggish',
  value: 70,
  unit: 'ms',
  text: '70 ms',
  reason: 'With gaps above 70 ms, readers wait for words. Up to 70 ms they notice the speed but accept it.',
};
const speedExcellent: Threshold = {
  id: 'speed_excellent',
  value: 100,
  unit: 'tok/s',
  text: '100 tok/s',
  reason:
    'Our own threshold: 10 ms per token, half of what still appears instant, so a response of 256 tokens streams in 2.6 s.',
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
  reason: 'Our own threshold: users who keep 70 % of the single-user speed hardly notice other users.',
};
const scalingPoor: Threshold = {
  id: 'scaling_poor',
  value: 0.25,
  unit: '',
  text: '25 %',
  reason:
    'Our own threshold: below a quarter, each user is more than four times slower than alone, and users mostly take turns.',
};
const scalingBelievable: Threshold = {
  id: 'scaling_believable',
  value: 1.1,
  unit: '',
  text: '110 %',
  reason:
    'Sharing does not make users faster; a tenth is allowed for noise. Above that, the single run was slow or the set-ups differ.',
};
const rangeNarrow: Threshold = {
  id: 'range_narrow',
  value: 1.5,
  unit: '',
  text: '1.5 times',
  reason:
    'Our own threshold: if the best workload gets at most 1.5 times the speed of the worst, users see one consistent system.',
};
const roofline: Threshold = {
  id: 'roofline',
  value: 1,
  unit: '',
  text: '100 %',
  reason:
    'The limit set by memory bandwidth and arithmetic of the stated hardware. If a figure is higher, it or its configuration is wrong.',
};
const gapRough: Threshold = {
  id: 'depth_gap_rough',
  value: 4,
  unit: '',
  text: '4 times',
  reason: 'Our own threshold: sweeps double the depth; a straight line over more than two doublings is a rough guide.',
};

/** All limits of a report. The caller's TTFT limit is in seconds. */
export function thresholdsAt(ttftLimitS: number) {
  const isShort = Number.isInteger(ttftLimitS);
  const ttft: Threshold = {
    id: 'ttft_limit',
    value: ttftLimitS,
    unit: 's',
    text: `${isShort ? ttftLimitS.toFixed(1) : ttftLimitS} s`,
    reason: 'Users who wait longer for the first token find the system slow. Default: 3.0 s.',
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
