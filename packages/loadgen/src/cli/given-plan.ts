import { DomainError } from '@inferboard/core/errors';
import { type AskedPlan, readPlan } from '@inferboard/core/plans/read-plan';
import { type LoadMode, loadModes } from '@inferboard/core/subjects/load';
import { blocksUsual } from '../compare-servers/options.ts';
import { OptionsError } from './options-error.ts';
import { describePlanFaults } from './plan-faults.ts';

/** The options that make a plan. */
type GivenPlan = Partial<
  Record<
    | 'plan'
    | 'scenario'
    | 'input-tokens'
    | 'output-tokens'
    | 'concurrency'
    | 'burst'
    | 'rate'
    | 'burstiness'
    | 'max-concurrency'
    | 'requests'
    | 'repetitions'
    | 'warmup'
    | 'seed'
    | 'duration-s'
    | 'against',
    string
  >
>;

const levelModes: readonly LoadMode[] = loadModes.filter((mode) => mode !== 'batch');

/** The plan as JSON would state it: numbers that are none stay text, for the reader of plans to refuse. */
function toWrittenPlan(given: GivenPlan): unknown {
  const number = (name: keyof GivenPlan) => {
    const text = given[name];
    return text === undefined ? undefined : Number.isNaN(Number(text)) || text.trim() === '' ? text : Number(text);
  };
  const [input, output] = [number('input-tokens'), number('output-tokens')];
  const isOwn = input !== undefined || output !== undefined;
  const scenario = isOwn
    ? { name: given.scenario, input_tokens: input, output_tokens: output }
    : (given.scenario ?? 'chatbot');
  const loads = levelModes.flatMap((mode) => {
    const levels = given[mode as 'concurrency' | 'burst' | 'rate'];
    return levels === undefined
      ? []
      : levels.split(',').map((text) => ({
          ...{ mode, level: Number(text) || text },
          ...(mode === 'rate' && { burstiness: number('burstiness'), max_concurrency: number('max-concurrency') }),
        }));
  });
  const chosen = loads.length > 0 ? loads : [{ mode: 'concurrency', level: 1 }];
  const requests = number('requests');
  const duration = number('duration-s');
  return {
    plan:
      given.plan ??
      chosen.map((load) => ({ scenario, load, ...(requests !== undefined && load.mode !== 'burst' && { requests }) })),
    repetitions: number('repetitions') ?? (given.against === undefined ? undefined : blocksUsual),
    warmup: number('warmup'),
    seed: number('seed'),
    limits: duration === undefined ? undefined : { duration_s: duration },
  };
}

/** The plan of the options. @throws OptionsError with every fault */
export function readGivenPlan(given: GivenPlan): AskedPlan {
  try {
    return readPlan(toWrittenPlan(given));
  } catch (error) {
    if (error instanceof DomainError) throw new OptionsError(describePlanFaults(error, given));
    throw error;
  }
}
