import type { Fault } from '../../errors.ts';
import type { Adapter } from '../adapter.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { toolLabels } from './tool-labels.ts';
import { toolNames } from './tool-names.ts';

/** With fewer labels, or a smaller share of them, they are words that any program prints. */
const fewest = 2;
const leastShare = 0.3;
/** Maximum number of labels in the message. */
const mostNamed = 5;

const quoted = (label: string) => `"${label.replace(/^[|= "]+|[|: "]+$/g, '')}"`;

/** A tool that the artifact names by its command or heading, as an error. Null if it names none. */
function findNamedTool(artifact: ArtifactText, adapters: ReadonlyMap<string, Adapter>): Fault | null {
  const named = toolNames.find(({ adapter, name }) => adapters.has(adapter) && artifact.has(name));
  const adapter = adapters.get(named?.adapter ?? '');
  if (named === undefined || adapter === undefined) return null;
  return {
    code: 'tool_nearest',
    line: artifact.linesWith(named.name)[0] ?? 1,
    message: `The artifact mentions ${quoted(named.name)} but lacks the figures that ${adapter.title} prints.`,
    hint: `Send the output unchanged: ${adapter.command}. Write figures of another layout in the native format.`,
  };
}

/**
 * The tool with the most labels in the artifact, as an error: how many labels were found, the line of the last one, and
 * which are missing. Null if no tool is close.
 */
export function findNearestTool(artifact: ArtifactText, asked: readonly Adapter[]): Fault | null {
  const titles = new Map(asked.map((adapter) => [adapter.id, adapter] as const));
  let best: { adapter: Adapter; labels: readonly string[]; found: string[]; share: number } | null = null;
  for (const { adapter: id, labels } of toolLabels) {
    const adapter = titles.get(id);
    if (adapter === undefined) continue;
    const found = labels.filter((label) => artifact.has(label));
    const share = found.length / labels.length;
    const isNear = found.length >= fewest && share >= leastShare;
    if (isNear && share > (best?.share ?? 0)) best = { adapter, labels, found, share };
  }
  if (best === null) return findNamedTool(artifact, titles);
  const { adapter, labels, found } = best;
  const line = Math.max(...found.map((label) => artifact.linesWith(label).at(-1) ?? 1));
  const missing = labels.filter((label) => !found.includes(label));
  const next = labels.slice(labels.indexOf(found.at(-1) ?? '') + 1)[0];
  const isCut =
    next !== undefined && found.every((label, index) => label === labels[labels.indexOf(found[0] ?? '') + index]);
  const looks = `The artifact looks like ${adapter.title} (${found.length} of ${labels.length} labels)`;
  const rest = isCut ? `ends before ${quoted(next)}` : `lacks ${missing.slice(0, mostNamed).map(quoted).join(', ')}`;
  const message = missing.length === 0 ? `${looks}, but its figures cannot be found.` : `${looks}, but ${rest}.`;
  const wanted = missing.length === 0 ? '' : ` Missing: ${missing.slice(0, mostNamed).map(quoted).join(', ')}.`;
  const hint = `Send the complete output of the command: ${adapter.command}.${wanted}`;
  return { code: 'tool_nearest', line, message, hint };
}
