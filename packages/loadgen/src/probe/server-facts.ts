import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { toRecordsError } from '../records/records-error.ts';

/** What a server shows of itself; null where it shows nothing. */
export interface ServerFacts {
  engine: string | null;
  engineVersion: string | null;
  /** Commit of the model's repository. */
  modelRevision: string | null;
  containerImage: string | null;
  /** File of the weights, on the server's machine. */
  weightsFile: string | null;
}

const timeout_ms = 3000;

type Document = Record<string, unknown>;

async function readJson(url: string, headers: Record<string, string>): Promise<Document> {
  try {
    const response = await fetch(url, { headers, redirect: 'manual', signal: AbortSignal.timeout(timeout_ms) });
    const answer: unknown = response.ok ? await response.json() : null;
    return typeof answer === 'object' && answer !== null ? (answer as Document) : {};
  } catch {
    return {};
  }
}

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** A folder of the cache of Hugging Face names the commit. */
const revisionIn = (path: string | null) => /snapshots[\\/]([0-9a-f]{40})/.exec(path ?? '')?.[1] ?? null;

const nothing: ServerFacts = {
  ...{ engine: null, engineVersion: null, modelRevision: null },
  ...{ containerImage: null, weightsFile: null },
};

/** Asks a server what it is: by who owns its models, and then by what that engine offers. Never throws. */
export async function readServerFacts(
  base: string,
  model: string,
  headers: Record<string, string>,
): Promise<ServerFacts> {
  const get = (path: string) => readJson(`${base}${path}`, headers);
  const { data } = await get('/v1/models');
  const models = Array.isArray(data) ? (data as Document[]) : [];
  const own = models.find(({ id }) => id === model) ?? models[0] ?? {};
  const revision = revisionIn(text(own.root));
  const owner = text(own.owned_by);
  if (owner === 'vllm') {
    const { version } = await get('/version');
    return { ...nothing, engine: 'vllm', engineVersion: text(version), modelRevision: revision };
  }
  if (owner === 'sglang') {
    const [info, { model_path: path }] = [await get('/get_server_info'), await get('/get_model_info')];
    const modelRevision = revision ?? revisionIn(text(path)) ?? text(info.revision);
    return { ...nothing, engine: 'sglang', engineVersion: text(info.version), modelRevision };
  }
  if (owner === 'llamacpp') {
    const { build_info: build, model_path: path } = await get('/props');
    // "b6789-0123abc": the number of the build, and the commit.
    const engineVersion = /^b\d+/.exec(text(build) ?? '')?.[0] ?? text(build);
    return {
      ...nothing,
      ...{ engine: 'llama.cpp', engineVersion, modelRevision: revisionIn(text(path)), weightsFile: text(path) },
    };
  }
  const info = await get('/info');
  if (text(info.model_id) === null || text(info.version) === null) return { ...nothing, modelRevision: revision };
  return {
    ...nothing,
    ...{ engine: 'tgi', engineVersion: text(info.version), modelRevision: text(info.model_sha) },
    containerImage: text(info.docker_label),
  };
}

/** The SHA-256 of a file of weights. @throws RecordsError where it cannot be read */
export async function digestWeights(file: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(file, { highWaterMark: 1024 * 1024 }), hash);
  } catch (error) {
    throw toRecordsError(file, error);
  }
  return hash.digest('hex');
}
