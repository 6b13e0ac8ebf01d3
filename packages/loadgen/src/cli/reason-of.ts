/** Why a request got no response. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, message } = (error.cause ?? error) as { code?: string; message?: string };
  // OpenSSL's message names its source file.
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER') return 'its port does not use TLS. Use http:// instead of https://';
  if (code === 'ECONNREFUSED')
    return 'no server accepts connections there. Check the host, the port, and that the server runs';
  if (code === 'ENOTFOUND') return 'the host name is unknown';
  // Fetch blocks ports of other protocols, such as 6000 of X11.
  if (message === 'bad port') return 'this port is reserved for another protocol. Use another port for the server';
  // The error of several addresses has no message.
  return message || code || error.message;
}
