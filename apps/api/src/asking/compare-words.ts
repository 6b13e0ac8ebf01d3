import { findModelFamily } from '@inferboard/core/catalogue/index';
import { vendorOf } from '@inferboard/core/filters/filters';
import { formatWithUnit } from '@inferboard/core/format/figure';
import type { QuestionFilters } from '@inferboard/core/questions/index';
import { describeFilters } from '@inferboard/core/questions/nearest';
import { formatLoad } from '@inferboard/core/subjects/load';
import { modelTitle, titleOfId } from '@inferboard/core/subjects/system-label';
import { workloadTitle } from '@inferboard/core/workloads/workload-title';
import type { answerBoard } from './answer-board.ts';
import { differences, differentVersions, factWords, type HeldFact } from './held-facts.ts';
import {
  type CommonLoad,
  type Comparable,
  commonLoad,
  hasLoadInCommon,
  isLoaded,
  type Likeness,
  loadPerGpu,
} from './same-entries.ts';
import { sayFigure, titleIn } from './sentences.ts';
import { isBurst, isOfOneUser } from './speeds.ts';

type Entry = Awaited<ReturnType<typeof answerBoard>>['data'][number];

/** The answer of a side with the name of the side. */
export interface NamedSide {
  name: string;
  side: QuestionFilters;
  /** Whether the side is compared with the others. */
  isCompared: boolean;
  /** The best entry of the side with the same facts, if another one is compared. */
  better: Entry | null;
  answer: Awaited<ReturnType<typeof answerBoard>>;
}

/** What the compared sides have in common, and the settings of their engines that differ. */
interface Common {
  held: QuestionFilters;
  settings: readonly string[];
}

/** Maximum number of settings in a sentence. */
const settingsMax = 3;

/** "settings (ep_size, expert parallelism and 2 others)"; empty without settings that differ. */
function sayingSettings(settings: readonly string[]): string[] {
  if (settings.length === 0) return [];
  const left = settings.length - settingsMax;
  const names = left > 1 ? [...settings.slice(0, settingsMax), `${left} others`] : settings;
  return [`settings (${listed(names)})`];
}

/** States the result of a comparison. `common`: null if no sides are compared. */
export function sayComparison(
  sides: readonly NamedSide[],
  common: Common | null,
  named: ReadonlySet<HeldFact>,
): string {
  if (common === null) return sayApart(sides, named);
  const compared = sides.filter(({ isCompared }) => isCompared);
  return [sayAlike(compared, common, named), ...sayLeftOut(sides, named)].join(' ');
}

