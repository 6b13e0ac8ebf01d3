import { checkCredentials } from './adapters/reading/credentials.ts';

/** True if a text that would become public holds what looks like a key or token. */
export function holdsCredential(text: string): boolean {
  return checkCredentials(text.split('\n'), text).length > 0;
}
