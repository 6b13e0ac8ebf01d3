import { noFacts, type SystemFacts } from '../adapter.ts';
import { modelFacts } from '../reading/context/model-name.ts';
import type { Arguments } from '../reading/context/run-context.ts';
import { backendOf } from './report.ts';

const whole = (value: number | null) => (value !== null && Number.isSafeInteger(value) ? value : null);

/** The system in the options of `trtllm-serve`. */
export function systemOf(given: Arguments): SystemFacts {
  const tensor = whole(given.number('tp_size', 'tensor_parallel_size'));
  const pipeline = whole(given.number('pp_size', 'pipeline_parallel_size'));
  const expert = whole(given.number('ep_size', 'moe_expert_parallel_size'));
  const backend = backendOf(given.text('backend'));
  return {
    ...noFacts,
    ...modelFacts(given.text('model'), 'context'),
    gpuCount: tensor === null ? null : { value: tensor * (pipeline ?? 1), origin: 'inferred' },
    parallelism: {
      ...(tensor === null ? {} : { tensor }),
      ...(pipeline === null ? {} : { pipeline }),
      ...(expert === null ? {} : { expert }),
    },
    features: backend === null ? {} : { backend },
  };
}
