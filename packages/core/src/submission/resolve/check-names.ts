import { z } from 'zod';
import { resolveEngine, resolveGpu, resolveModel } from '../../catalogue/index.ts';
import { isWaived } from '../../catalogue/names/normalise.ts';
import type { Fault } from '../../errors.ts';
import { addressIn } from '../../names/address.ts';
import { deceptionIn } from '../../names/deceptive.ts';
import type { Scenario } from '../../subjects/scenario.ts';
import type { System } from '../../subjects/system.ts';
import { NameSchema } from '../../text/text.ts';

/** A name fact, by its parameter. */
type NamedFact = 'model' | 'quantization' | 'gpu' | 'engine' | 'engine_version' | 'scenario' | 'dataset';

const titles: Record<NamedFact, string> = {
  model: 'model',
  quantization: 'quantization',
  gpu: 'GPU',
  engine: 'engine',
  engine_version: 'version of the engine',
  scenario: 'scenario',
  dataset: 'data set',
};

/** True if the catalogue knows the name. Other facts have no list of valid names. */
function isKnown(fact: NamedFact, name: string): boolean {
  if (isWaived(name)) return true;
  if (fact === 'engine') return resolveEngine(name).id !== null;
  if (fact === 'model') return resolveModel(name).family !== null;
  if (fact === 'gpu') return resolveGpu(name).family !== null;
  return false;
}

const engineLengthMax = 60;
const ofSoftware = /[\p{L}\p{M}\p{N} ._\-+/()[\]]/u;

/** Returns why a text is not a valid software name, as the end of a sentence; null if it is valid. */
function notSoftware(name: string): string | null {
  if (name.length > engineLengthMax) return `must have at most ${engineLengthMax} characters`;
  const odd = [...name].find((character) => !ofSoftware.test(character));
  return odd === undefined ? null : `must not contain "${odd}"`;
}

/** Returns why a name is not acceptable on boards, as the end of a sentence; null if it is. */
function wrongName(fact: NamedFact, name: string): string | null {
  const deception = deceptionIn(name);
  if (deception !== null || isKnown(fact, name)) return deception;
  const found = addressIn(name);
  if (found !== null) return `must not contain a URL or address: "${found}"`;
  return fact === 'engine' ? notSoftware(name) : null;
}

/** Schema of a caller's name of a fact. */
export const factNameSchema = (fact: NamedFact) =>
  NameSchema.superRefine((name, context) => {
    const message = wrongName(fact, name);
    if (message !== null) context.addIssue({ code: 'custom', message, params: { code: 'name_refused' } });
  }).meta(z.globalRegistry.get(NameSchema) ?? {});

function nameFaults(names: Partial<Record<NamedFact, string | null>>): Fault[] {
  return Object.entries(names).flatMap(([parameter, name]): Fault[] => {
    const fact = parameter as NamedFact;
    const wrong = name === null ? null : wrongName(fact, name);
    if (wrong === null) return [];
    const message = `The ${titles[fact]} ${wrong}.`;
    const hint = 'It appears next to the names of others. Use the spelling of its developers.';
    return [{ code: 'name_refused', parameter, message, hint }];
  });
}

/** Returns a fault for each unacceptable name of a system. */
export function systemNameFaults({ model, quantization, gpu, engine }: System): Fault[] {
  return nameFaults({
    ...{ model: model.name, quantization: quantization.name, gpu: gpu.name },
    ...{ engine: engine.name, engine_version: engine.version },
  });
}

/** The same for a workload, with the name of its scenario as the artifact or the caller wrote it. */
export function workloadNameFaults({ dataset, kernel, quality }: Scenario, name: string | null): Fault[] {
  const task = quality && [quality.task, quality.metric, quality.variant].filter((part) => part !== null).join(' ');
  return nameFaults({ scenario: name ?? kernel?.case ?? task ?? null, dataset });
}
