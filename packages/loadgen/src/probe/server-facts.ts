import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { toBuildTag } from '@inferboard/core/adapters/llama-cpp/figures';
import { factNameSchema } from '@inferboard/core/submission/resolve/check-names';
import { NameSchema } from '@inferboard/core/text/text';
import { redact, secretsOf } from '../measure/records/redact.ts';
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

const VersionSchema = factNameSchema('engine_version');

type Document = Record<string, unknown>;

/** Requests a document of a server by its path. Returns its text; null if there is none. */
export type RequestDocument = (path: string) => Promise<string | null>;

/** Requests documents below the base URL of a server. */
export const documentsAt =
  (base: string, headers: Record<string, string>): RequestDocument =>
  async (path) => {
    try {
      const signal = AbortSignal.timeout(timeout_ms);
      const response = await fetch(`${base}${path}`, { headers, redirect: 'manual', signal });
      return response.ok ? redact(await response.text(), secretsOf(headers)) : null;
    } catch {
      return null;
    }
  };

const isDocument = (value: unknown): value is Document => typeof value === 'object' && value !== null;

function parse(document: string | null): Document {
  try {
    const value: unknown = JSON.parse(document ?? '');
    return isDocument(value) ? value : {};
  } catch {
    return {};
  }
}

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** A text that reports may contain; null otherwise. */
const name = (value: unknown): string | null => NameSchema.safeParse(value).data ?? null;
const version = (value: unknown): string | null => VersionSchema.safeParse(value).data ?? null;

/** A folder of the cache of Hugging Face names the commit. */
const revisionIn = (path: string | null) => /snapshots[\\/]([0-9a-f]{40})/.exec(path ?? '')?.[1] ?? null;

/** The models in a response to `/v1/models`, with their aliases. */
export function listedModels(document: string | null): { id: string; aliases: string[] }[] {
  const { data } = parse(document);
  const models = Array.isArray(data) ? data.filter(isDocument) : [];
  return models.flatMap(({ id, aliases }) => {
    const named = text(id);
    const others = Array.isArray(aliases) ? aliases.filter((alias) => typeof alias === 'string') : [];
    return named === null ? [] : [{ id: named, aliases: others }];
  });
}

const nothing: ServerFacts = {
  ...{ engine: null, engineVersion: null, modelRevision: null },
  ...{ containerImage: null, weightsFile: null },
};

/**
 * Reads what a server reports of itself: the owner of its models, and then the documents of that engine, with three requests at
 * most. Texts that a report cannot contain are omitted.
 *
 * @param request must not throw because of the server
 */
export async function readServerFacts(request: RequestDocument, model: string): Promise<ServerFacts> {
  const get = async (path: string) => parse(await request(path));
  const { data } = await get('/v1/models');
  const models = Array.isArray(data) ? data.filter(isDocument) : [];
  const own = models.find(({ id }) => id === model) ?? models[0] ?? {};
  const revision = revisionIn(text(own.root));
  const owner = text(own.owned_by);
  if (owner === 'vllm') {
    const { version: stated } = await get('/version');
    return { ...nothing, engine: 'vllm', engineVersion: version(stated), modelRevision: revision };
  }
  if (owner === 'sglang') {
    const [info, { model_path: path }] = [await get('/get_server_info'), await get('/get_model_info')];
    const modelRevision = revision ?? revisionIn(text(path)) ?? name(info.revision);
    return { ...nothing, engine: 'sglang', engineVersion: version(info.version), modelRevision };
  }
  if (owner === 'llamacpp') {
    const { build_info: build, model_path: path } = await get('/props');
    // "b6789-0123abc": the number of the build, and the commit.
    const number = /^b(\d+)/.exec(text(build) ?? '')?.[1];
    const engineVersion = version(number === undefined ? build : toBuildTag(Number(number)));
    return {
      ...nothing,
      ...{ engine: 'llama.cpp', engineVersion, modelRevision: revisionIn(text(path)), weightsFile: text(path) },
    };
  }
  const info = await get('/info');
  if (text(info.model_id) === null || text(info.version) === null) return { ...nothing, modelRevision: revision };
  return {
    ...nothing,
    ...{ engine: 'tgi', engineVersion: version(info.version), modelRevision: name(info.model_sha) },
    containerImage: name(info.docker_label),
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
