import { noTls, schemeFault } from './scheme.ts';

/** Why a request got no response. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return 'it did not respond in time. Check the port, and try again';
  const { code, message } = (error.cause ?? error) as { code?: string; message?: string };
  // OpenSSL's message names its source file.
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER') return noTls;
  if (code === 'ECONNREFUSED')
    return 'no server accepts connections there. Check the host, the port, and that the server runs';
  if (/SELF_SIGNED_CERT|^UNABLE_TO_/.test(code ?? ''))
    return `its certificate is not trusted (${code}). Set the environment variable NODE_EXTRA_CA_CERTS to the file of the CA certificate`;
  if (code === 'ENOTFOUND') return 'the host name is unknown';
  // Fetch blocks ports of other protocols, such as 6000 of X11.
  if (message === 'bad port') return 'this port is reserved for another protocol. Use another port for the server';
  // The error of several addresses has no message.
  return message || code || error.message;
}

/** Errors of a server that does not use the protocol of the request: it closes the connection, or sends something else. */
const ofWrongProtocol = /^(?:ECONNRESET|EPIPE|EPROTO|UND_ERR_SOCKET|HPE_\w+|ERR_SSL_\w+)$/;

/** Why a request to a URL got no response. Asks its port for its protocol if the error suggests another one. */
export async function reasonAt(url: URL, error: unknown): Promise<string> {
  const { code = '' } = (error instanceof Error ? (error.cause as { code?: string } | undefined) : undefined) ?? {};
  return (ofWrongProtocol.test(code) ? await schemeFault(url) : null) ?? reasonOf(error);
}