/** States which side is better and by how much, what both sides have in common, and what differs. */
function sayAlike(sides: readonly NamedSide[], { held, settings }: Common, named: ReadonlySet<HeldFact>): string {
  const [first] = sides;
  const rankBy = first?.answer.rank_by ?? '';
  const sharedLoad = commonLoad(
    sides.flatMap(({ answer: { data } }) => data.slice(0, 1)),
    rankBy,
  );
  const bests = sides.flatMap(({ name, side, answer: { data, unit } }) =>
    data.slice(0, 1).map((best) => {
      const isUncounted = named.has('gpu_count') && side.gpu_count === undefined;
      const count = isUncounted && best.system.gpu_count !== null ? [gpuCount(best.system.gpu_count)] : [];
      const notes = [...groupMembers(side, best), ...(sharedLoad === 'total' ? count : [sayLoad(best)])];
      const noted = notes.length === 0 ? '' : ` (${notes.join(', ')})`;
      return { name, best, text: `${name} ${formatWithUnit(best.value, unit)}${noted}` };
    }),
  );
  const place = first?.answer.workload == null ? '' : ` in "${workloadTitle(first.answer.workload.id)}"`;
  const common = describeFilters(held).replaceAll(/(?:model|gpu|quantization|engine) "([^"]*)"/gu, '$1');
  const ordered = [...bests].sort((a, b) => a.best.value - b.best.value);
  const [lowest, highest] = [ordered[0], ordered.at(-1)];
  const ratio = (highest?.best.value ?? 0) / (lowest?.best.value ?? 1);
  const rounded = Number(ratio.toPrecision(3));
  const ahead =
    rounded === 1
      ? `They are ${ratio === 1 ? '' : 'about '}equal`
      : `${highest?.name} has ${rounded} times the value of ${lowest?.name}`;
  const entries = bests.map(({ best }) => best);
  // Settings of different engines have different names.
  const isOneEngine = new Set(entries.map(({ system: { engine } }) => engine.id ?? engine.name)).size === 1;
  const versions = isOneEngine ? differentVersions(entries) : [];
  const apart = [...differences(entries, named), ...versions, ...(isOneEngine ? sayingSettings(settings) : [])];
  const load = entries[0] === undefined ? '' : sayCommonLoad(entries[0], sharedLoad);
  const isLow = first?.answer.order === 'asc' && rounded !== 1;
  const isStated = entries.every((entry) => entry.load.level !== null);
  const verdict =
    sharedLoad === null
      ? `No ratio is stated, because ${isStated ? 'the loads differ' : 'a load is not stated'}.`
      : `${ahead}${isLow ? ' (lower is better)' : ''}; ${load}.`;
  const isQueue = isOfOneUser(rankBy) && isBurst(first?.answer.workload?.id ?? null);
  const title = titleIn(rankBy, first?.answer.unit ?? '').replace(/^[a-z]/u, (letter) => letter.toUpperCase());
  return [
    `${title}${place}${common === '' ? '' : ` ${common}`}: ${bests.map(({ text }) => text).join(', ')}.`,
    verdict,
    ...(apart.length === 0 ? [] : [`The systems also differ in ${listed(apart)}.`]),
    ...sides.flatMap(sayBetter),
    ...(isQueue
      ? [
          'They have only bursts in common, in which each request waits for the others: one user alone is served faster.',
        ]
      : []),
  ].join(' ');
}

/** True if a filter matches several entries of the catalogue: a list, a vendor or a family of models. */
const isGroup = (fact: HeldFact, values: readonly string[]): boolean =>
  values.length > 1 ||
  values.some((value) =>
    fact === 'gpu' ? vendorOf(value) !== null : fact === 'model' && findModelFamily(value) !== null,
  );

/** The members of the groups that a side names: "H200" of "NVIDIA", "gpt-oss-20b" of "moe". */
const groupMembers = (side: QuestionFilters, { system }: Entry): string[] =>
  (['model', 'quantization', 'gpu', 'engine'] as const)
    .filter((fact) => isGroup(fact, [side[fact] ?? []].flat().map(String)))
    .map((fact) => titleOfId(fact, system[fact].id ?? '') ?? system[fact].name);

const gpuCount = (count: number) => (count === 1 ? '1 GPU' : `${count} GPUs`);
const gpusOf = (count: number | null) => (count === null ? '' : ` on ${gpuCount(count)}`);

/** "128 concurrent on 32 GPUs". */
const sayLoad = ({ load, system: { gpu_count: count } }: Entry) => `${formatLoad(load)}${gpusOf(count)}`;

/** "each at the same load (64 concurrent)", "each at the same load per GPU (4 concurrent)". */
function sayCommonLoad(entry: Entry, common: CommonLoad | null): string {
  const { load } = entry;
  if (common === 'total') return `each at the same load (${formatLoad(load)})`;
  if (common === 'rules') return 'each at its load under the rules of MLPerf';
  const level = Number(loadPerGpu(entry)?.toPrecision(3));
  return `each at the same load per GPU (${formatLoad({ mode: load.mode, level })})`;
}

/** Values that differ less than this are not stated again. */
const valueRatioMin = 1.05;

