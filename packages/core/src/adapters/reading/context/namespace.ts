import type { ArtifactText } from '../text/artifact-text.ts';

/** The printed arguments of a Python program, as written: `model` to `'org/name'`. */
export type NamespaceFields = ReadonlyMap<string, string>;

const opener = 'Namespace(';
const brackets: Record<string, number> = { '(': 1, '[': 1, '{': 1, '<': 1, ')': -1, ']': -1, '}': -1, '>': -1 };

export function startsNamespace(line: string): boolean {
  return line.startsWith(opener) || line.trimStart().startsWith(opener) || line.endsWith(opener);
}

/** End of the quoted string that opens at `at`, or the end of the text. */
function endOfString(text: string, at: number): number {
  const quote = text[at];
  for (let i = at + 1; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === quote) return i;
  }
  return text.length;
}

/**
 * Reads a `Namespace(a=1, b='x', ...)` that starts at line `from` and ends at or before `to` (1-based). Lines are joined
 * without a space, because a terminal breaks them at its width, even within words.
 */
export function readNamespace(artifact: ArtifactText, from: number, to: number): NamespaceFields {
  const joined = artifact.lines.slice(from - 1, to).join('');
  const text = joined.slice(joined.indexOf(opener) + opener.length);
  const fields = new Map<string, string>();
  let depth = 0;
  let start = 0;
  const keep = (end: number) => {
    const field = text.slice(start, end).trim();
    const equals = field.indexOf('=');
    if (equals > 0) fields.set(field.slice(0, equals), field.slice(equals + 1));
    start = end + 1;
  };
  for (let i = 0; i < text.length; i++) {
    const character = text[i] ?? '';
    if (character === "'" || character === '"') i = endOfString(text, i);
    else if (character === ',' && depth === 0) keep(i);
    else {
      depth += brackets[character] ?? 0;
      if (depth < 0) {
        keep(i);
        return fields;
      }
    }
  }
  return fields;
}

/** The text of a field without its quotes; null if it is absent or `None`. */
export function namespaceText(fields: NamespaceFields, key: string): string | null {
  const raw = fields.get(key);
  if (raw === undefined || raw === 'None') return null;
  const quoted = /^(['"])(.*)\1$/s.exec(raw);
  return quoted === null ? raw : (quoted[2] ?? '');
}
