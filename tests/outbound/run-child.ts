import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createCertificate } from './certificate.ts';
import { publicAddress } from './corpus.ts';
import type { ChildReport, Place } from './report.ts';

const child = fileURLToPath(new URL('child.ts', import.meta.url));

/**
 * In the namespace, every address belongs to this machine, so every connection reaches the canary. In a new namespace all
 * interfaces are down. If one is up, this is not a new namespace, and nothing may be changed.
 */
const enter = `
[ -z "$(ip -o link show up)" ] || exit 1
ip link set lo up || exit 1
ip route add local 0.0.0.0/0 dev lo || exit 1
ip -6 route add local ::/0 dev lo 2>/dev/null
exec "$@"`;

/** Without root, a user namespace is needed first. */
const flags = [['-n'], ['-r', '-n']];

const wrap = (own: readonly string[], command: readonly string[]): [string, ...string[]] => [
  'unshare',
  ...own,
  '--',
  'sh',
  '-c',
  enter,
  'sh',
  ...command,
];

/** The first way to create a namespace that this machine permits; null if there is none. */
export function findNamespace(): readonly string[] | null {
  const permitted = flags.find((own) => {
    const [file, ...args] = wrap(own, ['true']);
    return spawnSync(file, args, { stdio: 'ignore', env: { PATH: process.env.PATH }, timeout: 60_000 }).status === 0;
  });
  return permitted ?? null;
}

/** Runs the corpus in a separate process and returns its report. */
export async function runChild(namespace: readonly string[] | null, client: 'guard' | 'fetch'): Promise<ChildReport> {
  const dir = await mkdtemp(join(tmpdir(), 'inferboard-outbound-'));
  try {
    const trusted = createCertificate(['allowed.example', namespace === null ? '127.0.0.1' : publicAddress]);
    const files = { cert: join(dir, 'cert.pem'), key: join(dir, 'key.pem') };
    await writeFile(files.cert, trusted.cert);
    await writeFile(files.key, trusted.key);
    const place: Place = namespace === null ? 'loopback' : 'namespace';
    const command = [process.execPath, child, place, client] as const;
    const [file, ...args] = namespace === null ? command : wrap(namespace, command);
    const env = {
      PATH: process.env.PATH,
      TRUSTED_KEY: files.key,
      NODE_EXTRA_CA_CERTS: files.cert,
      // Turns off certificate verification unless the code requires it explicitly.
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
      ...(client === 'guard' ? { NODE_USE_ENV_PROXY: '1' } : {}),
    };
    const ended = Promise.withResolvers<string>();
    execFile(file, args, { env, timeout: 500_000, killSignal: 'SIGKILL', maxBuffer: 2 ** 25 }, (error, out, err) => {
      if (error === null) ended.resolve(out);
      else ended.reject(new Error(`${error.message}\n${err}`));
    });
    return JSON.parse(await ended.promise) as ChildReport;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