/** States the best value of a side that is compared at another load or on another number of GPUs. */
function sayBetter({ name, better, answer: { data, unit } }: NamedSide): string[] {
  const [compared] = data;
  if (better === null || compared === undefined || sayLoad(compared) === sayLoad(better)) return [];
  const ratio = better.value / compared.value;
  if (Math.max(ratio, 1 / ratio) < valueRatioMin) return [];
  const isSameCount = better.system.gpu_count === compared.system.gpu_count;
  const load = isSameCount ? formatLoad(better.load) : sayLoad(better);
  return [`The best stored value of ${name} is ${formatWithUnit(better.value, unit)} (${load}).`];
}

/** States why sides cannot be compared, with the value of each. */
function sayApart(sides: readonly NamedSide[], named: ReadonlySet<HeldFact>): string {
  const models = sides.flatMap(({ answer: { data } }) => data.slice(0, 1).map(({ system: { model } }) => model));
  const isMixed = !named.has('model') && new Set(models.map(({ id, name }) => id ?? name)).size > 1;
  const parts = sides.map(({ name, side, answer: { data, unit, rank_by: rankBy } }) => {
    const [best] = data;
    if (best === undefined) return `no stored result for ${name}`;
    const model = isMixed ? ` with ${modelTitle({ family: null, ...best.system.model })}` : '';
    return `${name} ${sayFigure(best.value, rankBy, unit)}${model} (${[...groupMembers(side, best), formatLoad(best.load)].join(', ')})`;
  });
  const isMeasured = sides.every(({ answer: { data } }) => data.length > 0);
  const reason = isMeasured ? `, because they have no results with the same ${sameWords(named)}` : '';
  return `They cannot be compared${reason}: ${parts.join('; ')}.`;
}

/** States which sides are not compared with the others, and why. */
const sayLeftOut = (sides: readonly NamedSide[], named: ReadonlySet<HeldFact>): string[] =>
  sides
    .filter(({ isCompared }) => !isCompared)
    .map(({ name, answer: { data } }) =>
      data.length === 0
        ? `There is no stored result for ${name}.`
        : `${name} is not compared, because it has no result with the same ${sameWords(named)}.`,
    );

/** What the sides of a comparison must have in common, except for what they name: "model, GPU and workload". */
function sameWords(named: ReadonlySet<HeldFact>): string {
  const facts = (['model', 'gpu'] as const).filter((fact) => !named.has(fact)).map((fact) => factWords[fact]);
  return listed([...facts, 'workload']);
}

/** "model, GPU and workload". */
const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;

type Workload = NamedSide['answer']['workload'];

/** Systems that are compared in a workload. */
export interface InWorkload extends Comparable {
  /** Whether the workload is the one with the most systems. */
  isFirst: boolean;
}

const likenessWords: Readonly<Record<Likeness, string>> = {
  same: 'systems with the same settings at the same load',
  same_load: 'systems at the same load',
  same_load_per_gpu: 'systems at the same load for each GPU',
  same_settings: 'systems with the same settings at similar loads',
  similar_load: 'systems at similar loads',
  unlike: 'systems that can be compared',
};

/** The workload of the sides. Unless the question names it, it was chosen among those that all sides have. */
export function explainWorkload(chosen: Workload, joint: Workload, found: InWorkload): Workload {
  if (chosen === null || joint?.chosen_because === 'asked') return chosen;
  const all = 'Of the workloads that results of all sides have, it has the most systems.';
  if (found.isFirst) return { ...chosen, chosen_because: 'most_systems', reason: all };
  const what = `Of the workloads in which all sides have ${likenessWords[found.likeness]}`;
  const reason = isLoaded(found)
    ? `${what}, with at least half of the best value of each side, it has the most systems.`
    : `${what}, it has ${hasLoadInCommon(found) ? 'the values closest to the best of each side' : 'the most systems'}.`;
  return { ...chosen, chosen_because: 'comparable', reason };
}
