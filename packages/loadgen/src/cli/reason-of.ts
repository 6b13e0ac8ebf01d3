const noTls = 'its port does not use TLS. Use http:// instead of https://';

/** Why a request got no response. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, message } = (error.cause ?? error) as { code?: string; message?: string };
  // OpenSSL's message names its source file.
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER') return noTls;
  if (code === 'ECONNREFUSED')
    return 'no server accepts connections there. Check the host, the port, and that the server runs';
  if (code === 'ENOTFOUND') return 'the host name is unknown';
  // Fetch blocks ports of other protocols, such as 6000 of X11.
  if (message === 'bad port') return 'this port is reserved for another protocol. Use another port for the server';
  // The error of several addresses has no message.
  return message || code || error.message;
}

const plainTimeout_ms = 3000;

/** Whether a port responds to a request without TLS. A port with TLS may respond with 400. */
async function isPlainHttp({ hostname, port }: URL): Promise<boolean> {
  const signal = AbortSignal.timeout(plainTimeout_ms);
  const response = await fetch(`http://${hostname}:${port || 443}/`, { redirect: 'manual', signal }).catch(() => null);
  await response?.body?.cancel();
  return response !== null && response.status !== 400;
}

/**
 * Why a request to a model server got no response. Some servers without TLS, such as llama.cpp's, do not reject a TLS handshake but
 * wait for the rest of it, until the request times out.
 */
export async function reasonAt(url: URL, error: unknown): Promise<string> {
  const cause = error instanceof Error ? (error.cause as { code?: string } | undefined) : undefined;
  const isTimeout = url.protocol === 'https:' && cause?.code === 'UND_ERR_CONNECT_TIMEOUT';
  return isTimeout && (await isPlainHttp(url)) ? noTls : reasonOf(error);
}
