import { get } from 'node:http';
import { isIP } from 'node:net';
import { connect } from 'node:tls';

/** A server that is silent for longer does not use the protocol. */
const handshake_ms = 1000;
const response_ms = 2000;

const hostOf = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '');

/** Whether a port completes a TLS handshake. No request is sent, so the certificate does not matter. */
function usesTls(url: URL): Promise<boolean> {
  const host = hostOf(url);
  return new Promise((resolve) => {
    const socket = connect({
      ...{ host, port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80), rejectUnauthorized: false },
      ...(isIP(host) === 0 && { servername: host }),
    });
    const end = (uses: boolean) => {
      socket.destroy();
      resolve(uses);
    };
    socket.setTimeout(handshake_ms, () => end(false));
    socket.once('secureConnect', () => end(true));
    socket.once('error', () => end(false));
  });
}

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

/** What is wrong with the scheme of a URL; null if its port uses the scheme, or does not respond. */
export async function schemeFault(url: URL): Promise<string | null> {
  if (await usesTls(url)) return url.protocol === 'http:' ? withTls : null;
  return url.protocol === 'https:' && (await isPlainHttp(url)) ? noTls : null;
}

/**
 * The same of an https URL, before the first request. Some servers without TLS, such as llama.cpp's, do not reject a TLS handshake
 * but wait for the rest of it: a request would fail after 10 s.
 */
export const missingTls = async (url: URL): Promise<string | null> =>
  url.protocol === 'https:' ? schemeFault(url) : null;
