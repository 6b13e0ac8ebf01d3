import { resolveEngine, resolveGpu, resolveModel, resolveQuantization } from '../catalogue/index.ts';
import type { Answer, Check, Doubt } from '../checks/check.ts';
import type { Result } from '../subjects/result.ts';
import { alone, type Subject } from '../subjects/subject.ts';
import type { System } from '../subjects/system.ts';

/** A test's facts of a system; the catalogue resolves them. */
export interface SystemWords extends Partial<Omit<System, 'model' | 'quantization' | 'gpu' | 'engine'>> {
  model?: string;
  quantization?: string;
  gpu?: string;
  engine?: string;
}

export type ResultWords = Partial<Omit<Result, 'system' | 'scenario'>> & {
  system?: SystemWords;
  scenario?: Partial<Result['scenario']>;
};

/** A system by informal names; missing facts are unspecified. */
export function makeSystem(words: SystemWords = {}): System {
  const { model = 'unspecified', quantization = 'unspecified', gpu = 'unspecified', engine, ...rest } = words;
  const ref = ({ id, family, name }: { id: string | null; family: string | null; name: string }) => ({
    id,
    family,
    name,
  });
  const { id, recipe } = resolveQuantization(quantization);
  return {
    model: ref(resolveModel(model)),
    quantization: { id, name: quantization, recipe },
    gpu: ref(resolveGpu(gpu)),
    gpuCount: 1,
    gpuPowerLimitW: null,
    engine: { id: resolveEngine(engine ?? 'unspecified').id, name: engine ?? 'unspecified', version: null },
    parallelism: { tensor: null, pipeline: null, data: null, expert: null },
    features: {},
    ...rest,
  };
}

/** A serving result of one request at a time without figures, with overrides. */
export function makeResult({ system, scenario, ...over }: ResultWords = {}): Result {
  return {
    kind: 'serving',
    tool: { name: 'a tool', version: null },
    system: makeSystem(system),
    scenario: {
      id: 'unspecified',
      inputTokens: null,
      outputTokens: null,
      dataset: null,
      depth: null,
      kernel: null,
      ...scenario,
    },
    lengths: null,
    load: { mode: 'concurrency', level: 1 },
    repetition: null,
    metrics: {},
    definitions: {},
    repeats: null,
    records: null,
    limits: null,
    extra: {},
    measuredAt: null,
    lines: { from: 1, to: 1 },
    ...over,
  };
}

/** The outcome of a check for a single result or a subject. */
export function answerOf(check: Check, of: Result | Subject): Answer {
  return check.check('result' in of ? of : alone(of));
}

/** Its findings; empty if it passed or was not applicable. */
export function doubtsOf(check: Check, of: Result | Subject): readonly Doubt[] {
  const answer = answerOf(check, of);
  return answer === 'pass' || answer === 'not_applicable' ? [] : answer;
}
