import type { Parameter } from '../features/board/data/board-query.ts';
import { mixesModels } from './models.ts';

/**
 * What a curve connects: the best points of all systems that share a fact, alone or with all other points, or the points of one
 * system over its loads.
 */
export const curveKinds = ['frontier', 'points', 'systems'] as const;
export type CurveKind = (typeof curveKinds)[number];

/** Facts that colours can represent. */
export const colourFacts = ['gpu', 'model', 'quantization', 'engine', 'system'] as const;
export type ColourFact = (typeof colourFacts)[number];

/** The facts that a state offers: a colour for each system only if the systems are selected. */
export const offeredFacts = (filters: readonly Parameter[]): readonly ColourFact[] =>
  filters.some(([name]) => name === 'system') ? colourFacts : colourFacts.filter((fact) => fact !== 'system');

export const scales = ['auto', 'linear', 'log'] as const;
export type ScaleChoice = (typeof scales)[number];

/** Minimum and maximum of both axes. */
export interface Zoom {
  x: [number, number];
  y: [number, number];
}

/** The state of the explorer, exactly as in its URL. */
export interface ExplorerState {
  x: string;
  y: string;
  by: ColourFact;
  curves: CurveKind;
  xScale: ScaleChoice;
  yScale: ScaleChoice;
  /** Hidden legend entries. */
  hidden: readonly string[];
  zoom: Zoom | null;
  /** The limit on x. */
  limit: number | null;
  /** The curve and point of the open card. */
  pin: string | null;
  /** Whether curves may mix models. By default they are of one model, if none is filtered. */
  allModels: boolean;
  /** Workload, model, GPU and other filters, in the given order. */
  filters: readonly Parameter[];
}

export const defaults = { x: 'user_tok_s', y: 'output_tok_s_per_gpu', by: 'gpu', curves: 'frontier' } as const;

const ownNames: ReadonlySet<string> = new Set([
  ...['x', 'y', 'by', 'curves', 'x_scale', 'y_scale', 'hide', 'zoom', 'limit', 'pin'],
  ...['old_x', 'old_by', 'old_limit', 'old_model'],
]);

/** The value of `model` that selects all models. */
export const everyModel = 'all';

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

/**
 * Parses a state. Unknown parameters become filters, which the API validates. Invalid values are ignored. A form sends the axis
 * and the colour that it was rendered with as `old_x` and `old_by`: a limit has the unit of its axis, and hidden names are names
 * of their colour fact, so a change drops them. `old_model` is a model that the page chose: it stays the page's choice.
 */
export function readState(search: URLSearchParams): ExplorerState {
  const find = (name: string) => search.get(name)?.trim() || null;
  const isChanged = (name: string) => find(`old_${name}`) !== null && find(`old_${name}`) !== find(name);
  const hasOldLimit = isChanged('x') && find('limit') === find('old_limit');
  const isChosenByPage = find('model') !== null && find('model') === find('old_model');
  const isFilter = ([name, value]: Parameter) =>
    !ownNames.has(name) && value.trim() !== '' && !(name === 'model' && (value === everyModel || isChosenByPage));
  const filters = [...search].filter(isFilter);
  return {
    x: find('x') ?? defaults.x,
    y: find('y') ?? defaults.y,
    by: oneOf(offeredFacts(filters), find('by'), defaults.by),
    curves: oneOf(curveKinds, find('curves'), defaults.curves),
    xScale: oneOf(scales, find('x_scale'), 'auto'),
    yScale: oneOf(scales, find('y_scale'), 'auto'),
    hidden: isChanged('by') ? [] : [...new Set(search.getAll('hide').filter((name) => name !== ''))],
    zoom: readZoom(find('zoom')),
    limit: hasOldLimit ? null : toNumber(find('limit')),
    pin: find('pin'),
    allModels: search.getAll('model').includes(everyModel),
    filters,
  };
}

/** Four digits are more precise than a pointer. */
const short = (value: number) => String(Number(value.toPrecision(4)));

/** The parameters of a state, without defaults. */
export function stateParameters(state: ExplorerState): Parameter[] {
  const { x, y, by, curves, xScale, yScale, hidden, zoom, limit, pin, allModels, filters } = state;
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
    ['model', allModels && mixesModels(state) ? everyModel : ''],
  ];
  return [...filters, ...chosen.filter(([, value]) => value !== '')];
}

/** The URL of a state. */
export function stateHref(state: ExplorerState): string {
  const search = new URLSearchParams(stateParameters(state).map(([name, value]) => [name, value]));
  return search.size === 0 ? '/explore' : `/explore?${search}`;
}

/** Changes the state and closes the card. */
export function changedState(state: ExplorerState, changes: Partial<ExplorerState>): ExplorerState {
  return { ...state, pin: null, ...changes };
}
