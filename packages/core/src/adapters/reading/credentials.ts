import type { Fault } from '../../errors.ts';

/** Cheap look at the whole text: only if one of these occurs are the lines searched. */
const hint = /api[-_]?key|token|bearer|passw|secret|sk-|hf_|gh[pousr]_|nvapi-|AKIA|ib_/i;

/** What people write in place of a key. `token-abc123` is the key of vLLM's own documentation. */
const placeholder =
  /^(?:$|[$<{%*(]|\.{3}|(?:empty|dummy|none|null|true|false|no|test|local|redacted|hidden|secret|token|changeme|token-abc123|not[-_]?(?:needed|used|required))$|(?:your|my|some|sk-x|xxx|hf_x|\.\.\.)|(.)\1*$)/i;

const value = `["']?([^\\s"',;)}\\]]{1,400})`;

/** Flags and headers whose value is a secret whatever it looks like. */
const named = [new RegExp(`--?(?:openai[-_])?api[-_]?key[ =]${value}`, 'gi'), new RegExp(`\\bbearer ${value}`, 'gi')];

/** Assignments: the label is common in prose too, so the value has to look like one. */
const assigned = new RegExp(
  `(?:api[-_]?key|(?:hf|hub|auth|access|api)[-_]?token|secret[-_]?key|client[-_]?secret|password|passwd)["']?[=:] ?${value}`,
  'gi',
);

/** Shapes that issuers gave their keys so that they can be found. */
const shaped =
  /(?<![\w-])(?:sk-[A-Za-z0-9_-]{20,400}|hf_[A-Za-z0-9]{20,400}|gh[pousr]_[A-Za-z0-9]{30,400}|github_pat_\w{30,400}|nvapi-[\w-]{20,400}|AKIA[0-9A-Z]{16}|ib_[A-Za-z0-9]{20,400})/g;

function isSecret(candidate: string): boolean {
  return candidate.length >= 8 && !placeholder.test(candidate);
}

function hasSecret(line: string): boolean {
  for (const pattern of named) for (const match of line.matchAll(pattern)) if (isSecret(match[1] ?? '')) return true;
  for (const match of line.matchAll(assigned)) {
    const candidate = match[1] ?? '';
    if (isSecret(candidate) && (/\d/.test(candidate) || candidate.length >= 20)) return true;
  }
  for (const match of line.matchAll(shaped)) if (isSecret(match[0])) return true;
  return false;
}

/**
 * Lines (1-based) that carry something shaped like a credential. The bytes of an artifact become public, so such a file
 * must not be stored; the message never repeats the value.
 */
export function checkCredentials(lines: readonly string[], whole: string): Fault[] {
  if (!hint.test(whole)) return [];
  const faults: Fault[] = [];
  for (const [index, line] of lines.entries()) {
    if (!hint.test(line) || !hasSecret(line)) continue;
    faults.push({
      code: 'credential_found',
      line: index + 1,
      message: `Line ${index + 1} holds what looks like a key or token. Artifacts are public, so it was not stored.`,
      hint: 'Revoke the key if it is real, replace it in the file, for example with $KEY, and send the file again.',
    });
    if (faults.length === 100) break;
  }
  return faults;
}
