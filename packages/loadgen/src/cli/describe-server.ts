import { resolveEngine, resolveGpu } from '@inferboard/core/catalogue/index';
import { prefixOf } from '../points/server.ts';
import type { Detected } from '../probe/detected.ts';
import { type GpuFacts, readGpuFacts } from '../probe/gpu-facts.ts';
import { findLocalWeights } from '../probe/local-weights.ts';
import { digestWeights, readServerFacts, type ServerFacts } from '../probe/server-facts.ts';
import type { MeasureOptions } from './options.ts';
import { headersOf } from './reach-server.ts';

/** The reported system, and other known facts about it. */
export interface DescribedServer {
  system: MeasureOptions['system'];
  detected: Detected;
  /** Where the server contradicts an option. */
  doubts: string[];
}

const idOf = (name: string) => resolveEngine(name).id ?? name.toLowerCase();

/** Facts that were not given come from the server; what was given stays. */
function complete(system: MeasureOptions['system'], { engine, engineVersion }: ServerFacts) {
  const doubts: string[] = [];
  if (engine === null) return { system, doubts };
  if (system.engine !== null && idOf(system.engine) !== idOf(engine)) {
    doubts.push(
      `the server is ${engine}${engineVersion === null ? '' : ` ${engineVersion}`}, and --engine is ${system.engine}`,
    );
    return { system, doubts };
  }
  if (engineVersion !== null && system.engineVersion !== null && system.engineVersion !== engineVersion)
    doubts.push(`the server is version ${engineVersion}, and --engine-version is ${system.engineVersion}`);
  return {
    system: { ...system, engine: system.engine ?? engine, engineVersion: system.engineVersion ?? engineVersion },
    doubts,
  };
}

/** The same for the GPUs that are watched. */
function completeGpus(system: MeasureOptions['system'], gpus: GpuFacts | null) {
  if (gpus === null) return { system, doubts: [] };
  const [stated, found] = [system.gpu === null ? null : resolveGpu(system.gpu).id, resolveGpu(gpus.name).id];
  const doubts = [
    ...(stated !== null && found !== null && stated !== found
      ? [`the watched GPUs are ${gpus.name}, and --gpu is ${system.gpu}`]
      : []),
    ...(system.gpuCount !== null && system.gpuCount !== gpus.count
      ? [`${gpus.count} GPUs are watched, and --gpu-count is ${system.gpuCount}`]
      : []),
  ];
  return { system: { ...system, gpu: system.gpu ?? gpus.name, gpuCount: system.gpuCount ?? gpus.count }, doubts };
}

/** The SHA-256 of the weights: of the file named, or of the one that a server on this machine has loaded. */
async function digestOf({ url, weights }: MeasureOptions, loaded: string | null): Promise<string | null> {
  if (weights === 'none') return null;
  const file = weights ?? (await findLocalWeights(new URL(url).hostname, loaded));
  return file === null ? null : digestWeights(file);
}

/**
 * Asks the server for its engine, version and revision, and the GPUs that are watched for name and driver; makes the digest of
 * the weights.
 *
 * @throws RecordsError where the weights cannot be read
 */
export async function describeServer(
  options: MeasureOptions,
  model: string,
  apiKey: string | null,
): Promise<DescribedServer> {
  const { origin, pathname } = new URL(options.url);
  const seen = await readServerFacts(`${origin}${prefixOf(pathname)}`, model, headersOf(options, apiKey));
  const gpus = options.watched.gpus === undefined ? null : await readGpuFacts(options.watched.gpus);
  const engine = complete(options.system, seen);
  const { system, doubts } = completeGpus(engine.system, gpus);
  return {
    system,
    doubts: [...engine.doubts, ...doubts],
    detected: {
      ...{ modelRevision: seen.modelRevision, containerImage: seen.containerImage },
      weightsSha256: await digestOf(options, seen.weightsFile),
      ...{ gpuName: gpus?.name ?? null, gpuCount: gpus?.count ?? null, gpuDriver: gpus?.driver ?? null },
    },
  };
}
