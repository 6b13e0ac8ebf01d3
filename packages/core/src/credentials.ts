import type { Fault } from './errors.ts';
import { TextSearch } from './text/text-search.ts';

/** Maximum number of secrets listed. */
const maxFound = 100;

/** Placeholders for a key. `token-abc123` is from vLLM's documentation. */
const placeholder =
  /^(?:$|[$<{%*(]|\.{3}|(?:empty|dummy|none|null|true|false|no|test|local|redacted|hidden|secret|token|changeme|token-abc123|placeholder|not[-_]?(?:needed|used|required))$|(?:your|my|some|sk-x|xxx|hf_(?:x|your)|\.\.\.)|(.)\1*$)/i;

/** The name of a variable, or a default such as EvalScope's `EMPTY_TOKEN`. */
const variable = /^[A-Z]{2,40}(?:_[A-Z]{2,40}){1,6}$/;

const value = `["']?([^\\s"'\`,;)}\\]]{1,400})`;

const separators = ['', '-', '_'];
const joined = (first: string, second: string) => separators.map((separator) => `${first}${separator}${second}`);

/** A pattern of a secret, and words of which at least one must be present, in any case. */
interface Search {
  words: readonly string[];
  pattern: RegExp;
  holds(candidate: string): boolean;
}

/** Flags and headers whose value is always a secret. */
const named: Search[] = [
  {
    words: joined('api', 'key'),
    pattern: new RegExp(`--?(?:openai[-_])?api[-_]?key[ =]${value}`, 'gi'),
    holds: isSecret,
  },
  { words: ['bearer '], pattern: new RegExp(`\\bbearer ${value}`, 'gi'), holds: isSecret },
];

/** Assignments. The label is also common in prose, so the value must look like a secret. */
const assigned: Search = {
  words: [
    ...joined('api', 'key'),
    ...['hf', 'hub', 'auth', 'access', 'api'].flatMap((owner) => joined(owner, 'token')),
    ...joined('secret', 'key'),
    ...joined('client', 'secret'),
    'password',
    'passwd',
  ],
  pattern: new RegExp(
    `(?:api[-_]?key|(?:hf|hub|auth|access|api)[-_]?token|secret[-_]?key|client[-_]?secret|password|passwd)["']?[=:] ?${value}`,
    'gi',
  ),
  holds: (candidate) => isSecret(candidate) && (/\d/.test(candidate) || candidate.length >= 20),
};

/** Key formats that issuers designed to be detectable. */
const shaped: Search = {
  words: ['sk-', 'hf_', 'ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_', 'nvapi-', 'AKIA', 'ib_'],
  pattern:
    /(?<![\w-])(?:sk-[A-Za-z0-9_-]{20,400}|hf_[A-Za-z0-9]{20,400}|gh[pousr]_[A-Za-z0-9]{30,400}|github_pat_\w{30,400}|nvapi-[\w-]{20,400}|AKIA[0-9A-Z]{16}|ib_[A-Za-z0-9]{20,400})/g,
  holds: isSecret,
};

function isSecret(candidate: string): boolean {
  return candidate.length >= 8 && !placeholder.test(candidate) && !variable.test(candidate);
}

/** Returns the offsets of secrets. Each pattern scans the whole text once, not line by line. */
function findSecrets({ text }: TextSearch, searches: readonly Search[]): number[] {
  const offsets: number[] = [];
  for (const { pattern, holds } of searches) {
    pattern.lastIndex = 0;
    for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
      if (!holds(found[1] ?? found[0])) continue;
      offsets.push(found.index);
      // Report one finding per line.
      const end = text.indexOf('\n', found.index);
      if (offsets.length >= maxFound || end < 0) break;
      pattern.lastIndex = Math.max(end, found.index + 1);
    }
  }
  return offsets.sort((a, b) => a - b);
}

/**
 * Finds the lines (1-based) that contain something like a credential. Artifacts become public, so such a file must not be
 * stored. The message never repeats the value.
 */
export function checkCredentials(search: TextSearch): Fault[] {
  const possible = [...named, assigned, shaped].filter(({ words }) => words.some((word) => search.mayHold(word)));
  const lines = new Set<number>();
  let line = 1;
  let end = search.text.indexOf('\n');
  for (const offset of findSecrets(search, possible)) {
    while (end >= 0 && end < offset) {
      line++;
      end = search.text.indexOf('\n', end + 1);
    }
    lines.add(line);
  }
  return [...lines].slice(0, maxFound).map((found) => ({
    code: 'credential_found',
    line: found,
    message: `Line ${found} contains what looks like a key or token. Artifacts are public, so it was not stored.`,
    hint: 'Revoke the key if it is real, replace it in the file, for example with $KEY, and send the file again.',
  }));
}

/** True if a text that would become public contains something like a key or token. */
export function holdsCredential(text: string): boolean {
  return checkCredentials(new TextSearch(text)).length > 0;
}
