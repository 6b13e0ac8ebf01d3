import { resolveGpu } from '@inferboard/core/catalogue/index';
import { optionOfFact } from '../compare-servers/options.ts';
import type { Side } from '../compare-servers/paired.ts';
import { prefixOf } from '../points/server.ts';
import { completeEngine } from '../probe/complete-engine.ts';
import { findContainerImage } from '../probe/container-image.ts';
import type { Detected } from '../probe/detected.ts';
import { type GpuFacts, readGpuFacts } from '../probe/gpu-facts.ts';
import { findLocalWeights } from '../probe/local-weights.ts';
import { digestWeights, documentsAt, readServerFacts } from '../probe/server-facts.ts';
import { unlistedDoubts } from '../probe/unlisted-model.ts';
import type { MeasureOptions } from './options.ts';
import { headersOf } from './reach-server.ts';

/** The reported system, and other known facts about it. */
export interface DescribedServer {
  system: MeasureOptions['system'];
  detected: Detected;
  /** Where the server contradicts an option. */
  doubts: string[];
}

/** The option that states a fact. */
type OptionOf = (fact: keyof MeasureOptions['system']) => string;

/** Completes the stated GPUs with those that are watched. */
function completeGpus(system: MeasureOptions['system'], gpus: GpuFacts | null, optionOf: OptionOf) {
  if (gpus === null) return { system, doubts: [] };
  const [stated, found] = [system.gpu === null ? null : resolveGpu(system.gpu).id, resolveGpu(gpus.name).id];
  const doubts = [
    ...(stated !== null && found !== null && stated !== found
      ? [`the watched GPUs are ${gpus.name}, and ${optionOf('gpu')} is ${system.gpu}`]
      : []),
    ...(system.gpuCount !== null && system.gpuCount !== gpus.count
      ? [`${gpus.count} GPUs are watched, and ${optionOf('gpuCount')} is ${system.gpuCount}`]
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
  side: Side,
): Promise<DescribedServer> {
  const optionOf: OptionOf = (fact) => optionOfFact(fact, side === 'b' ? (options.against?.facts ?? null) : null);
  const { origin, pathname } = new URL(options.url);
  const read = documentsAt(`${origin}${prefixOf(pathname)}`, headersOf(options, apiKey));
  let listing: string | null = null;
  const readListing = async (path: string) => {
    const document = await read(path);
    if (path === '/v1/models') listing = document;
    return document;
  };
  const seen = await readServerFacts(readListing, model);
  const gpus = options.watched.gpus === undefined ? null : await readGpuFacts(options.watched.gpus);
  const requested = options.traffic.models.length > 0 ? options.traffic.models : [model];
  const engine = completeEngine(options.system, seen, (fact, stated) => `${optionOf(fact)} is ${stated}`);
  const { system, doubts } = completeGpus(engine.system, gpus, optionOf);
  return {
    system,
    doubts: [...requested.flatMap((name) => unlistedDoubts(listing, name)), ...engine.doubts, ...doubts],
    detected: {
      modelRevision: seen.modelRevision,
      containerImage:
        seen.containerImage ??
        (options.watched.gpus === undefined ? null : await findContainerImage(new URL(options.url))),
      weightsSha256: await digestOf(options, seen.weightsFile),
      ...{ gpuName: gpus?.name ?? null, gpuCount: gpus?.count ?? null, gpuDriver: gpus?.driver ?? null },
    },
  };
}
