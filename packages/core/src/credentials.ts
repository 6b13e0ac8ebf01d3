import { checkCredentials } from './adapters/reading/credentials.ts';
import { TextSearch } from './adapters/reading/text-search.ts';

/** True if a text that would become public holds what looks like a key or token. */
export function holdsCredential(text: string): boolean {
  return checkCredentials(new TextSearch(text)).length > 0;
}
