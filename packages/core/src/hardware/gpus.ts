import { gpus as allGpus, findGpu, findGpuFamily, type Gpu } from '../catalogue/index.ts';
import { derived } from '../catalogue/memo.ts';
import type { Result } from '../subjects/result.ts';
import { isOn } from './switches.ts';

/** Figures of the GPUs of a result. Bounds use the highest figure that could apply. Null means no sourced figure. */
export interface GpuFigures {
  /** Name for sentences: "NVIDIA H100 SXM". */
  name: string;
  /** GPUs that hold the weights and do the work. */
  count: number;
  /** GPUs that decode; fewer than `count` if prefill has dedicated GPUs. */
  decoding: number;
  /** GPUs that share each decoding step of one sequence: tensor x expert width, or all GPUs if no layout is stated. */
  width: number;
  /** GPUs that can work on one prompt at the same time. Pipeline stages can, on successive chunks. */
  prefillWidth: number;
  /** Bytes per second of one GPU: the vendor's figure, and the highest published figure. */
  bandwidth: number | null;
  bandwidthMost: number;
  /** Bytes of one GPU. */
  memoryBytes: number;
  isUnified: boolean;
  /** Watts of one GPU. */
  tdpW: number | null;
  /** Dense operations per second of one GPU, for the fastest variant, by number format. */
  flops: Readonly<Partial<Record<keyof Gpu['tflopsDense'], number>>>;
  /** False if a figure has only one source: enough for a warning, not for a violation. */
  isCertain: boolean;
}

const gib = 2 ** 30;

/** The named GPU, or all variants of its family. */
function variants({ id, family }: Result['system']['gpu']): Gpu[] {
  const ids = id !== null ? [id] : family === null ? [] : (findGpuFamily(family)?.members ?? []);
  return ids.flatMap((member) => findGpu(member) ?? []);
}

const formats = ['bf16', 'fp16', 'fp8', 'fp4', 'int8'] as const;

function fastest(gpus: readonly Gpu[]): GpuFigures['flops'] {
  const flops: Partial<Record<(typeof formats)[number], number>> = {};
  for (const format of formats) {
    const most = Math.max(0, ...gpus.map(({ tflopsDense }) => tflopsDense[format] ?? 0));
    if (most > 0) flops[format] = most * 1e12;
  }
  return flops;
}

type Shared = Omit<GpuFigures, 'count' | 'decoding' | 'width' | 'prefillWidth'>;

/** Cached, because values derived from one of about a hundred entries do not depend on the result. */
const shares = derived(() => new Map<string, Shared | null>());

function sharedFigures(ref: Result['system']['gpu']): Shared | null {
  const known = shares();
  const key = `${ref.id ?? ''} ${ref.family ?? ''}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const gpus = variants(ref);
  const [first] = gpus;
  const shared: Shared | null =
    first === undefined
      ? null
      : {
          ...largest(gpus),
          name: ref.id === null ? (findGpuFamily(ref.family ?? '')?.name ?? first.name) : first.name,
          bandwidth: ref.id === null ? null : first.memoryBandwidthGbs * 1e9,
          isCertain: gpus.every((gpu) => gpu.verified === 'two-sources'),
        };
  known.set(key, shared);
  return shared;
}

/** The highest figure of each kind among some GPUs. */
function largest(gpus: readonly Gpu[]): Omit<Shared, 'name' | 'bandwidth' | 'isCertain'> {
  const most = (of: (gpu: Gpu) => number) => Math.max(...gpus.map(of));
  return {
    bandwidthMost: most((gpu) => gpu.memoryBandwidthGbsMaxPublished) * 1e9,
    memoryBytes: most((gpu) => gpu.memoryGb) * gib,
    isUnified: gpus.some((gpu) => gpu.unifiedMemory),
    tdpW: gpus.some((gpu) => gpu.tdpW === null) ? null : most((gpu) => gpu.tdpW ?? 0),
    flops: fastest(gpus),
  };
}

/** The highest figures of the whole catalogue. No GPU exceeds them, so their bounds never flag an honest result. */
const fastestKnown = derived(
  (): Shared => ({
    ...largest(allGpus),
    name: 'GPU as fast as any of the catalogue',
    bandwidth: null,
    isCertain: true,
  }),
);

/** A fraction of a GPU cannot decode. */
const whole = (value: unknown): number | null =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : null;

/** How many of `count` GPUs share a step of one sequence, and over how many stages a prompt may be distributed. */
function widthOf(
  { tensor, pipeline, data, expert }: Result['system']['parallelism'],
  features: Result['system']['features'],
  count: number,
): { sequence: number; stages: number } {
  const stages = pipeline ?? 1;
  // Experts may be distributed over GPUs that are replicas for the rest of the model.
  const isSpread = expert === null && (isOn(features.expert_parallel) || isOn(features.enable_expert_parallel));
  if (isSpread || (tensor === null && expert === null)) {
    const replicas = isSpread ? 1 : (data ?? 1);
    return { sequence: Math.max(1, count / (stages * replicas)), stages };
  }
  return { sequence: Math.min(count, (tensor ?? 1) * (expert ?? 1)), stages };
}

function figuresOf({ gpu, gpuCount, ...layout }: Result['system']): GpuFigures | null {
  const shared = sharedFigures(gpu);
  return shared === null || gpuCount === null ? null : { ...shared, ...countsOf(layout, gpuCount) };
}

/** Roles of the GPUs, of `gpuCount` in total. */
function countsOf(
  { parallelism, features }: Pick<Result['system'], 'parallelism' | 'features'>,
  gpuCount: number,
): Omit<GpuFigures, keyof Shared> {
  const decoding = Math.min(gpuCount, whole(features.decode_gpus) ?? gpuCount);
  const { stages, ...width } = widthOf(parallelism, features, decoding);
  // Prefill GPUs have no stated layout.
  const prefillWidth = decoding < gpuCount ? gpuCount : Math.min(decoding, width.sequence * stages);
  return { count: gpuCount, decoding, width: width.sequence, prefillWidth };
}

/** Cached, because all checks of a result request the same system. */
const latest = derived((): { system: Result['system'] | null; figures: GpuFigures | null } => ({
  system: null,
  figures: null,
}));

/** Returns the GPUs of a system; null if the catalogue has no figures or the number is unknown. */
export function gpuFigures(system: Result['system']): GpuFigures | null {
  const lately = latest();
  if (lately.system !== system) Object.assign(lately, { system, figures: figuresOf(system) });
  return lately.figures;
}

/** Returns the fastest GPU of the catalogue as a substitute for an unknown one, with the stated count, else one. */
export function fastestGpus(system: Result['system']): GpuFigures {
  return { ...fastestKnown(), ...countsOf(system, system.gpuCount ?? 1) };
}

/** Returns the lowest rated power in watts of the GPUs that the name may mean, or of all GPUs if it is unknown. */
export function leastRatedWatts({ gpu }: Result['system']): { watts: number; isOwn: boolean } {
  const rated = (gpus: readonly Gpu[]) => gpus.flatMap(({ tdpW }) => tdpW ?? []);
  const named = variants(gpu);
  const own = rated(named);
  const isOwn = own.length > 0 && own.length === named.length;
  return { watts: Math.min(...(isOwn ? own : rated(allGpus))), isOwn };
}
