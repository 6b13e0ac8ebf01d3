import {
  findGpu,
  findModel,
  findQuantization,
  type Gpu,
  gpus,
  type Model,
  models,
} from '../../packages/core/src/catalogue/index.ts';
import type { System } from '../../packages/core/src/subjects/system.ts';
import type { Random } from '../../packages/core/src/testing/random.ts';
import { makeSystem } from '../../packages/core/src/testing/result.ts';
import { weighted, zipf } from './chance.ts';
import { drawEngine, drawQuantization, drawVersion } from './engines.ts';

/** The catalogue's rows, the most common first. */
function popularFirst<T extends { id: string }>(rows: readonly T[], first: string): T[] {
  const ids = first.split(' ');
  const place = ({ id }: T) => (ids.includes(id) ? ids.indexOf(id) : ids.length);
  return rows.toSorted((a, b) => place(a) - place(b));
}

const drawGpu = zipf(
  popularFirst(
    gpus,
    'h100-sxm a100-sxm4-80gb h200-sxm rtx-4090 b200-sxm l40s mi300x rtx-3090 rtx-5090 h100-pcie l4 a10g',
  ),
  0.9,
);
const drawModel = zipf(
  popularFirst(
    models,
    'llama-3.1-8b llama-3.3-70b qwen3-30b-a3b gpt-oss-120b deepseek-r1 qwen3-32b gpt-oss-20b qwen3-8b mistral-7b-v0.3 gemma-3-27b',
  ),
  0.9,
);
const drawCount = weighted([
  [1, 50],
  [2, 15],
  [4, 15],
  [8, 16],
  [3, 1],
  [5, 1],
  [6, 1],
  [7, 1],
]);

/** Fraction of the memory that weights can use. */
const weightsShare = 0.85;
const bitsUnlisted = 5;

const weightGb = (model: Model, quantization: string) =>
  (model.paramsTotalB * (findQuantization(quantization)?.bitsPerWeight ?? bitsUnlisted)) / 8;

/** Number of GPUs for a model: random, but enough for its weights; null if eight are too few. */
function countFor(model: Model, quantization: string, gpu: Gpu, random: Random): number | null {
  const drawn = drawCount(random);
  const fits = (count: number) => weightGb(model, quantization) <= gpu.memoryGb * count * weightsShare;
  return [drawn, 1, 2, 4, 8].find((count) => count >= drawn && fits(count)) ?? null;
}

function drawFeatures(random: Random): System['features'] {
  return {
    ...(random.chance(0.15) ? { max_num_seqs: random.pick([64, 128, 256, 512]) } : {}),
    ...(random.chance(0.1) ? { max_num_batched_tokens: random.pick([2048, 8192, 16384]) } : {}),
    ...(random.chance(0.08) ? { kv_cache_dtype: 'fp8_e4m3' } : {}),
    ...(random.chance(0.08) ? { chunked_prefill: true } : {}),
    ...(random.chance(0.05) ? { cuda_graphs: random.chance(0.5) } : {}),
  };
}

/** A user's spelling of a name: the catalogue's id, title, or an alias. */
function written(row: { id: string; name: string; aliases: readonly string[] }, random: Random): string {
  return random.chance(0.5) ? row.id : (row.aliases[random.whole(0, row.aliases.length)] ?? row.name);
}

/** Fractions of systems with a model or GPU outside the catalogue; their results need review. */
const unknownModels = 0.003;
const unknownGpus = 0.002;

/** A plausible system. `isRare` makes it likely to be unique. */
export function drawSystem(random: Random, isRare: boolean): System {
  for (;;) {
    const [model, gpu] = [drawModel(random), drawGpu(random)];
    const engine = drawEngine(gpu.vendor, random);
    const quantization = drawQuantization(engine, random);
    const gpuCount = countFor(model, quantization, gpu, random);
    if (gpuCount === null) continue;
    const system = makeSystem({
      model: random.chance(unknownModels)
        ? `in-house/tuned-${random.whole(1, 99)}-${model.id}`
        : written(model, random),
      gpu: random.chance(unknownGpus) ? `Prototype ${random.whole(1, 40)}` : written(gpu, random),
      quantization,
      gpuCount,
      gpuPowerLimitW:
        gpu.tdpW !== null && random.chance(0.06) ? Math.round(gpu.tdpW * random.pick([0.6, 0.7, 0.8])) : null,
      parallelism: { tensor: gpuCount > 1 ? gpuCount : null, pipeline: null, data: null, expert: null },
      features: drawFeatures(random),
    });
    return { ...system, engine: { id: engine, name: engine, version: drawVersion(engine, random, isRare) } };
  }
}

/** The catalogue's rows of a system; unknown names use average hardware and models. */
export function rowsOf({ model, gpu }: System): { model: Model; gpu: Gpu } {
  const found = { model: findModel(model.id ?? 'llama-3.1-8b'), gpu: findGpu(gpu.id ?? 'l40s') };
  if (found.model === null || found.gpu === null) throw new Error(`${model.name} or ${gpu.name} has no row`);
  return { model: found.model, gpu: found.gpu };
}
