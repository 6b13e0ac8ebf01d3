import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { importShape, type Parameters } from '@inferboard/core/submission/parameters';
import { z } from 'zod';
import { type CsvRow, readRows } from './csv-rows.ts';
import { type ImportItem, type Publication, PublicationError } from './import-item.ts';
import { walkFiles } from './walk-files.ts';

const FactsSchema = z.strictObject(importShape);
const featurePrefix = 'feature.';

interface Rule {
  line: number;
  pattern: RegExp;
  facts: readonly (readonly [column: string, template: string])[];
}

const escaped = (text: string) => text.replace(/[.+^$()|[\]\\]/g, '\\$&');

/** `*` matches any text within a path segment, `**` any segments, `{name}` text within a segment that facts may use. */
function toPattern(glob: string): RegExp {
  const parts = glob.split(/(\*\*\/?|\*|\{[a-z_]{1,40}\})/);
  const source = parts.map((part) => {
    if (part.startsWith('**')) return part.endsWith('/') ? '(?:.*/)?' : '.*';
    if (part === '*') return '[^/]*';
    return part.startsWith('{') && part.endsWith('}') ? `(?<${part.slice(1, -1)}>[^/]+?)` : escaped(part);
  });
  return new RegExp(`^${source.join('')}$`);
}

function toRule({ line, cells }: CsvRow, file: string): Rule {
  const path = cells.get('path') ?? '';
  if (path === '') throw new PublicationError(`Line ${line} of ${file} has no path.`);
  const facts = [...cells].filter(([column, text]) => column !== 'path' && text !== '');
  const known = [...Object.keys(importShape), 'skip'];
  for (const [column] of facts) {
    if (known.includes(column) || /^feature\.[a-z][a-z0-9_]{0,63}$/.test(column)) continue;
    throw new PublicationError(
      `${file} has the unknown column "${column}". Columns: path, skip, ${known.join(', ')} and feature.NAME.`,
    );
  }
  return { line, pattern: toPattern(path), facts };
}

/** Parses a feature value: a number, a boolean, or otherwise text. */
function toFeature(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^\d{1,12}(?:\.\d{1,9})?$/.test(text) ? Number(text) : text;
}

/** The facts of all matching rules for a path, later rules overriding earlier ones; null if none matches. */
function factsOf(path: string, rules: readonly Rule[]): Map<string, string> | null {
  const facts = new Map<string, string>();
  let isNamed = false;
  for (const { pattern, facts: own } of rules) {
    const match = pattern.exec(path);
    if (match === null) continue;
    isNamed = true;
    const words: Record<string, string | undefined> = { path, ...match.groups };
    for (const [column, template] of own)
      facts.set(
        column,
        template.replace(/\{([a-z_]{1,40})\}/g, (whole, name: string) => words[name] ?? whole),
      );
  }
  return isNamed ? facts : null;
}

function toParameters(facts: ReadonlyMap<string, string>): Parameters | string {
  const features = [...facts].filter(([column]) => column.startsWith(featurePrefix));
  const plain = [...facts].filter(([column]) => !column.startsWith(featurePrefix));
  const parsed = FactsSchema.safeParse({
    ...Object.fromEntries(plain),
    ...(features.length === 0
      ? {}
      : {
          features: Object.fromEntries(
            features.map(([name, text]) => [name.slice(featurePrefix.length), toFeature(text)]),
          ),
        }),
  });
  if (parsed.success) return parsed.data as Parameters;
  return parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ');
}

/**
 * Reads files of any tools in a folder. A manifest, a CSV table, adds the facts that the files lack, by path pattern. It has a
 * column for each submission parameter and `source_...` columns for the publication. `feature.NAME` sets a feature that defines a
 * separate system; `skip` lists files to ignore. Facts may use captures of the pattern: `{model}__*.log` and `model` = `{model}`.
 *
 * @throws PublicationError
 */
export async function readFolder(dir: string, manifest: string, account: string): Promise<Publication> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(manifest);
  } catch (error) {
    throw new PublicationError(`${manifest} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
  const rules = readRows(bytes, manifest).map((row) => toRule(row, manifest));
  const items: ImportItem[] = [];
  const refused: { name: string; reason: string }[] = [];
  for (const path of await walkFiles(dir)) {
    const facts = factsOf(path, rules);
    if (facts === null) {
      refused.push({ name: path, reason: 'No path in the manifest matches it.' });
      continue;
    }
    const skip = facts.get('skip');
    facts.delete('skip');
    const parameters = toParameters(facts);
    if (skip !== undefined && skip !== 'false') refused.push({ name: path, reason: `The manifest skips it: ${skip}` });
    else if (typeof parameters === 'string') refused.push({ name: path, reason: parameters });
    else items.push({ name: path, bytes: await readFile(join(dir, path)), parameters });
  }
  return { account, items, refused };
}
