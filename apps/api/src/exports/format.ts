/** `instant`: RFC 3339 UTC. `integer`: whole, of at most 53 bits. */
export type ColumnType = 'text' | 'integer' | 'number' | 'instant';

/** A column of an exported table. `unit` is null for what is no quantity, "1" for a pure count or ratio. */
export interface Column {
  name: string;
  type: ColumnType;
  unit: string | null;
}

/** What stands in a column; null is missing, zero is a measurement. */
export type Cell = string | number | null;

/** A list on its way out. A row is what a line of JSON holds. */
export interface Export<Row = unknown> {
  columns: readonly Column[];
  /** The row under `columns`. Texts are as they are: guarding them is the table format's business. */
  toCells(row: Row): Cell[];
  /** Rows as they are read. Whoever stops early must `return` it. */
  chunks: AsyncGenerator<readonly Row[]>;
  /** What was asked, when, and what holds for all rows. Complete once the first chunk is there. */
  about(): Record<string, string>;
}

/** A form in which any list leaves as a file. Adding one is a file and a line in `index.ts`. */
export interface ExportFormat {
  /** Ends the address and the name of the file. */
  extension: string;
  mediaType: string;
  isText: boolean;
  /** Follows "as". */
  title: string;
  /**
   * The bytes of a file, each part made when it is asked for. The first comes after the first chunk was read, so that an
   * answer which cannot be given fails before it begins.
   */
  write<Row>(list: Export<Row>): AsyncGenerator<Uint8Array<ArrayBuffer>>;
}
