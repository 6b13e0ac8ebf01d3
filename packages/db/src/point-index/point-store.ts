import type { MetricName } from '@inferboard/core/metrics/index';
import {
  type FigureColumns,
  goneStatus,
  type PointTable,
  type SystemKeys,
  type TableNeeds,
} from '@inferboard/core/ranking/point-table';
import type { Spread } from '../point-statistics/packed.ts';
import { LargeMap, type Numbers, roomFor, shareTexts, Words } from './columns.ts';
import type { ReadBase, ReadMetrics, RowKeys } from './point-rows.ts';
import { WorkloadCodes } from './workload-codes.ts';

interface DefinitionColumn {
  codes: Uint8Array;
  words: Words;
}

/** In place of a point that is gone. */
const nowhere = -1;

/** The statistics of all points, held as columns; those of metrics from when they are first asked for. */
export class PointStore implements PointTable {
  length = 0;
  version = 0;
  /** Rows that are there no more. */
  gone = 0;
  pointId = new Float64Array();
  status = new Uint8Array();
  variant = new Uint8Array();
  trust = new Uint8Array();
  disputed = new Uint8Array();
  beside = new Uint8Array();
  kind = new Uint8Array();
  loadMode = new Uint8Array();
  loadLevel = new Float64Array();
  regime = new Uint8Array();
  system = new Int32Array();
  scenario = new Int32Array();
  workload = new Int32Array();
  toolSet = new Int32Array();
  readonly systems: SystemKeys[] = [];
  readonly scenarios: string[] = [];
  readonly tools: string[][] = [];
  readonly #systemPlaces = new Map<string, number>();
  readonly #scenarioPlaces = new Map<number, number>();
  readonly #workloads = new WorkloadCodes();
  readonly #texts = new Map<string, unknown>();
  readonly #toolSets = new Words();
  readonly #firstRows = new LargeMap();
  readonly #values = new Map<MetricName, Float64Array>();
  readonly #figures = new Map<MetricName, FigureColumns>();
  readonly #definitions = new Map<string, DefinitionColumn>();

  get workloads(): readonly string[] {
    return this.#workloads.ids;
  }

  values(metric: MetricName): Float64Array {
    return this.#held(this.#values, metric);
  }

  figures(metric: MetricName): FigureColumns {
    return this.#held(this.#figures, metric);
  }

  definitions(base: string): { codes: Uint8Array; ids: readonly string[] } {
    const { codes, words } = this.#held(this.#definitions, base);
    return { codes, ids: words.words };
  }

