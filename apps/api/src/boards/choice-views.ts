import type { Filters } from '@inferboard/core/filters/filters';
import type { Alternative, Choice } from '@inferboard/core/ranking/choice';
import type { WorkloadChoice } from '@inferboard/db/boards/lists/workload-facts';

/** Maximum number of alternatives in a response. */
const othersMax = 20;

/** Parameters that select the workload. */
export const workloadNames = ['scenario', 'regime'] as const;

/** Builds the URL of the same question with one choice changed. */
export type Otherwise = (id: string) => string;

/** The URL of the same question with another value of one parameter. Parameters that set the same thing are removed. */
export function otherwise(
  base: string,
  query: URLSearchParams,
  name: string,
  instead: readonly string[] = [],
): Otherwise {
  const kept = [...query].filter(
    ([key]) => key !== name && key !== 'cursor' && key !== 'full' && !instead.includes(key),
  );
  return (id) => `${base}?${new URLSearchParams([...kept, [name, id]])}`;
}

const viewOthers = (others: readonly Alternative[], url: Otherwise) =>
  others.slice(0, othersMax).map(({ id, systems }) => ({ id, systems, url: url(id) }));

const grouped = (count: number) => count.toLocaleString('en-US');
const counted = (systems: number) => `${grouped(systems)} ${systems === 1 ? 'system' : 'systems'}`;

const ofDefaultMetric =
  'The workload with the most systems has no default metric. This one has the most systems with the first default metric that any has';

/** Sentences for choices that do not follow from the number of systems. */
const reasons: Partial<Record<Choice['because'], string>> = {
  default_metric: ofDefaultMetric,
  most_cells: 'Of the workloads under these filters, its matrix has the most cells to compare along rows and columns',
};

const askedReason = 'The request names it.';

interface Words {
  url: Otherwise;
  /** Whether the request names the value; false for a choice from an earlier page. */
  isAsked: boolean;
  /** "No other workload under these filters has more systems". */
  most: string;
  /** The same after a number of systems. */
  mostInShort?: string;
}

function viewChoice(choice: Choice, { url, isAsked, most, mostInShort = 'No other has more' }: Words) {
  const only = choice.others.length === 0 ? 'The only one under these filters' : most;
  const isAtMost = choice.isAtMost ?? false;
  const reason = isAtMost
    ? `Up to ${counted(choice.systems)} may match these filters. ${mostInShort}.`
    : `${reasons[choice.because] ?? only} (${counted(choice.systems)}).`;
  const because = Object.hasOwn(reasons, choice.because) ? choice.because : 'most_systems';
  return {
    id: choice.id,
    chosen_because: isAsked ? ('asked' as const) : because,
    reason: isAsked ? askedReason : reason,
    systems: choice.systems,
    systems_at_most: isAtMost,
    others: viewOthers(choice.others, url),
  };
}

/** Whether the filters name exactly one workload, this one. */
export const namesWorkload = ({ workload }: Pick<Filters, 'workload'>, id: string) =>
  workload?.length === 1 && workload[0] === id;

export function viewWorkloadChoice(
  choice: WorkloadChoice | null,
  url: Otherwise,
  filters: Pick<Filters, 'workload' | 'regime'>,
) {
  if (choice === null) return null;
  const { regime, input_tokens, output_tokens, dataset, depth } = choice;
  const isAsked = namesWorkload(filters, choice.id);
  const isNarrowed = (filters.workload ?? filters.regime ?? []).length > 0;
  // The alternatives are counted without the filter, so they may have more systems.
  const words = isNarrowed
    ? {
        most: 'Of the workloads that the filters name, none has more systems',
        mostInShort: 'Of the workloads that the filters name, none has more',
      }
    : { most: 'No other workload under these filters has more systems' };
  return { ...viewChoice(choice, { url, isAsked, ...words }), regime, input_tokens, output_tokens, dataset, depth };
}

export function viewDefinitionChoice(choice: Choice | null, url: Otherwise, isAsked: boolean) {
  if (choice === null) return null;
  return viewChoice(choice, { url, isAsked, most: 'No other formula under these filters has more systems' });
}

/** The systems of the workload, with any metric. */
type InWorkload = Pick<Choice, 'systems' | 'isAtMost'>;

/** "33 of 166 systems under these filters have it". */
function haveText(systems: number, { systems: all, isAtMost = false }: InWorkload): string {
  const [has, matches] = systems === 1 ? ['has', 'matches'] : ['have', 'match'];
  // The bounds were not tested for `all`, so the metric's share of it is unknown.
  if (isAtMost) return `${counted(systems)} that ${matches} these filters ${has} it; at most ${grouped(all)} match`;
  if (all === 1) return 'The only system under these filters has it';
  const share = systems === all ? `All ${counted(all)}` : `${grouped(systems)} of ${counted(all)}`;
  return `${share} under these filters ${has} it`;
}

/** Why a metric was chosen, or that it was the only one. */
function rankReason({ systems, others }: Choice, inWorkload: InWorkload | null): string {
  if ((inWorkload?.systems ?? systems) === 0) return 'No system matches these filters.';
  // A table of several workloads has no number of all systems.
  const isMost = others.every((other) => other.systems <= systems);
  const ofSeveral = `${counted(systems)} under these filters ${systems === 1 ? 'has' : 'have'} it${isMost ? '' : '. It is the first default metric that at least 60 % of the systems have'}`;
  const have = inWorkload === null ? ofSeveral : haveText(systems, inWorkload);
  return others.length === 0 ? `${have}. No other default metric has a value here.` : `${have}.`;
}

export function viewRankChoice(choice: Choice, url: Otherwise, inWorkload: InWorkload | null) {
  const { id, because, systems: counted, others } = choice;
  const isAsked = because === 'asked';
  const reason = isAsked ? askedReason : rankReason(choice, inWorkload);
  // Systems are counted only to choose a metric.
  const systems = isAsked ? null : counted;
  return { id, chosen_because: because, reason, systems, systems_at_most: false, others: viewOthers(others, url) };
}
