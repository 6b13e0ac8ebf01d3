import { type Question, type QuestionFilters, requestsOf } from '@inferboard/core/questions/index';
import { describeFilters } from '@inferboard/core/questions/nearest';
import { formatLoad } from '@inferboard/core/subjects/load';
import { workloadTitle } from '@inferboard/core/workloads/workload-title';
import type { Deps } from '../deps.ts';
import { type Asked, answerBoard } from './answer-board.ts';
import { systemText } from './sentences.ts';

type Answer = Awaited<ReturnType<typeof answerBoard>>;

/** Maximum number of systems to search for the one with the fewest GPUs. */
const systemsMax = 100;

const isBound = (name: string) => /^(?:min|max)_(?!load_level|context|gpu|quality)/.test(name);

/** Separates the limits on measured values from the other filters. */
export function splitBounds(filters: QuestionFilters): { bounds: QuestionFilters; others: QuestionFilters } {
  const entries = Object.entries(filters);
  return {
    bounds: Object.fromEntries(entries.filter(([name]) => isBound(name))),
    others: Object.fromEntries(entries.filter(([name]) => !isBound(name))),
  };
}

/** The load that a question about the number of GPUs states; null if it states none, or states the GPUs. */
export function loadToServe({ load_level: exact, min_load_level: least, gpu_count: count }: QuestionFilters) {
  const [level] = [exact ?? least ?? []].flat();
  return level === undefined || count !== undefined ? null : Number(level);
}

const gpusText = (count: number) => (count === 1 ? '1 GPU' : `${count} GPUs`);
const requestsText = (mode: string | number | undefined, level: number) =>
  mode === 'rate' ? `${level} req/s` : `${level} requests at once`;

/** States the requests of the computed memory, which follows. */
function sayRequests(question: Question): string {
  const requests = requestsOf(question);
  return `The following memory is for ${requests === 1 ? 'one request' : `${requests} requests at once`}.`;
}

/** The systems that serve the load, each in enough copies, with the fewest GPUs first. */
function toCopies(data: Answer['data'], level: number) {
  return data
    .flatMap((entry) => {
      const { gpu_count: count } = entry.system;
      const { level: measured } = entry.load;
      if (count === null || measured === null || measured <= 0) return [];
      const copies = Math.ceil(level / measured);
      return [{ entry, copies, gpus: copies * count }];
    })
    .sort((a, b) => a.gpus - b.gpus || a.copies - b.copies || b.entry.value - a.entry.value);
}

/**
 * The GPUs that a load needs, from measured results: the system with the fewest GPUs, in as many copies as the load needs, at
 * its highest throughput under the other conditions.
 */
export async function answerLoad(deps: Deps, asked: Asked, question: Question, level: number) {
  const { load_level: _, min_load_level: __, max_load_level: ___, ...filters } = question.filters;
  const rank = { saysRank: true, rankBy: 'output_tok_s_per_gpu', order: 'desc', subject: 'system' } as const;
  const answer = await answerBoard(deps, { ...asked, question: { ...question, ...rank, limit: systemsMax, filters } });
  const [mode] = [filters.load_mode ?? []].flat();
  const { bounds } = splitBounds(filters);
  const load = [requestsText(mode, level), describeFilters(bounds)].filter((text) => text !== '').join(' ');
  const [fewest] = toCopies(answer.data, level);
  if (fewest === undefined)
    return { answer, says: `No stored result shows the number of GPUs for ${load}. ${sayRequests(question)}` };
  const { entry, copies, gpus } = fewest;
  const system = `${systemText(entry.system)}, measured at ${formatLoad(entry.load)} in ${answer.workload === null ? 'any workload' : `"${workloadTitle(answer.workload.id)}"`}`;
  const unbound =
    Object.keys(bounds).length === 0 ? ' Add a limit such as "at 30 tok/s/user" to include the speed.' : '';
  const says =
    copies === 1
      ? `${gpusText(gpus)} for ${load}: ${system}.`
      : `${gpusText(gpus)} for ${load}: ${copies} copies of ${system}. The number of copies is computed, not measured.`;
  return { answer, says: `${says}${unbound} ${sayRequests(question)}` };
}

/** States which measured result meets the limits of a question about memory; null if it has none. */
export function sayMeasured(question: Question, [best]: Answer['data']): string | null {
  const limits = describeFilters(splitBounds(question.filters).bounds);
  if (limits === '') return null;
  const found =
    best === undefined ? 'no stored result meets' : `${systemText(best.system)}, ${formatLoad(best.load)}, meets`;
  return `The sizes do not include speed. On this memory, ${found} "${limits}".`;
}
