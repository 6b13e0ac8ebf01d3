import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, cpSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readCompose } from './compose.ts';

/** The built service, as in the image. */
const main = fileURLToPath(new URL('../../../apps/api/dist/main.js', import.meta.url));
const infra = fileURLToPath(new URL('../../../infra/', import.meta.url));

/** One container as a process on this machine. */
export interface LayoutProcess {
  name: string;
  probes: string;
  child: ChildProcess;
  logFile: string;
}

export interface Layout {
  /** Public HTTPS URL of the proxy. */
  url: string;
  /** Public HTTP URL, which redirects to HTTPS. */
  plainUrl: string;
  adminKey: string;
  /** File with the CA of the proxy's certificate. */
  certificate: string;
  processes: Map<string, LayoutProcess>;
  /** Replaces a container as an orchestrator does: stops it, waits, starts it, waits. Returns its exit code and stop duration. */
  restart(name: string): Promise<{ code: number | null; ended_ms: number }>;
  logOf(name: string): string;
  stop(): Promise<void>;
}

/** A free port below the ephemeral range, so that it stays free until a process starts on it again. */
export async function calmPort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const server = createServer();
    server.listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    server.close();
    if (isFree) return port;
  }
}

/** Status of a probe; 0 if no server listens. */
export function probe(url: string): Promise<number> {
  return new Promise((resolve) => {
    const asked = request(url, { timeout: 2000 }, (answer) => resolve(answer.resume().statusCode ?? 0));
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve(0));
    asked.end();
  });
}

async function untilReady({ name, probes, child, logFile }: LayoutProcess): Promise<void> {
  for (let i = 0; i < 1200; i += 1) {
    if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}:\n${readFileSync(logFile)}`);
    if ((await probe(`${probes}/readyz`)) === 200) return;
    await sleep(50);
  }
  throw new Error(`${name} is not ready:\n${readFileSync(logFile)}`);
}

/**
 * The processes of compose.yaml on this machine: the same settings, secrets in files, and the proxy with its configuration.
 * Only addresses, ports and paths differ.
 *
 * @param nginx path of the nginx binary
 * @param databaseUrl replaces the database container
 * @param changed settings to override, for all processes or by role
 */
export async function startLayout(
  nginx: string,
  databaseUrl: string,
  changed: { all?: Record<string, string>; api?: Record<string, string> } = {},
): Promise<Layout> {
  const folder = await mkdtemp(join(tmpdir(), 'inferboard-layout-'));
  const secrets = join(folder, 'secrets');
  cpSync(join(infra, 'compose/make-secrets.sh'), join(folder, 'make-secrets.sh'));
  execFileSync(join(folder, 'make-secrets.sh'));
  execFileSync('chmod', ['u+w', join(secrets, 'database_url')]);
  writeFileSync(join(secrets, 'database_url'), databaseUrl);

  const https = await calmPort();
  const compose = readCompose({
    PUBLIC_URL: `https://localhost:${https}`,
    ENDPOINT_ALLOW_CIDRS: '127.0.0.0/8',
  });
  const environmentOf = (name: string) => compose.services[name]?.environment ?? {};
  // The local address of each container.
  const places = new Map<string, string>([['8443', `127.0.0.1:${https}`]]);
  for (const place of ['8080', '172.30.87.2:8081']) places.set(place, `127.0.0.1:${await calmPort()}`);
  for (const { networks } of Object.values(compose.services)) {
    const address = Array.isArray(networks) ? undefined : networks.front?.ipv4_address;
    if (address !== undefined) places.set(`${address}:8787`, `127.0.0.1:${await calmPort()}`);
  }
  const here = (value: string) => {
    const moved = places.get(value) ?? value.replace(/172\.30\.87\.2:8081/, (place) => places.get(place) ?? place);
    return moved.replace('172.30.87.2/32', '127.0.0.1/32').replace('/run/secrets', secrets);
  };
  const settingsOf = (name: string) =>
    Object.fromEntries(Object.entries(environmentOf(name)).map(([key, value]) => [key, here(value)]));

  const processes = new Map<string, LayoutProcess>();
  const launch = async (name: string, service: string, port: string | undefined) => {
    const probePort = await calmPort();
    const logFile = join(folder, `${name}.log`);
    const log = openSync(logFile, 'a');
    const env = {
      PATH: process.env.PATH,
      HOST: '127.0.0.1',
      PROBE_PORT: String(probePort),
      ...(port && { PORT: port }),
    };
    const settings = settingsOf(service);
    const child = spawn(process.execPath, [main], {
      cwd: folder,
      // As in the image, a container is one process.
      env: { PROCESSES: '1', ...env, ...settings, ...changed.all, ...(settings.ROLES === 'api' ? changed.api : {}) },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    processes.set(name, { name, probes: `http://127.0.0.1:${probePort}`, child, logFile });
  };
  const wanted: [name: string, service: string, port: string | undefined][] = Object.entries(compose.services)
    .filter(([name, { image }]) => image?.startsWith('inferboard:') && name !== 'migrate')
    .flatMap(([name, { deploy, networks }]) => {
      const address = Array.isArray(networks) ? undefined : networks.front?.ipv4_address;
      const port = places.get(`${address}:8787`)?.split(':')[1];
      const copies = deploy?.replicas ?? 1;
      return Array.from({ length: copies }, (_, i) => [copies === 1 ? name : `${name}-${i + 1}`, name, port] as const);
    })
    .map(([name, service, port]) => [name, service, port]);
  const start = async (name: string) => {
    const [, service = name, port] = wanted.find(([known]) => known === name) ?? [];
    await launch(name, service, port);
    const started = processes.get(name);
    if (started !== undefined) await untilReady(started);
  };
  const end = async ({ child }: LayoutProcess, signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal);
      await once(child, 'exit');
    }
    return child.exitCode;
  };

  let proxy: ChildProcess | undefined;
  const stop = async () => {
    await Promise.all([...processes.values()].map((running) => end(running, 'SIGTERM')));
    if (proxy !== undefined && proxy.exitCode === null) {
      proxy.kill('SIGQUIT');
      await once(proxy, 'exit');
    }
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await Promise.all(wanted.map(([name]) => start(name)));
    proxy = await startProxy(nginx, folder, settingsOf('proxy'));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: `https://localhost:${https}`,
    plainUrl: `http://${places.get('8080')}`,
    adminKey: readFileSync(join(secrets, 'admin_key'), 'utf8').trim(),
    certificate: join(secrets, 'tls_certificate'),
    processes,
    restart: async (name) => {
      const old = processes.get(name);
      if (old === undefined) throw new Error(`there is no ${name}`);
      const told = performance.now();
      const code = await end(old, 'SIGTERM');
      const ended_ms = performance.now() - told;
      await start(name);
      return { code, ended_ms };
    },
    logOf: (name) => readFileSync(processes.get(name)?.logFile ?? join(folder, `${name}.log`), 'utf8'),
    stop,
  };
}

