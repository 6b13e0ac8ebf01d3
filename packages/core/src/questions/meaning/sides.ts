import type { Fault } from '../../errors.ts';
import type { Chunk } from '../readers/chunks.ts';
import type { Fact } from '../readers/loads.ts';
import { type Words, written } from '../words/tokens.ts';
import { faultOf } from './faults.ts';

type FactsChunk = Extract<Chunk, { kind: 'facts' }>;

/** One side of a comparison: its filters and its location. */
export interface Side {
  facts: Fact[];
  start: number;
  end: number;
}

export interface Sides {
  sides: Side[];
  /** Chunks that the comparison uses: its sides and the words between them. */
  taken: ReadonlySet<Chunk>;
  faults: Fault[];
}

const none: Sides = { sides: [], taken: new Set(), faults: [] };

const isFacts = (chunk: Chunk | undefined): chunk is FactsChunk => chunk?.kind === 'facts';
const cueOf = (chunk: Chunk | undefined) => (chunk?.kind === 'cue' ? chunk.cue : null);

const mayDiffer: ReadonlySet<string> = new Set([
  ...['model', 'gpu', 'gpu_count', 'quantization', 'engine', 'engine_version'],
]);
const filtersOf = (chunk: FactsChunk) =>
  chunk.facts.map(({ filter }) => filter).filter((filter) => mayDiffer.has(filter));

/** Chunks that may separate the facts of a side: "is h100 faster than a100", "vllm ttft vs sglang ttft". */
const isTransparent = (chunk: Chunk | undefined): boolean =>
  (chunk !== undefined && ['noun', 'comparative', 'metric', 'ranker'].includes(chunk.kind)) ||
  cueOf(chunk) === 'choose';

/** The facts directly before or after a position, nearest first. */
function runFrom(all: readonly Chunk[], at: number, step: 1 | -1): FactsChunk[] {
  const run: FactsChunk[] = [];
  for (let place = at + step; ; place += step) {
    const chunk = all[place];
    if (isFacts(chunk)) run.push(chunk);
    else if (!isTransparent(chunk)) return run;
  }
}

/** True if a "vs" has all facts on one side. */
const isOneSided = (all: readonly Chunk[]): boolean =>
  all.some((chunk, at) => cueOf(chunk) === 'versus' && runFrom(all, at, -1).length + runFrom(all, at, 1).length > 1);

/** Separators of sides: "vs"; "and" after "compare"; "or" after "which is better" or with only facts; "than" after "faster". */
function separatorsOf(all: readonly Chunk[]): number[] {
  const has = (cue: string) => all.some((chunk) => cueOf(chunk) === cue);
  const isCompared = all.some(({ kind }) => kind === 'comparative');
  const places = (isOne: (chunk: Chunk) => boolean) =>
    all.flatMap((chunk, at) =>
      isOne(chunk) && runFrom(all, at, -1).length > 0 && runFrom(all, at, 1).length > 0 ? [at] : [],
    );
  const versus = places((chunk) => cueOf(chunk) === 'versus');
  if (versus.length > 0) return versus;
  const than = isCompared || has('choose') ? places((chunk) => cueOf(chunk) === 'than') : [];
  if (than.length > 0) return than;
  // "vllm or sglang on h100", "best for llama, fp8 or int4" ask for nothing else.
  const isBare = all.every(({ kind }) => ['facts', 'or', 'ranker', 'superlative'].includes(kind));
  const isChoice = isCompared || isBare || has('choose') || has('compare');
  const or = isChoice ? places(({ kind }) => kind === 'or') : [];
  if (or.length > 0) return or;
  return has('compare') ? places(({ kind }) => kind === 'and') : [];
}

/** The filters that both sides of a separator name. */
function sharedAt(all: readonly Chunk[], at: number): string[] {
  const before = new Set(runFrom(all, at, -1).flatMap(filtersOf));
  return [...new Set(runFrom(all, at, 1).flatMap(filtersOf))].filter((filter) => before.has(filter));
}

/** The chunks of one side: those of its run with a shared filter. A further value of the same filter starts another side. */
function groupsOf(run: readonly FactsChunk[], shared: ReadonlySet<string>): FactsChunk[][] {
  const groups: FactsChunk[][] = [];
  for (const chunk of run.filter((each) => filtersOf(each).some((filter) => shared.has(filter)))) {
    const group = groups.at(-1);
    const isMore = group?.some((other) => filtersOf(other).some((filter) => filtersOf(chunk).includes(filter))) ?? true;
    if (isMore) groups.push([chunk]);
    else group?.push(chunk);
  }
  return groups;
}

const signatureOf = (chunk: Chunk | undefined) =>
  isFacts(chunk) && chunk.facts.length === 1 ? (chunk.facts[0]?.filter ?? null) : null;

/** "awq or gptq vs fp8": in a question with "vs", facts joined by "or" are one side. */
export function joinAlternatives(all: readonly Chunk[]): Chunk[] {
  if (!all.some((chunk) => cueOf(chunk) === 'versus')) return [...all];
  const joined: Chunk[] = [];
  for (const chunk of all) {
    const or = joined.at(-1);
    const before = joined.at(-2);
    const filter = signatureOf(chunk);
    if (or?.kind !== 'or' || filter === null || filter !== signatureOf(before) || !isFacts(before) || !isFacts(chunk)) {
      joined.push(chunk);
      continue;
    }
    const values = [...new Set([before, chunk].flatMap(({ facts }) => facts.flatMap((fact) => fact.values)))];
    joined.splice(-2, 2, { kind: 'facts', facts: [{ filter, values }], start: before.start, end: chunk.end });
  }
  return joined;
}

