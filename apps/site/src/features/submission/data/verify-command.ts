/** The parts of a signature that its verification needs. */
interface Signed {
  public_key: string;
  signature: string;
}

/** Commands that verify a signature of an artifact with curl and OpenSSL alone. */
export const verifyCommand = ({ public_key, signature }: Signed, artifactUrl: string): string =>
  [
    `curl -sS -o artifact '${artifactUrl}'`,
    `printf %s '${public_key}' | openssl base64 -d -A -out key.der`,
    `printf %s '${signature}' | openssl base64 -d -A -out artifact.sig`,
    'openssl pkeyutl -verify -pubin -keyform DER -inkey key.der -rawin -in artifact -sigfile artifact.sig',
  ].join('\n');
