/** Why a request got no response. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, message } = (error.cause ?? error) as { code?: string; message?: string };
  // OpenSSL's message names its source file.
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER') return 'its port does not use TLS. Use http:// instead of https://';
  // The error of several addresses has no message.
  return message || code || error.message;
}