  #held<K, V>(columns: ReadonlyMap<K, V>, key: K): V {
    const column = columns.get(key);
    if (column === undefined) throw new Error(`the column ${key} was not read`);
    return column;
  }

  /** All columns of metrics that are held. */
  get holds(): TableNeeds {
    return {
      values: [...this.#values.keys()],
      figures: [...this.#figures.keys()],
      definitions: [...this.#definitions.keys()],
    };
  }

  /** Of these columns those that are not held. */
  lacks(needs: TableNeeds): TableNeeds {
    return {
      values: needs.values.filter((metric) => !this.#values.has(metric)),
      figures: needs.figures.filter((metric) => !this.#figures.has(metric)),
      definitions: needs.definitions.filter((base) => !this.#definitions.has(base)),
    };
  }

  /** Of systems and scenarios those that are not known. */
  unknown({ system, scenario }: ReadBase): { systems: string[]; scenarios: number[] } {
    return {
      systems: [...new Set(system)].filter((id) => !this.#systemPlaces.has(id)),
      scenarios: [...new Set(scenario)].filter((id) => !this.#scenarioPlaces.has(id)),
    };
  }

  addSystem(system: SystemKeys): void {
    const held = shareTexts(system, this.#texts);
    this.#systemPlaces.set(held.id, this.systems.push(held) - 1);
  }

  addScenario(id: number, name: string): void {
    this.#scenarioPlaces.set(id, this.scenarios.push(name) - 1);
  }

  /** The row of a point, standing and variant; null if there is none. */
  rowOf(pointId: number, status: number, variant: number): number | null {
    let row = this.#firstRows.get(pointId) ?? this.length;
    for (; row < this.length && this.pointId[row] === pointId; row += 1) {
      if (this.status[row] === status && this.variant[row] === variant) return row;
    }
    return null;
  }

  /** 1 for each row that is among these. */
  marks({ pointId, status, variant }: RowKeys): Uint8Array {
    const marks = new Uint8Array(this.length);
    for (const [place, id] of pointId.entries()) {
      const row = this.rowOf(id, status[place] ?? goneStatus, variant[place] ?? 0);
      if (row !== null) marks[row] = 1;
    }
    return marks;
  }

  /**
   * Takes rows in: all that the points among them have, in place of what those had. Rows come by point, standing and
   * variant; their systems and scenarios are known.
   */
  put(base: ReadBase, metrics: ReadMetrics): void {
    this.version += 1;
    const { pointId } = base;
    const rows = new Int32Array(pointId.length);
    for (let from = 0; from < pointId.length; ) {
      const id = pointId[from] ?? nowhere;
      let to = from + 1;
      while (to < pointId.length && pointId[to] === id) to += 1;
      const first = this.#placeFor(id, to - from);
      for (let place = from; place < to; place += 1) rows[place] = first + place - from;
      from = to;
    }
    this.#setBase(rows, base);
    this.setMetrics(rows, metrics);
  }

  /** Lets go of a point. */
  remove(id: number): void {
    this.version += 1;
    const first = this.#firstRows.get(id);
    if (first === undefined) return;
    const end = this.#endOfPoint(first);
    this.pointId.fill(nowhere, first, end);
    this.status.fill(goneStatus, first, end);
    this.gone += end - first;
    this.#firstRows.delete(id);
  }

  #endOfPoint(first: number): number {
    const id = this.pointId[first];
    let end = first;
    while (end < this.length && this.pointId[end] === id) end += 1;
    return end;
  }

  /** The first of so many rows for a point: those it has, if they are as many, or new ones. */
  #placeFor(id: number, rows: number): number {
    const held = this.#firstRows.get(id);
    if (held !== undefined && this.#endOfPoint(held) - held === rows) return held;
    this.remove(id);
    const first = this.length;
    this.#grow(first + rows);
    this.#firstRows.set(id, first);
    return first;
  }

  #grow(length: number): void {
    this.length = length;
    if (length <= this.pointId.length) return;
    this.pointId = roomFor(this.pointId, length, nowhere);
    const room = this.pointId.length;
    this.status = roomFor(this.status, room, goneStatus);
    for (const name of ['variant', 'trust', 'disputed', 'beside', 'kind', 'loadMode', 'regime'] as const)
      this[name] = roomFor(this[name], room, 0);
    this.loadLevel = roomFor(this.loadLevel, room, Number.NaN);
    for (const name of ['system', 'scenario', 'workload', 'toolSet'] as const)
      this[name] = roomFor(this[name], room, 0);
    for (const [metric, values] of this.#values) this.#values.set(metric, roomFor(values, room, Number.NaN));
    for (const [metric, figures] of this.#figures) this.#figures.set(metric, this.#figureRoom(figures, room));
    for (const column of this.#definitions.values()) column.codes = roomFor(column.codes, room, 0);
  }

  #figureRoom({ n, sd, tools }: FigureColumns, room: number): FigureColumns {
    const { NaN: none } = Number;
    return {
      n: roomFor(n, room, none),
      sd: roomFor(sd, room, none),
      tools: roomFor(tools, room, 0),
    };
  }

  #setBase(rows: Int32Array, base: ReadBase): void {
    fill(this.pointId, rows, base.pointId);
    fill(this.status, rows, base.status);
    fill(this.variant, rows, base.variant);
    fill(this.trust, rows, base.trust);
    fill(this.disputed, rows, base.disputed);
    fill(this.beside, rows, base.beside);
    fill(this.kind, rows, base.kind);
    fill(this.loadMode, rows, base.loadMode);
    fill(this.loadLevel, rows, base.loadLevel);
    fill(this.regime, rows, base.regime);
    const placesOf = <T>(given: readonly T[], places: ReadonlyMap<T, number>) =>
      given.map((one) => places.get(one) ?? nowhere);
    fill(this.system, rows, placesOf(base.system, this.#systemPlaces));
    fill(this.scenario, rows, placesOf(base.scenario, this.#scenarioPlaces));
    for (const row of rows) {
      const [scenario, regime] = [this.scenario[row] as number, this.regime[row] as number];
      this.workload[row] = this.#workloads.code(scenario, regime, this.scenarios[scenario] ?? '');
    }
    fill(
      this.toolSet,
      rows,
      base.toolSet.map((set) => this.#toolCode(set)),
    );
  }

  /** Begins to hold columns that `lacks` named; `setMetrics` fills them. */
  addColumns(needs: TableNeeds): void {
    this.version += 1;
    const room = this.pointId.length;
    const numbers = () => new Float64Array(room).fill(Number.NaN);
    for (const metric of needs.values) this.#values.set(metric, numbers());
    for (const base of needs.definitions) {
      this.#definitions.set(base, { codes: new Uint8Array(room), words: new Words() });
      this.#definitions.get(base)?.words.code('');
    }
    for (const metric of needs.figures) {
      const tools = new Int32Array(room);
      this.#figures.set(metric, { n: numbers(), sd: numbers(), tools });
    }
  }

  /** Lets go of columns that could not be filled. */
  dropColumns(needs: TableNeeds): void {
    for (const metric of needs.values) this.#values.delete(metric);
    for (const base of needs.definitions) this.#definitions.delete(base);
    for (const metric of needs.figures) this.#figures.delete(metric);
  }

  /** Fills the columns of metrics with what was read: `rows` are the places of what came, -1 for what is not held. */
  setMetrics(rows: Int32Array, { values, figures, definitions }: ReadMetrics): void {
    for (const [metric, read] of values) fill(this.values(metric), rows, read);
    for (const [base, read] of definitions) {
      const { codes, words } = this.#held(this.#definitions, base);
      fill(
        codes,
        rows,
        read.map((word) => words.code(word)),
      );
    }
    for (const [metric, read] of figures) this.#setFigures(this.figures(metric), rows, read);
  }

  #setFigures(held: FigureColumns, rows: Int32Array, spreads: readonly (Spread | null)[]): void {
    for (const [place, row] of rows.entries()) {
      if (row === nowhere) continue;
      const [n, sd, own] = spreads[place] ?? single;
      held.n[row] = n ?? Number.NaN;
      held.sd[row] = sd ?? Number.NaN;
      held.tools[row] = own === undefined ? (this.toolSet[row] as number) : this.#toolCode(own);
    }
  }

  #toolCode(set: readonly string[]): number {
    // Nearly all are one tool, of which text need not be made.
    const [first = ''] = set;
    const code = this.#toolSets.code(set.length === 1 ? first : `\0${JSON.stringify(set)}`);
    this.tools[code] ??= [...set];
    return code;
  }
}

/** What a value rests on that came without a spread. */
const single: Spread = [1, null];

/** Puts a column that was read where it belongs; what is missing is NaN. */
function fill(column: Numbers, rows: Int32Array, given: readonly (number | null)[]): void {
  for (let place = 0; place < rows.length; place += 1) {
    const row = rows[place] as number;
    if (row !== nowhere) column[row] = given[place] ?? Number.NaN;
  }
}
