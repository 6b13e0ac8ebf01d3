// Runs the corpus with one client and prints a report. Started by run-child.ts, usually in a network namespace.
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { OutboundFailure, OutboundRefusal } from '../../packages/outbound/src/failures.ts';
import { createPolicy, type Policy } from '../../packages/outbound/src/policy.ts';
import { request } from '../../packages/outbound/src/request.ts';
import { resolveTarget } from '../../packages/outbound/src/resolve-target.ts';
import { type Canary, createCanary, createTlsWebServer, createWebServer } from './canary.ts';
import { createCertificate } from './certificate.ts';
import { createCorpus, createZone, type HostileCase, isRebinding, type Ports, publicAddress } from './corpus.ts';
import { createLookup, startNameServer } from './name-server.ts';
import type { ChildReport, Outcome, Place } from './report.ts';

const [place, client] = process.argv.slice(2) as [Place, 'guard' | 'fetch'];
const isIsolated = place === 'namespace';
const contact = 'https://bench.example/contact';
const allowedAddress = isIsolated ? publicAddress : '127.0.0.1';

const canary = createCanary();
const listen = async (server: Parameters<Canary['listen']>[0], port: number, host: string) =>
  (await canary.listen(server, isIsolated ? port : 0, isIsolated ? host : '127.0.0.1')) ?? 0;

const trusted = {
  key: readFileSync(process.env.TRUSTED_KEY ?? '', 'utf8'),
  cert: readFileSync(process.env.NODE_EXTRA_CA_CERTS ?? '', 'utf8'),
};
const tlsPort = await listen(createTlsWebServer(trusted), 8443, '0.0.0.0');
const strangerPort = await listen(createTlsWebServer(createCertificate(['allowed.example'])), 8444, '0.0.0.0');
const allowedPort = await listen(createWebServer(), 8000, '0.0.0.0');
const ports: Ports = {
  allowed: allowedPort,
  canary: isIsolated ? allowedPort : await listen(createWebServer(), 0, ''),
};
await canary.listen(createWebServer(), ports.canary, isIsolated ? '::' : '::1');
if (isIsolated) for (const port of [22, 25, 6379]) await canary.listen(createWebServer(), port, '0.0.0.0');

const nameServer = await startNameServer(createZone(allowedAddress), 0);
const lookup = createLookup(nameServer);

const rules = {
  http: true,
  ports: [...new Set([...Object.values(ports), tlsPort, strangerPort])].map((port) => [port, port] as const),
};
const strict = createPolicy({ contact, internet: rules });
/** Outside a namespace, the allowed host must be this machine. */
const forAllowed = isIsolated
  ? strict
  : createPolicy({ contact, internet: rules, networks: rules, allowCidrs: ['127.0.0.1'] });

// A client that uses any of these variables would connect to the canary.
for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']) {
  if (client === 'guard') process.env[name] = `http://127.0.0.1:${ports.canary}`;
}

async function outcomeOf(work: Promise<{ status: number } | { address: string }>): Promise<Outcome> {
  try {
    const answer = await work;
    return 'status' in answer ? { status: answer.status } : { address: answer.address };
  } catch (error) {
    if (error instanceof OutboundRefusal) return { refused: error.faults.map(({ code }) => code) };
    if (error instanceof OutboundFailure) return { failed: error.words };
    return { failed: client === 'fetch' ? 'fetch' : String(error) };
  }
}

const limits = { timeout_ms: 30_000 };
const authorization = { origin: `http://allowed.example:${ports.allowed}`, value: 'Bearer sk-4242' };

function ask({ url, leads }: HostileCase): Promise<{ status: number } | { address: string }> {
  // No signal: aborting the built-in fetch during such a response can end the process (Node 24.21).
  if (client === 'fetch') return Promise.race([fetch(url), sleep(300, { status: 0 })]);
  if (leads === 'allowed') return request(url, { lookup, limits, authorization }, forAllowed);
  // Without a namespace, a bug could reach a third-party machine.
  if (!isIsolated && leads === 'elsewhere') return resolveTarget(url, strict, { lookup });
  return request(url, { lookup, limits }, strict);
}

/** Rebinding needs several requests, in sequence and concurrent. */
async function askAll(hostile: HostileCase): Promise<Outcome[]> {
  const again = client === 'guard' && isRebinding(hostile) ? 6 : 0;
  const outcomes = [await outcomeOf(ask(hostile))];
  for (let i = 0; i < again; i += 1) outcomes.push(await outcomeOf(ask(hostile)));
  const together = Array.from({ length: again }, () => outcomeOf(ask(hostile)));
  return [...outcomes, ...(await Promise.all(together))];
}

const results: ChildReport['results'] = [];
for (const hostile of createCorpus(ports)) {
  canary.during = hostile.url;
  results.push({ ...hostile, outcomes: await askAll(hostile) });
}
const hits = canary.hits.splice(0).filter(({ address, port }) => address !== allowedAddress || port !== ports.allowed);

/** Proves that the canary works: it records an unguarded connection. */
async function knock(address: string): Promise<boolean> {
  const opened = Promise.withResolvers<boolean>();
  const socket = connect({ host: address, port: ports.canary });
  socket.once('connect', () => opened.resolve(true));
  socket.once('error', () => opened.resolve(false));
  const isOpen = await opened.promise;
  socket.destroy();
  return isOpen;
}

const audible: string[] = [];
const places = [
  '127.0.0.1',
  '10.0.0.1',
  '100.100.100.200',
  '168.63.129.16',
  '169.254.169.254',
  '192.168.0.1',
  '::1',
  'fd00::1',
];
for (const address of isIsolated ? places : ['127.0.0.1', '::1']) if (await knock(address)) audible.push(address);

const get = (url: string, policy: Policy = forAllowed) => outcomeOf(request(url, { lookup, limits }, policy));
const report: ChildReport = {
  place,
  results,
  hits,
  audible,
  allowed: {
    http: await get(`http://allowed.example:${ports.allowed}/`),
    literal: await get(`http://${allowedAddress}:${ports.allowed}/`),
    https: await get(`https://allowed.example:${tlsPort}/`),
    httpsLiteral: await get(`https://${allowedAddress}:${tlsPort}/`),
    httpsOtherName: await get(`https://other.example:${tlsPort}/`),
    httpsStranger: await get(`https://allowed.example:${strangerPort}/`),
  },
};
nameServer.close();
await canary.close();
process.stdout.write(JSON.stringify(report), () => process.exit(0));
