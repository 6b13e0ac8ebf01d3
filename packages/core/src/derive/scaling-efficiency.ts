import type { Subject } from '../subjects/subject.ts';
import type { Derivation, Derived } from './derivation.ts';
import { userSpeed } from './user-speed.ts';

const speedOf = ({ result }: Pick<Subject, 'result'>): number | undefined =>
  result.metrics.user_tok_s ?? userSpeed.derive({ result, repetitions: [result], single: null })?.value;

const scaled = (value: number, id: string): Derived => ({
  metric: 'scaling_efficiency',
  value,
  definition: { base: 'scaling_efficiency', id },
});

/**
 * X(B) / (B x X(1)), with the single-user run of the same artifact. X is output_tok_s if both runs state it, else the users'
 * decode speed. Level 1 has no value.
 */
export const scalingEfficiency: Derivation = {
  metric: 'scaling_efficiency',
  derive({ result, single }) {
    const { mode, level } = result.load;
    if (single === null || mode === 'rate' || mode === 'unspecified' || level === 1) return null;
    const [many, one] = [result.metrics.output_tok_s, single.metrics.output_tok_s];
    if (many !== undefined && one !== undefined) return one > 0 ? scaled(many / (level * one), 'output_basis') : null;
    const [speed, alone] = [speedOf({ result }), speedOf({ result: single })];
    return speed === undefined || !alone ? null : scaled(speed / alone, 'decode_basis');
  },
};
