import { findGpu, findGpuFamily, gpuVendor } from '../../catalogue/index.ts';
import type { Fault } from '../../errors.ts';
import { vendorOf } from '../../filters/filters.ts';
import type { Chunk } from '../readers/chunks.ts';
import { modelsOf } from '../readers/model-groups.ts';
import { type Words, written } from '../words/tokens.ts';
import { faultOf } from './faults.ts';

type FactsChunk = Extract<Chunk, { kind: 'facts' }>;

const modelsIn = ({ facts }: FactsChunk): string[] =>
  modelsOf(facts.flatMap(({ filter, values }) => (filter === 'model' ? values : [])));

/** "gemma 4 31b dense", "moe qwen3 30b": the architecture of a named model is part of its name. */
export function joinArchitectures(words: Words, chunks: readonly Chunk[]): { chunks: Chunk[]; faults: Fault[] } {
  const joined: Chunk[] = [];
  const faults: Fault[] = [];
  for (const chunk of chunks) {
    const before = joined.at(-1);
    const pair = [before, chunk].filter((one) => one?.kind === 'facts');
    const named = pair.find((one) => one.group === undefined && modelsIn(one).length > 0);
    const group = pair.find((one) => one.group === 'architecture');
    if (before === undefined || named === undefined || group === undefined) {
      joined.push(chunk);
      continue;
    }
    const members = modelsIn(group);
    const says = `does not match "${written(words, named.start, named.end)}".`;
    if (!modelsIn(named).every((id) => members.includes(id)))
      faults.push(faultOf('models_apart', written(words, group.start, group.end), says, 'Remove one of them.'));
    joined.splice(-1, 1, { ...named, start: before.start, end: chunk.end });
  }
  return { chunks: joined, faults };
}

/** "llama 70b", "the best qwen model at 32b": a family and a size together mean the models that match both. */
export function mergeGroups(words: Words, chunks: readonly Chunk[]): { chunks: Chunk[]; faults: Fault[] } {
  const ofModels = chunks.filter(
    (chunk): chunk is FactsChunk => chunk.kind === 'facts' && chunk.facts.some(({ filter }) => filter === 'model'),
  );
  if (ofModels.length > 2) return { chunks: joinAdjacent(chunks), faults: [] };
  const [one, other] = ofModels;
  const groups = new Set(ofModels.map(({ group }) => group));
  if (ofModels.length !== 2 || one === undefined || other === undefined || groups.size !== 2 || groups.has(undefined))
    return { chunks: [...chunks], faults: [] };
  const second = modelsIn(other);
  const both = modelsIn(one)
    .filter((id) => second.includes(id))
    .sort();
  if (both.length === 0) {
    const phrase = written(words, other.start, other.end);
    const says = `does not match a model of "${written(words, one.start, one.end)}".`;
    return { chunks: [...chunks], faults: [faultOf('models_apart', phrase, says, 'Remove one of them.')] };
  }
  const narrowed = ({ facts, ...chunk }: FactsChunk): Chunk => ({
    ...chunk,
    facts: facts.map((fact) => (fact.filter === 'model' ? { filter: 'model', values: both } : fact)),
  });
  return {
    chunks: chunks.map((chunk) => (chunk === one || chunk === other ? narrowed(chunk as FactsChunk) : chunk)),
    faults: [],
  };
}

/** "llama 8b or qwen3 8b": a family directly before a size, or after it, is one name among several. */
function joinAdjacent(chunks: readonly Chunk[]): Chunk[] {
  const joined: Chunk[] = [];
  for (const chunk of chunks) {
    const before = joined.at(-1);
    const isPair =
      before?.kind === 'facts' &&
      chunk.kind === 'facts' &&
      before.end === chunk.start &&
      [before.group, chunk.group].toSorted().join() === 'family,size';
    const second = isPair ? modelsIn(chunk) : [];
    const values = isPair ? modelsIn(before).filter((id) => second.includes(id)) : [];
    if (!isPair || values.length === 0) joined.push(chunk);
    else joined.splice(-1, 1, { ...before, facts: [{ filter: 'model', values: values.sort() }], end: chunk.end });
  }
  return joined;
}

const scenariosIn = (chunk: Chunk) =>
  chunk.kind === 'facts'
    ? chunk.facts.flatMap(({ filter, values }) => (filter === 'scenario' ? values.map(String) : []))
    : [];

/** "mlperf results of llama 2 70b interactive": the workloads of MLPerf with that word in their name. */
export function narrowMlperf(chunks: readonly Chunk[]): Chunk[] {
  // A name of one workload is a single value.
  const isMlperf = (chunk: Chunk) => scenariosIn(chunk).filter((id) => id.startsWith('mlperf-')).length > 1;
  const word = chunks.find((chunk) => scenariosIn(chunk).join() === 'interactive');
  if (word === undefined || !chunks.some(isMlperf)) return [...chunks];
  return chunks.flatMap((chunk): Chunk[] => {
    if (chunk === word) return [];
    if (chunk.kind !== 'facts' || !isMlperf(chunk)) return [chunk];
    const narrowed = chunk.facts.map((fact) =>
      fact.filter === 'scenario'
        ? { ...fact, values: fact.values.filter((id) => /-interactive$/u.test(String(id))) }
        : fact,
    );
    return [{ ...chunk, facts: narrowed }];
  });
}

const gpusIn = (chunk: Chunk) =>
  chunk.kind === 'facts'
    ? chunk.facts.flatMap(({ filter, values }) => (filter === 'gpu' ? values.map(String) : []))
    : [];

const makerOf = (id: string) => gpuVendor({ id: findGpu(id)?.id ?? null, family: findGpuFamily(id)?.id ?? null });

const membersOf = (id: string): readonly string[] => findGpuFamily(id)?.members ?? [id];

/** "blackwell b200": drops an architecture next to one of its GPUs, because it adds nothing. */
export function dropArchitectures(chunks: readonly Chunk[]): Chunk[] {
  const isSaid = (chunk: Chunk, at: number) => {
    if (chunk.kind !== 'facts' || chunk.group !== 'gpus') return false;
    const all = gpusIn(chunk);
    return [chunks[at - 1], chunks[at + 1]].some((other) => {
      const own = other === undefined ? [] : gpusIn(other).flatMap(membersOf);
      return own.length > 0 && own.every((id) => all.includes(id));
    });
  };
  return chunks.filter((chunk, at) => !isSaid(chunk, at));
}

/** "m2 ultra mac studio": drops a vendor next to a GPU, because it adds nothing. */
export function dropVendors(chunks: readonly Chunk[]): Chunk[] {
  const makers = new Set(chunks.flatMap(gpusIn).map(makerOf));
  const isSaid = (chunk: Chunk) => {
    const [only, ...others] = gpusIn(chunk);
    const vendor = only === undefined || others.length > 0 ? null : vendorOf(only);
    return vendor !== null && makers.has(vendor);
  };
  const isAlone = (at: number) => {
    const before = chunks[at - 1];
    if (before?.kind === 'cue') return before.cue === 'speed' || before.cue === 'fit' || before.cue === 'need';
    return !['or', 'and', 'not'].includes(before?.kind ?? '');
  };
  return chunks.filter((chunk, at) => !isSaid(chunk) || !isAlone(at));
}