/**
 * Returns the sides of a comparison; empty if the question compares nothing. `all`: the meaningful chunks and the words that
 * join them. The sides are next to the joining words and name the same filters; all other chunks apply to both.
 */
export function readSides(words: Words, all: readonly Chunk[]): Sides {
  const separators = separatorsOf(all);
  const isAsked = all.some((chunk) => ['versus', 'compare'].includes(cueOf(chunk) ?? ''));
  if (separators.length === 0) {
    const cue = all.find((chunk) => ['versus', 'compare', 'than'].includes(cueOf(chunk) ?? ''));
    if (cue === undefined) return none;
    // "worth upgrading from a 3090 to a 5090": both sides follow.
    const isListed = !isOneSided(all) || /^worth /iu.test(written(words, cue.start, cue.end));
    const listed = isAsked && isListed ? groupsListed(all) : [];
    if (listed.length >= 2) return toSides(words, all, listed, []);
    const faults = [
      faultOf(
        'sides_missing',
        written(words, cue.start, cue.end),
        'does not compare two things of one kind.',
        hintFor(all),
      ),
    ];
    return { ...none, faults };
  }
  const shared = new Set(separators.flatMap((at) => sharedAt(all, at)));
  if (shared.size === 0) {
    const [at = 0] = separators;
    const chunk = all[at];
    // "h100 or vllm" after "which is" is rejected with all other invalid "or"s.
    if (chunk === undefined || chunk.kind === 'or' || chunk.kind === 'and') return none;
    const says = 'is not between two things of one kind.';
    const hint = 'Name two of one kind, such as "h100 vs mi300x".';
    return { ...none, faults: [faultOf('sides_missing', written(words, chunk.start, chunk.end), says, hint)] };
  }
  const runs = [runFrom(all, separators[0] ?? 0, -1).reverse(), ...separators.map((at) => runFrom(all, at, 1))];
  const seen = new Set<FactsChunk>();
  const groups = runs
    .flatMap((run) => groupsOf(run, shared))
    .filter(([first]) => {
      if (first === undefined || seen.has(first)) return false;
      seen.add(first);
      return true;
    });
  return toSides(
    words,
    all,
    groups,
    separators.map((at) => all[at]).filter((chunk) => chunk !== undefined),
  );
}

/** What to name for a comparison without two sides. */
function hintFor(all: readonly Chunk[]): string {
  // "difference between itl and tpot".
  if (all.filter(({ kind }) => kind === 'metric').length > 1)
    return 'Metrics are explained one at a time, such as "what is itl", and all on the page /glossary.';
  // "h100 at $2.5/hr vs b200 at $4/hr".
  if (all.some(({ kind }) => kind === 'price'))
    return 'Compare without prices, such as "cheapest: h100 vs b200", and give your own with the parameter prices=h100=2.5,b200=4.';
  // "cheaper than h100".
  if (all.some((chunk) => cueOf(chunk) === 'than')) return 'Name both, such as "is h200 cheaper than h100".';
  return 'Name two of one kind, such as "h100 vs mi300x".';
}

/** "compare vllm, sglang": adjacent values of one filter. */
function groupsListed(all: readonly Chunk[]): FactsChunk[][] {
  for (const [at, chunk] of all.entries()) {
    if (!isFacts(chunk)) continue;
    const run = [chunk, ...runFrom(all, at, 1)];
    const [filter] = filtersOf(chunk);
    const same = run.filter((each) => filter !== undefined && filtersOf(each).includes(filter));
    if (same.length >= 2) return same.map((each) => [each]);
  }
  return [];
}

const sameTwice = (words: Words, side: Side | undefined): Sides => {
  const phrase = side === undefined ? '' : written(words, side.start, side.end);
  const faults = [faultOf('sides_missing', phrase, 'is both sides of the comparison.', 'Name two.')];
  return { ...none, faults };
};

function toSides(
  words: Words,
  all: readonly Chunk[],
  groups: readonly FactsChunk[][],
  separators: readonly Chunk[],
): Sides {
  const given = groups.map((group) => ({
    facts: group.flatMap(({ facts }) => facts),
    start: Math.min(...group.map(({ start }) => start)),
    end: Math.max(...group.map(({ end }) => end)),
  }));
  const sides = given.filter(({ facts }, at) => {
    const text = JSON.stringify(facts);
    return given.findIndex((other) => JSON.stringify(other.facts) === text) === at;
  });
  if (sides.length < 2) return sameTwice(words, given[1] ?? given[0]);
  const from = Math.min(...sides.map(({ start }) => start));
  const to = Math.max(...sides.map(({ end }) => end));
  // Joining words between the sides are part of the comparison: "vllm, sglang or tgi".
  const between = all.filter(({ kind, start, end }) => (kind === 'or' || kind === 'and') && start >= from && end <= to);
  return { sides, taken: new Set([...groups.flat(), ...separators, ...between]), faults: [] };
}
