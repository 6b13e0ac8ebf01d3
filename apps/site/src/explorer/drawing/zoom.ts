import type { Axis } from '../../charts/axis.ts';
import { changedState, type ExplorerState, stateHref } from '../state.ts';
import type { Drawing } from './drawing.ts';
import { type Direction, movedDomain, roundedLimit, valueAt } from './pointer.ts';

/** A link that changes the visible range of both axes, or the limit. */
interface ToolLink {
  label: string;
  href: string;
}

const directionOf = ({ domain, isLog }: Axis, range: readonly [number, number]): Direction => ({
  domain,
  isLog,
  range,
});

/** The same steps as the keys: zoom in, zoom out and pan. */
export function zoomLinks(state: ExplorerState, { plot, xAxis, yAxis }: Drawing): ToolLink[] {
  const x = directionOf(xAxis, [plot.left, plot.right]);
  const y = directionOf(yAxis, [plot.bottom, plot.top]);
  const moved = (label: string, across: Parameters<typeof movedDomain>[1], up: Parameters<typeof movedDomain>[1]) => ({
    label,
    href: stateHref(changedState(state, { zoom: { x: movedDomain(x, across), y: movedDomain(y, up) } })),
  });
  const inward = moved('Zoom in', { factor: 0.6 }, { factor: 0.6 });
  if (state.zoom === null) return [inward];
  return [
    inward,
    moved('Zoom out', { factor: 1.6 }, { factor: 1.6 }),
    moved('Left', { by: -0.2 }, {}),
    moved('Right', { by: 0.2 }, {}),
    moved('Up', {}, { by: 0.2 }),
    moved('Down', {}, { by: -0.2 }),
    { label: 'Reset zoom', href: stateHref(changedState(state, { zoom: null })) },
  ];
}

/** A link that adds a limit in the middle of the x axis, or removes the limit. */
export function limitLinks(state: ExplorerState, { plot, xAxis }: Drawing): ToolLink[] {
  if (state.limit !== null) return [{ label: 'Remove limit', href: stateHref(changedState(state, { limit: null })) }];
  const middle = valueAt(directionOf(xAxis, [plot.left, plot.right]), (plot.left + plot.right) / 2);
  return [{ label: 'Add limit', href: stateHref(changedState(state, { limit: roundedLimit(middle) })) }];
}
