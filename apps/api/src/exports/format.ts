/** `instant`: RFC 3339 UTC. `integer`: at most 53 bits. */
export type ColumnType = 'text' | 'integer' | 'number' | 'instant';

/** A column of an exported table. `unit` is null if the column is not a quantity, "1" for a pure count or ratio. */
export interface Column {
  name: string;
  type: ColumnType;
  unit: string | null;
}

/** A cell value: null means missing, zero is a measurement. */
export type Cell = string | number | null;

/** A list to export. A row is the object of one JSON line. */
export interface Export<Row = unknown> {
  columns: readonly Column[];
  /** The cells of a row, in the order of `columns`. Texts are unescaped: escaping belongs to the table format. */
  toCells(row: Row): Cell[];
  /** Rows as they are read. Call `return` on it to stop early. */
  chunks: AsyncGenerator<readonly Row[]>;
  /** The query, its time, and properties of all rows. Complete once the first chunk is read. */
  about(): Record<string, string>;
}

/** A file format for any exported list. To add one, add a file and a line in `index.ts`. */
export interface ExportFormat {
  /** The extension of the URL and the file name. */
  extension: string;
  mediaType: string;
  isText: boolean;
  /** Used after "as" in a sentence. */
  title: string;
  /**
   * The bytes of a file, each part produced on demand. The first part comes after the first chunk was read, so that an error
   * occurs before the response begins.
   */
  write<Row>(list: Export<Row>): AsyncGenerator<Uint8Array<ArrayBuffer>>;
}
