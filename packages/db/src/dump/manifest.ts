import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

export const manifestName = 'manifest.json';

const digest = z.string().regex(/^[0-9a-f]{64}$/);

const TableSchema = z.strictObject({
  name: z.string(),
  /** Path in the dump's folder: gzip-compressed CSV with a header. A missing value is empty; an empty text is "". */
  file: z.string().regex(/^[a-z_]+\.csv\.gz$/),
  columns: z.array(z.string()).min(1),
  rows: z.int().nonnegative(),
  /** Size of the uncompressed CSV in bytes. */
  bytes: z.int().nonnegative(),
  /** Hash of the uncompressed CSV. */
  sha256: digest,
});
export type DumpedTable = z.infer<typeof TableSchema>;

const ManifestSchema = z.strictObject({
  format: z.literal('inferboard-dump/1'),
  /** The release that wrote the dump. */
  release: z.string(),
  /** The last migration of the columns' schema. */
  migration: z.string(),
  /** RFC 3339; all tables are from one snapshot at that time. */
  created_at: z.string(),
  /** Ordered so that each table references only earlier ones. */
  tables: z.array(TableSchema),
  /**
   * Number of artifacts outside their table: `objects/ab/abcd...`, named by the hash of the uploaded bytes, compressed as the
   * table states.
   */
  objects: z.int().nonnegative(),
  /** Hash over all tables; equal rows give equal hashes. */
  sha256: digest,
});
export type Manifest = z.infer<typeof ManifestSchema>;

/** The folder is not a complete, unmodified dump. */
export class DumpError extends Error {}

/** One hash over all rows of all tables. */
export function hashTables(tables: readonly Pick<DumpedTable, 'name' | 'rows' | 'sha256'>[]): string {
  const lines = tables.map(({ name, rows, sha256 }) => `${name} ${rows} ${sha256}\n`);
  return createHash('sha256').update(lines.join('')).digest('hex');
}

/** @throws DumpError if the manifest is missing or was modified */
export async function readManifest(folder: string): Promise<Manifest> {
  let content: unknown;
  try {
    content = JSON.parse(await readFile(join(folder, manifestName), 'utf8'));
  } catch (error) {
    throw new DumpError(`${folder} is not a dump: ${error instanceof Error ? error.message : error}`);
  }
  const parsed = ManifestSchema.safeParse(content);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new DumpError(`${join(folder, manifestName)} cannot be read: ${issue?.path.join('.')} ${issue?.message}`);
  }
  if (hashTables(parsed.data.tables) !== parsed.data.sha256)
    throw new DumpError(`${join(folder, manifestName)} was changed: its hash does not match its tables.`);
  return parsed.data;
}
