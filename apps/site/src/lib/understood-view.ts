import { formatLoad } from '@inferboard/core/load';
import type { Submission } from './api.ts';
import { formatBytes, formatCount, formatPlural } from './format.ts';
import type { Verdict } from './submission-view.ts';
import { gpuText, offBoardWords, scenarioText } from './words.ts';

/** One system that the artifact is about, as it was understood. */
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
      ? 'not in the catalogue: kept in these words'
      : `read as ${id}`;

const stated = (name: string) => (name === 'unspecified' || name === 'n/a' ? null : name);

function factsOf(system: System): UnderstoodSystem['facts'] {
  const { model, quantization, gpu, engine, parallelism, features } = system;
  const parallel = Object.entries(parallelism).flatMap(([kind, width]) => (width === null ? [] : [`${kind} ${width}`]));
  const switches = Object.entries(features).map(([name, value]) => `${name.replaceAll('_', ' ')}: ${value}`);
  return [
    { fact: 'Model', value: stated(model.name), note: known(model.id, model.name) },
    { fact: 'Quantization', value: stated(quantization.name), note: known(quantization.id, quantization.name) },
    { fact: 'GPU', value: stated(gpu.name) === null ? null : gpuText(system), note: known(gpu.id, gpu.name) },
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

/** The systems of a dry run with what was read about each. */
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

/** What would become of it. */
export function toDryVerdict({ results, status }: Submission): Verdict {
  const held = results.filter((result) => result.status === 'quarantined');
  const count = formatPlural(results.length, 'result');
  const text = `${count} read. Nothing was stored: this was a dry run.`;
  const off = offBoardWords[status];
  if (off !== undefined)
    return {
      tone: 'warn',
      title: `Understood, and ${off.title.toLowerCase()}`,
      text: `${text} It is ${off.means}.`,
      reasons: [],
    };
  if (status !== 'quarantined')
    return { tone: 'good', title: 'Understood', text: `${text} As it is, it would rank.`, reasons: [] };
  const reasons = held.flatMap(({ findings }) => findings.filter(({ severity }) => severity === 'violation'));
  return {
    tone: 'warn',
    title: 'Understood, and would be held back',
    text: `${text} ${formatCount(held.length)} of them would stay off the boards until an admin has looked.`,
    reasons: [...new Set(reasons.map(({ message }) => message))],
  };
}

/** "4.2 KiB of text/plain, sha256 ab12…": what was read. */
export const artifactText = ({ artifact }: Submission): string =>
  `${formatBytes(artifact.bytes)} of ${artifact.media_type}`;
