import type { Result } from '../../subjects/result.ts';
import { type Check, figure, roundingOf, unchecked } from '../check.ts';
import { claimedUserSpeed } from './p2-user-speed.ts';

const title = 'Many users are not served faster than one';
/** The single-user run may have been slowed temporarily. */
const most = 1.1;

interface Pair {
  basis: 'output_tok_s' | 'user_tok_s';
  /** tok/s of all users, and of the single user. */
  many: number;
  one: number;
  /** Maximum rounding error of the two, as a factor. */
  slack: number;
}

/** A figure of both runs that grows at most linearly with the users: throughput, else the sum of the users' speeds. */
function pair(many: Result, single: Result, level: number): Pair | null {
  const [a, b] = [many.metrics.output_tok_s, single.metrics.output_tok_s];
  if (a !== undefined && b !== undefined && b > 0) {
    const slack = (1 + roundingOf(a) / Math.max(a, b)) * (1 + roundingOf(b) / b);
    return { basis: 'output_tok_s', many: a, one: b, slack };
  }
  const [speed, alone, fastest] = [claimedUserSpeed(many), claimedUserSpeed(single), claimedUserSpeed(single, -1)];
  if (speed === null || alone === null || fastest === null) return null;
  return { basis: 'user_tok_s', many: speed * level, one: alone, slack: fastest / alone };
}

export const p7Scaling: Check = {
  id: 'P7',
  code: 'superlinear_scaling',
  title,
  rule:
    'Throughput of B users may be at most B times that of a single user of the same system, scenario and artifact, plus a tenth and the rounding of the figures. Needs the single-user run in the same artifact. ' +
    'A higher value is a warning: the single user was slowed down, or the two runs had different settings.',
  check({ result, single }) {
    const { kind, load } = result;
    const isClosed = load.mode === 'concurrency' || load.mode === 'batch';
    if (kind !== 'serving' || !isClosed || load.level === 1 || single === null) return 'not_applicable';
    const found = pair(result, single, load.level);
    if (found === null) return unchecked(title, ['a throughput of both runs']);
    const ratio = found.many / (load.level * found.one);
    if (ratio <= most * found.slack) return 'pass';
    return [
      {
        severity: 'warning',
        message: `${figure(load.level)} users reach ${figure(ratio)} times the speed of the same number of single users: ${figure(found.many)} tok/s compared with ${figure(found.one)} tok/s for one.`,
        evidence: { basis: found.basis, claimed: found.many, single: found.one, level: load.level, ratio },
      },
    ];
  },
};
