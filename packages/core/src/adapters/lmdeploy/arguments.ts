import { noFacts, type SystemFacts } from '../adapter.ts';
import { modelFacts, toModelName } from '../reading/context/model-name.ts';
import type { Arguments } from '../reading/context/run-context.ts';

const whole = (text: string | null) => (/^[1-9]\d{0,3}$/.test(text ?? '') ? Number(text) : null);

/** The system in the options of `lmdeploy serve api_server`, or of a profiler that runs the engine itself. */
export function systemOf({ text }: Pick<Arguments, 'text'>): SystemFacts {
  const tensor = whole(text('tp'));
  const data = whole(text('dp'));
  const expert = whole(text('ep'));
  const backend = text('backend');
  const facts = modelFacts(toModelName(text('model') ?? ''), 'context');
  const format = text('model_format');
  const isFormat = format === 'awq' || format === 'gptq';
  return {
    ...noFacts,
    ...facts,
    quantization: facts.quantization ?? (isFormat ? { value: format, origin: 'inferred' } : null),
    engine: { value: 'lmdeploy', origin: 'inferred' },
    // Replicas may share the GPUs of the tensor parallelism.
    gpuCount: tensor === null || data !== null ? null : { value: tensor, origin: 'inferred' },
    parallelism: {
      ...(tensor === null ? {} : { tensor }),
      ...(data === null ? {} : { data }),
      ...(expert === null ? {} : { expert }),
    },
    features: backend === 'pytorch' || backend === 'turbomind' ? { backend } : {},
  };
}
