import type { CsvRecord } from '../reading/csv.ts';
import { JsonError, readJson } from '../reading/json.ts';
import type { JsonObject } from '../reading/json-records.ts';
import { isObject } from '../reading/json-records.ts';
import { isMissing, parseNumber } from '../reading/numbers.ts';
import { noFigures, type ReportFigures } from '../reading/report-figures.ts';

/** Cells of one row of a CSV report by the names of their columns. What cannot be read is a fault of its figures. */
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

  /** The figure of a column; null where it is missing. */
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
    this.#fault(`"${text.slice(0, 60)}" under ${name} is no list of 11 figures.`);
    return [];
  }

  /** JSON that stands in a cell; empty where it is none. */
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
    this.#fault(`"${text.slice(0, 60)}" under ${name} is no figure.`);
    return null;
  }

  #fault(message: string): void {
    this.figures.faults.push({ code: 'cell_unreadable', line: this.figures.line, message });
  }
}
