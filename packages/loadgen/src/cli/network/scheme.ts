import { get } from 'node:http';
import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';

/** A server that is silent for longer probably does not use the protocol. */
const handshake_ms = 1000;
const response_ms = 2000;
/** A server that responds to neither TLS nor HTTP may take this time for a handshake. */
const handshakeMax_ms = 5000;

const hostOf = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '');

/** How a port responds to a TLS handshake: completes it, rejects it, or accepts a connection and sends nothing. */
type Handshake = 'completed' | 'rejected' | 'silent';

/** Starts a TLS handshake. No request is sent, so the certificate does not matter. */
function shakeHands(url: URL, timeout_ms: number, signal?: AbortSignal): Promise<Handshake> {
  const host = hostOf(url);
  return new Promise((resolve) => {
    let isConnected = false;
    const socket = connect({
      ...{ host, port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80), rejectUnauthorized: false },
      ...(isIP(host) === 0 && { servername: host }),
    });
    const end = (handshake: Handshake) => {
      socket.destroy();
      resolve(handshake);
    };
    socket.setTimeout(timeout_ms, () => end(isConnected ? 'silent' : 'rejected'));
    socket.once('connect', () => {
      isConnected = true;
    });
    socket.once('secureConnect', () => end('completed'));
    socket.once('error', () => end('rejected'));
    signal?.addEventListener('abort', () => end('rejected'));
  });
}

const usesTls = async (url: URL) => (await shakeHands(url, handshake_ms)) === 'completed';

/** Whether a port responds to a request without TLS. A port with TLS may respond with 400. */
function isPlainHttp(url: URL): Promise<boolean> {
  return new Promise((resolve) => {
    // The global agent may use a proxy.
    const request = get({ host: hostOf(url), port: Number(url.port) || 443, agent: false, timeout: response_ms });
    const end = (is: boolean) => {
      request.destroy();
      resolve(is);
    };
    request.once('response', ({ statusCode }) => end(statusCode !== 400));
    request.once('timeout', () => end(false));
    request.once('error', () => end(false));
  });
}

export const noTls = 'its port does not use TLS. Use http:// instead of https://';
export const withTls = 'its port uses TLS. Use https:// instead of http://';
export const silent = 'its port accepts connections, but responds to neither TLS nor HTTP. Check the port';

/** What is wrong with the scheme of a URL; null if its port uses the scheme, or does not respond. */
export async function schemeFault(url: URL): Promise<string | null> {
  if (await usesTls(url)) return url.protocol === 'http:' ? withTls : null;
  return url.protocol === 'https:' && (await isPlainHttp(url)) ? noTls : null;
}

/**
 * The same of an https URL, before the first request. Some servers without TLS, such as llama.cpp's, do not reject a TLS handshake
 * but wait for the rest of it: a request would fail after 10 s.
 */
export async function missingTls(url: URL): Promise<string | null> {
  if (url.protocol !== 'https:') return null;
  const stop = new AbortController();
  const handshake = shakeHands(url, handshakeMax_ms, stop.signal);
  const early = await Promise.race([handshake, sleep(handshake_ms, null, { ref: false })]);
  if (early === 'completed') return null;
  if (await isPlainHttp(url)) {
    stop.abort();
    return noTls;
  }
  return (await handshake) === 'silent' ? silent : null;
}
