import type { Fault } from '../errors.ts';
import { addressIn } from '../names/address.ts';
import { deceptionIn } from '../names/deceptive.ts';
import type { Scenario } from '../scenario.ts';
import { type System, unspecified } from '../system.ts';

/** What a name is, as its parameter and in a sentence. */
type Field = 'model' | 'quantization' | 'gpu' | 'engine' | 'engine_version' | 'scenario' | 'dataset';

const titles: Record<Field, string> = {
  model: 'model',
  quantization: 'quantization',
  gpu: 'GPU',
  engine: 'engine',
  engine_version: 'version of the engine',
  scenario: 'scenario',
  dataset: 'data set',
};

const engineLengthMax = 60;
const ofSoftware = /[\p{L}\p{M}\p{N} ._\-+/()[\]]/u;

/** What keeps a text from being the name of software, as the end of a sentence; null if nothing does. */
function notSoftware(name: string): string | null {
  if (name.length > engineLengthMax) return `must have at most ${engineLengthMax} characters`;
  const odd = [...name].find((character) => !ofSoftware.test(character));
  return odd === undefined ? null : `must not hold "${odd}"`;
}

/** What keeps a text from standing where others read it; null if nothing does. What the catalogue knows says nothing else. */
function wrongWith(field: Field, name: string, isKnown: boolean): string | null {
  const deception = deceptionIn(name);
  if (deception !== null || isKnown) return deception;
  const found = addressIn(name);
  if (found !== null) return `must not hold an address: "${found}"`;
  return field === 'engine' ? notSoftware(name) : null;
}

function nameFaults(names: readonly { field: Field; name: string | null; isKnown?: boolean }[]): Fault[] {
  return names.flatMap(({ field, name, isKnown = false }): Fault[] => {
    const wrong = name === null ? null : wrongWith(field, name, isKnown);
    if (wrong === null) return [];
    return [
      {
        code: 'name_refused',
        parameter: field,
        message: `The ${titles[field]} ${wrong}.`,
        hint: 'Names stand beside those of others: write it as its makers do.',
      },
    ];
  });
}

/** Names of a system that must not stand where others read them, a fault for each. */
export function systemNameFaults({ model, quantization, gpu, engine }: System): Fault[] {
  return nameFaults([
    { field: 'model', name: model.name, isKnown: model.id !== null },
    { field: 'quantization', name: quantization.name },
    { field: 'gpu', name: gpu.name, isKnown: gpu.id !== null || gpu.family !== null },
    { field: 'engine', name: engine.name, isKnown: engine.id !== null || engine.name === unspecified },
    { field: 'engine_version', name: engine.version },
  ]);
}

/** The same of a workload, and of the name of a scenario that the artifact or the caller gave. */
export function workloadNameFaults({ dataset, kernel }: Scenario, scenario: string | null): Fault[] {
  return nameFaults([
    { field: 'scenario', name: scenario ?? kernel?.case ?? null },
    { field: 'dataset', name: dataset },
  ]);
}
