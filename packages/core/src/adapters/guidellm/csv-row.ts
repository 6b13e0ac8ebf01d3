import { JsonError, readJson } from '../reading/documents/json.ts';
import type { JsonObject } from '../reading/documents/json-records.ts';
import { isObject } from '../reading/documents/json-records.ts';
import { isMissing, parseNumber } from '../reading/figures/numbers.ts';
import { noFigures, type ReportFigures } from '../reading/figures/report-figures.ts';
import type { CsvRecord } from '../reading/tables/csv.ts';

/** Cells of one row of a CSV report by column name. Unreadable cells are errors of its figures. */
export class Row {
  readonly #cells: ReadonlyMap<string, string>;
  readonly figures: ReportFigures;

  constructor(columns: readonly string[], { cells, line }: CsvRecord) {
    this.#cells = new Map(columns.map((name, index) => [name, cells[index] ?? '']));
    this.figures = noFigures(line);
  }

  text(name: string): string | null {
    const text = this.#cells.get(name)?.trim() ?? '';
    return text === '' ? null : text;
  }

  /** The figure in a column; null if missing. */
  number(name: string): number | null {
    const text = this.text(name);
    return text === null ? null : this.#toNumber(text, name);
  }

  /** The eleven figures of a column of percentiles: min, 0.1, 1, 5, 10, 25, 75, 90, 95, 99, max. */
  list(name: string): (number | null)[] {
    const text = this.text(name);
    if (text === null) return [];
    const parts = /^\[(.*)\]$/s.exec(text)?.[1]?.split(',') ?? [];
    if (parts.length === 11) return parts.map((part) => this.#toNumber(part.trim(), name));
    this.#fault(`"${text.slice(0, 60)}" under ${name} is not a list of 11 numbers.`);
    return [];
  }

  /** The JSON in a cell; empty if the cell has none. */
  json(name: string): JsonObject {
    const text = this.text(name);
    if (text === null) return {};
    try {
      const { value } = readJson(text);
      return isObject(value) ? value : {};
    } catch (error) {
      if (error instanceof JsonError) return {};
      throw error;
    }
  }

  #toNumber(text: string, name: string): number | null {
    if (isMissing(text)) return null;
    const number = parseNumber(text);
    if (number !== null && number >= 0) return number + 0;
    this.#fault(`"${text.slice(0, 60)}" under ${name} is not a number.`);
    return null;
  }

  #fault(message: string): void {
    this.figures.faults.push({ code: 'cell_unreadable', line: this.figures.line, message });
  }
}
