import type { Parameter } from '../lib/board-query.ts';

/** What a curve joins: the best points of everything that shares a fact, or a system's points over its loads. */
export const curveKinds = ['frontier', 'systems'] as const;
export type CurveKind = (typeof curveKinds)[number];

/** Facts that colours stand for. */
export const colourFacts = ['gpu', 'model', 'quantization', 'engine'] as const;
export type ColourFact = (typeof colourFacts)[number];

export const scales = ['auto', 'linear', 'log'] as const;
export type ScaleChoice = (typeof scales)[number];

/** Values at the ends of both axes. */
export interface Zoom {
  x: [number, number];
  y: [number, number];
}

/** The explorer's state: exactly what its URL says. */
export interface ExplorerState {
  x: string;
  y: string;
  by: ColourFact;
  curves: CurveKind;
  xScale: ScaleChoice;
  yScale: ScaleChoice;
  /** Legend entries that are switched off. */
  hidden: readonly string[];
  zoom: Zoom | null;
  /** The limit on x. */
  limit: number | null;
  /** The curve and point whose card is open. */
  pin: string | null;
  /** Workload, model, GPU ...: everything that narrows the points, in the order given. */
  filters: readonly Parameter[];
}

export const defaults = { x: 'user_tok_s', y: 'output_tok_s_per_gpu', by: 'gpu', curves: 'frontier' } as const;

const ownNames: ReadonlySet<string> = new Set([
  ...['x', 'y', 'by', 'curves', 'x_scale', 'y_scale', 'hide', 'zoom', 'limit', 'pin'],
]);

const oneOf = <T extends string>(list: readonly T[], value: string | null, otherwise: T): T =>
  list.find((item) => item === value) ?? otherwise;

const toNumber = (text: string | null): number | null => {
  const value = Number(text ?? '');
  return text === null || text.trim() === '' || !Number.isFinite(value) ? null : value;
};

function readZoom(text: string | null): Zoom | null {
  const values = text?.split(',').map(toNumber) ?? [];
  const [x0, x1, y0, y1] = values;
  if (values.length !== 4 || x0 == null || x1 == null || y0 == null || y1 == null) return null;
  return x0 < x1 && y0 < y1 ? { x: [x0, x1], y: [y0, y1] } : null;
}

/** Reads a state. What it does not know is a filter, for the API to judge; values that make no sense are left out. */
export function readState(search: URLSearchParams): ExplorerState {
  const find = (name: string) => search.get(name)?.trim() || null;
  return {
    x: find('x') ?? defaults.x,
    y: find('y') ?? defaults.y,
    by: oneOf(colourFacts, find('by'), defaults.by),
    curves: oneOf(curveKinds, find('curves'), defaults.curves),
    xScale: oneOf(scales, find('x_scale'), 'auto'),
    yScale: oneOf(scales, find('y_scale'), 'auto'),
    hidden: [...new Set(search.getAll('hide').filter((name) => name !== ''))],
    zoom: readZoom(find('zoom')),
    limit: toNumber(find('limit')),
    pin: find('pin'),
    filters: [...search].filter(([name, value]) => !ownNames.has(name) && value.trim() !== ''),
  };
}

/** Four digits place a zoom more exactly than a pointer does. */
const short = (value: number) => String(Number(value.toPrecision(4)));

/** The parameters of a state, without its defaults. */
export function stateParameters(state: ExplorerState): Parameter[] {
  const { x, y, by, curves, xScale, yScale, hidden, zoom, limit, pin, filters } = state;
  const chosen: Parameter[] = [
    ['x', x === defaults.x ? '' : x],
    ['y', y === defaults.y ? '' : y],
    ['by', by === defaults.by ? '' : by],
    ['curves', curves === defaults.curves ? '' : curves],
    ['x_scale', xScale === 'auto' ? '' : xScale],
    ['y_scale', yScale === 'auto' ? '' : yScale],
    ...hidden.map((name): Parameter => ['hide', name]),
    ['zoom', zoom === null ? '' : [...zoom.x, ...zoom.y].map(short).join(',')],
    ['limit', limit === null ? '' : String(limit)],
    ['pin', pin ?? ''],
  ];
  return [...filters, ...chosen.filter(([, value]) => value !== '')];
}

/** The page that shows a state. */
export function stateHref(state: ExplorerState): string {
  const search = new URLSearchParams(stateParameters(state).map(([name, value]) => [name, value]));
  return search.size === 0 ? '/explore' : `/explore?${search}`;
}

/** Another state of the same points. Another axis has other values: a zoom and a limit on the old one mean nothing there. */
export function changedState(state: ExplorerState, changes: Partial<ExplorerState>): ExplorerState {
  return { ...state, pin: null, ...changes };
}
