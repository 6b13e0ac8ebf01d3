import type { Fault } from '../../errors.ts';

const insert = /^\s*INSERT INTO (?:test|llama_bench) \(([\w, ]{1,4000})\) VALUES \(/;

/** Fields and values of an `INSERT` that llama-bench wrote; null if the line is not from llama-bench. */
export function readInsert(text: string, line: number): { fields: Map<string, string>; fault: Fault | null } | null {
  const found = text.includes('INSERT INTO') ? insert.exec(text) : null;
  const names = (found?.[1] ?? '').split(',').map((name) => name.trim());
  if (found === null || !names.includes('build_commit') || !names.includes('avg_ts')) return null;
  const rest = text.slice(found[0].length).trimEnd();
  const isWhole = rest.startsWith("'") && /'\);?$/.test(rest);
  // Quotes inside a value are not escaped, so only the complete separator ends a value.
  const values = isWhole ? rest.slice(1, rest.lastIndexOf("'")).split("', '") : [];
  if (values.length === names.length)
    return { fields: new Map(names.map((name, index) => [name, values[index] ?? ''])), fault: null };
  const held = isWhole ? `has ${values.length} values for ${names.length} fields` : 'breaks off';
  const message = `The INSERT on line ${line} ${held}.`;
  return { fields: new Map(), fault: { code: 'row_unreadable', line, message } };
}
