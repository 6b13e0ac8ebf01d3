import { createHash } from 'node:crypto';
import { Transform, type TransformCallback, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import postgres, { type Sql, type TransactionSql } from 'postgres';

/** A separate connection for reading or writing whole tables. Its settings make every server write values in the same format. */
export function connectForCopies(url: string): Sql {
  return postgres(url, {
    max: 1,
    max_lifetime: null,
    connect_timeout: 10,
    onnotice: () => {},
    connection: {
      application_name: 'inferboard dump',
      statement_timeout: 0,
      idle_in_transaction_session_timeout: 0,
      TimeZone: 'UTC',
      DateStyle: 'ISO, YMD',
      bytea_output: 'hex',
      extra_float_digits: 1,
    },
  });
}

export const quoted = (names: readonly string[]): string =>
  names.map((name) => `"${name.replaceAll('"', '""')}"`).join(', ');

/** Rows to read from a table, or from its public part. */
export interface Selection {
  name: string;
  columns: readonly string[];
  key: readonly string[];
  /** A SQL condition; null: all rows. */
  rows: string | null;
}

/** Bytes per chunk: rows arrive one by one. */
const chunkBytes = 64 * 1024;

/** Hashes and counts the stream, and merges it into larger chunks. */
class Passage extends Transform {
  readonly #hash = createHash('sha256');
  #held: Uint8Array[] = [];
  #size = 0;
  bytes = 0;

  override _transform(chunk: Uint8Array, _encoding: string, done: TransformCallback): void {
    this.#hash.update(chunk);
    this.bytes += chunk.length;
    this.#held.push(chunk);
    this.#size += chunk.length;
    if (this.#size >= chunkBytes) this.#handOn();
    done();
  }

  override _flush(done: TransformCallback): void {
    this.#handOn();
    done();
  }

  #handOn(): void {
    this.push(Buffer.concat(this.#held, this.#size));
    this.#held = [];
    this.#size = 0;
  }

  digest(): string {
    return this.#hash.digest('hex');
  }
}

/** Writes rows as CSV with a header, in key order, and returns the totals. Only a few rows are in memory at a time. */
export async function copyOut(
  tx: TransactionSql,
  { name, columns, key, rows }: Selection,
  into: Writable[],
): Promise<{ rows: number; bytes: number; sha256: string }> {
  const from = `from ${quoted([name])}${rows === null ? '' : ` where ${rows}`}`;
  const [counted] = await tx.unsafe(`select count(*)::float8 as n ${from}`);
  // Keys consist of digits and lower-case letters, which every collation sorts alike.
  const select = `select ${quoted(columns)} ${from} order by ${quoted(key)}`;
  const source = await tx.unsafe(`copy (${select}) to stdout (format csv, header)`).readable();
  const passage = new Passage();
  await pipeline([source, passage, ...into]);
  return { rows: counted?.n ?? 0, bytes: passage.bytes, sha256: passage.digest() };
}
