import { noTls, schemeFault } from './scheme.ts';

/** Errors of a connection that the server closed. */
const closed = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];
/** Errors of a host to which no connection can be opened. */
const noRoute = ['EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT'];

/** Why a request got no response. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError')
    return 'it accepts connections, but did not respond in time. Check the port, and whether the server is overloaded';
  const { code = '', message } = (error.cause ?? error) as { code?: string; message?: string };
  // OpenSSL's message names its source file.
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER') return noTls;
  if (code === 'ECONNREFUSED')
    return 'no server accepts connections there. Check the host, the port, and that the server runs';
  if (closed.includes(code))
    return 'the server closed the connection without a response. Check the port, and read the log of the server';
  if (noRoute.includes(code)) return `the host does not respond (${code}). Check the host, the port and firewalls`;
  if (code === 'CERT_HAS_EXPIRED') return 'its certificate has expired. Renew it on the server';
  if (code === 'CERT_NOT_YET_VALID') return 'its certificate is not valid yet. Check the clocks of both machines';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const names = /.*altnames: (.*)$/.exec(message ?? '')?.[1]?.replaceAll('DNS:', '');
    return `its certificate is for another host${names === undefined ? '' : `: ${names}`}. Use a host name of the certificate`;
  }
  if (/SELF_SIGNED_CERT|^UNABLE_TO_/.test(code))
    return `its certificate is not trusted (${code}). Set the environment variable NODE_EXTRA_CA_CERTS to the file of the CA certificate`;
  if (code === 'ENOTFOUND') return 'the host name is unknown. Check the URL';
  if (code === 'EAI_AGAIN') return 'the host name cannot be looked up now. Check the network';
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
