import { formatLoad } from '@inferboard/core/subjects/load';
import type { Submission } from '../../../lib/api.ts';
import { formatBytes, formatPlural } from '../../../lib/format.ts';
import { gpuText, scenarioText } from '../../../lib/words.ts';
import { toOutcome, type Verdict } from './submission-verdict.ts';

/** One system of the artifact, as parsed. */
export interface UnderstoodSystem {
  label: string;
  results: string;
  facts: { fact: string; value: string | null; note: string | null }[];
}

type System = Submission['results'][number]['system'];

const known = (id: string | null, name: string) =>
  name === 'unspecified' || name === 'n/a'
    ? null
    : id === null
      ? 'not in the catalogue: kept as written'
      : `read as ${id}`;

/** A family is in the catalogue too, but the GPU has no id: its variants differ in memory and speed. */
const knownGpu = ({ id, name, family, title }: System['gpu']) =>
  id === null && family !== null ? `read as the family ${title}, variant not stated` : known(id, name);

const stated = (name: string) => (name === 'unspecified' || name === 'n/a' ? null : name);

function factsOf(system: System): UnderstoodSystem['facts'] {
  const { model, quantization, gpu, engine, parallelism, features } = system;
  const parallel = Object.entries(parallelism).flatMap(([kind, width]) => (width === null ? [] : [`${kind} ${width}`]));
  const switches = Object.entries(features).map(([name, value]) => `${name.replaceAll('_', ' ')}: ${value}`);
  return [
    { fact: 'Model', value: stated(model.name), note: known(model.id, model.name) },
    { fact: 'Quantization', value: stated(quantization.name), note: known(quantization.id, quantization.name) },
    { fact: 'GPU', value: stated(gpu.name) === null ? null : gpuText(system), note: knownGpu(gpu) },
    {
      fact: 'Engine',
      value:
        stated(engine.name) === null ? null : [engine.name, engine.version].filter((part) => part !== null).join(' '),
      note: known(engine.id, engine.name),
    },
    { fact: 'Parallelism', value: parallel.length === 0 ? null : parallel.join(', '), note: null },
    ...(switches.length === 0 ? [] : [{ fact: 'Features', value: switches.join(', '), note: null }]),
  ];
}

/** The systems of a dry run with their parsed facts. */
export function toUnderstoodSystems({ results }: Submission): UnderstoodSystem[] {
  return [...Map.groupBy(results, ({ system }) => system.id)].flatMap(([, list]) => {
    const [first] = list;
    if (first === undefined) return [];
    const workloads = new Set(list.map(({ scenario, load }) => `${scenarioText(scenario).title}, ${formatLoad(load)}`));
    const [only] = workloads.size === 1 ? workloads : [];
    const results = `${formatPlural(list.length, 'result')}${only === undefined ? ` of ${formatPlural(workloads.size, 'workload')}` : `: ${only}`}`;
    return [{ label: first.system.label, results, facts: factsOf(first.system) }];
  });
}

/** The status that a submission would get. */
export function toDryVerdict({ results }: Submission): Verdict {
  const outcome = toOutcome(results);
  const title = outcome.title === 'Accepted' ? 'Preview' : `Preview: ${outcome.title.toLowerCase()}`;
  const read = `${formatPlural(results.length, 'result')} read. Nothing was stored: this was a dry run.`;
  return { ...outcome, title, text: `${read} If submitted unchanged: ${outcome.text}` };
}

/** "4.2 KiB of text/plain, sha256 ab12…": the parsed artifact. */
export const artifactText = ({ artifact }: Submission): string =>
  `${formatBytes(artifact.bytes)} of ${artifact.media_type}`;
