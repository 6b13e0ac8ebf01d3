import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { NameSchema } from '@inferboard/core/text/text';
import { z } from 'zod';
import { isLoopback } from './local-weights.ts';

const run = promisify(execFile);

/** Time for all commands together: a daemon that hangs must not delay the measurement for longer. */
const patience_ms = 5000;

/** The used part of what `docker inspect` and `podman inspect` print of a container. */
const ContainersSchema = z.array(
  z.object({
    Id: z.string(),
    /** Id of the image. */
    Image: z.string(),
    Config: z.object({ Image: z.string() }),
    NetworkSettings: z.object({
      Ports: z.record(z.string(), z.array(z.object({ HostPort: z.string() })).nullable()).nullish(),
    }),
  }),
);
type Container = z.infer<typeof ContainersSchema>[number];

const ImagesSchema = z.array(z.object({ RepoDigests: z.array(z.string()).nullish() }));

/** Runs a command and returns its output. */
type Ask = (command: string, args: readonly string[]) => Promise<string>;

const askUntil =
  (signal: AbortSignal): Ask =>
  async (command, args) =>
    (await run(command, [...args], { signal, killSignal: 'SIGKILL', maxBuffer: 16 * 1024 * 1024 })).stdout;

const publishes = ({ NetworkSettings: { Ports: ports } }: Container, port: string): boolean =>
  Object.values(ports ?? {}).some((bindings) => bindings?.some(({ HostPort }) => HostPort === port));

/** The control groups of the processes that listen on a port. They contain the id of a container on the network of the host. */
async function controlGroupsOf(ask: Ask, port: string): Promise<string> {
  const listeners = await ask('ss', ['-ltnpH', `sport = :${port}`]).catch(() => '');
  const pids = [...listeners.matchAll(/pid=(\d+)/g)].map(([, pid]) => pid);
  const groups = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cgroup`, 'utf8').catch(() => '')));
  return groups.join('\n');
}

/** "vllm/vllm-openai:v0.11.0@sha256:...", without a digest if the image has none, such as one that was built here. */
async function nameImage(ask: Ask, tool: string, { Config, Image }: Container): Promise<string> {
  const [image] = ImagesSchema.parse(JSON.parse(await ask(tool, ['image', 'inspect', Image])));
  const digest = /@(sha256:[0-9a-f]{64})$/.exec(image?.RepoDigests?.[0] ?? '')?.[1];
  return digest === undefined || Config.Image.includes('@') ? Config.Image : `${Config.Image}@${digest}`;
}

async function findWith(ask: Ask, tool: string, port: string): Promise<string | null> {
  const ids = (await ask(tool, ['ps', '--quiet', '--no-trunc'])).split('\n').filter((id) => id !== '');
  if (ids.length === 0) return null;
  const containers = ContainersSchema.parse(JSON.parse(await ask(tool, ['inspect', ...ids])));
  const groups = await controlGroupsOf(ask, port);
  const own = containers.find((one) => publishes(one, port)) ?? containers.find(({ Id }) => groups.includes(Id));
  return own === undefined ? null : (NameSchema.safeParse(await nameImage(ask, tool, own)).data ?? null);
}

/**
 * The image of the container that a server on this machine runs in, according to Docker or Podman: the one that publishes the port,
 * or whose process listens on it. Null for a server elsewhere or without a container, or if neither responds in time.
 */
export async function findContainerImage(
  { hostname, port, protocol }: URL,
  signal = AbortSignal.timeout(patience_ms),
): Promise<string | null> {
  if (!isLoopback(hostname)) return null;
  const own = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  const ask = askUntil(signal);
  const found = await Promise.all(['docker', 'podman'].map((tool) => findWith(ask, tool, own).catch(() => null)));
  return found.find((image) => image !== null) ?? null;
}