/** The templates with variables substituted, as by the entry point of the official nginx image. */
export function renderProxy(folder: string, variables: Record<string, string>): void {
  mkdirSync(join(folder, 'conf.d'), { recursive: true });
  mkdirSync(join(folder, 'run'), { recursive: true });
  cpSync(join(infra, 'nginx/nginx.conf'), join(folder, 'nginx.conf'));
  const templates = join(infra, 'nginx/templates');
  for (const file of readdirSync(templates)) {
    const text = readFileSync(join(templates, file), 'utf8');
    const rendered = text.replace(/\$\{(\w+)\}/g, (whole, name: string) => variables[name] ?? whole);
    writeFileSync(join(folder, 'conf.d', file.replace('.template', '')), rendered);
  }
}

async function startProxy(nginx: string, folder: string, variables: Record<string, string>): Promise<ChildProcess> {
  renderProxy(folder, variables);
  const logFile = join(folder, 'proxy.log');
  const log = openSync(logFile, 'a');
  const args = ['-p', folder, '-c', join(folder, 'nginx.conf'), '-g', 'daemon off;'];
  const proxy = spawn(nginx, args, { stdio: ['ignore', log, log] });
  closeSync(log);
  for (let i = 0; i < 100; i += 1) {
    if (proxy.exitCode !== null) break;
    if ((await probe(`http://${variables.HTTP_LISTEN}/proxy-healthz`)) === 200) return proxy;
    await sleep(50);
  }
  throw new Error(`the proxy does not answer:\n${readFileSync(logFile)}`);
}
