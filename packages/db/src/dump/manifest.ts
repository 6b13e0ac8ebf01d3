import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

export const manifestName = 'manifest.json';

const digest = z.string().regex(/^[0-9a-f]{64}$/);

const TableSchema = z.strictObject({
  name: z.string(),
  /** Below the dump's folder: CSV with a header, packed with gzip. A missing value is empty, an empty text is "". */
  file: z.string().regex(/^[a-z_]+\.csv\.gz$/),
  columns: z.array(z.string()).min(1),
  rows: z.int().nonnegative(),
  /** Of the CSV before it is packed, in bytes. */
  bytes: z.int().nonnegative(),
  /** Of the CSV before it is packed. */
  sha256: digest,
});
export type DumpedTable = z.infer<typeof TableSchema>;

const ManifestSchema = z.strictObject({
  format: z.literal('inferboard-dump/1'),
  /** The release that wrote it. */
  release: z.string(),
  /** The last migration of the schema that the columns are of. */
  migration: z.string(),
  /** RFC 3339; all tables are as they were at that moment. */
  created_at: z.string(),
  /** In an order in which each table refers to those before it. */
  tables: z.array(TableSchema),
  /** Artifacts that are not in their table: `objects/ab/abcd...`, named by the hash of what was sent, packed as the table says. */
  objects: z.int().nonnegative(),
  /** Over all tables: equal for equal rows. */
  sha256: digest,
});
export type Manifest = z.infer<typeof ManifestSchema>;

/** The folder is no whole dump, or not as it was written. */
export class DumpError extends Error {}

/** One hash over all rows of all tables. */
export function hashTables(tables: readonly Pick<DumpedTable, 'name' | 'rows' | 'sha256'>[]): string {
  const lines = tables.map(({ name, rows, sha256 }) => `${name} ${rows} ${sha256}\n`);
  return createHash('sha256').update(lines.join('')).digest('hex');
}

/** @throws DumpError where there is none, or it was changed */
export async function readManifest(folder: string): Promise<Manifest> {
  let content: unknown;
  try {
    content = JSON.parse(await readFile(join(folder, manifestName), 'utf8'));
  } catch (error) {
    throw new DumpError(`${folder} is no dump: ${error instanceof Error ? error.message : error}`);
  }
  const parsed = ManifestSchema.safeParse(content);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new DumpError(`${join(folder, manifestName)} cannot be read: ${issue?.path.join('.')} ${issue?.message}`);
  }
  if (hashTables(parsed.data.tables) !== parsed.data.sha256)
    throw new DumpError(`${join(folder, manifestName)} was changed: its hash does not fit its tables.`);
  return parsed.data;
}
