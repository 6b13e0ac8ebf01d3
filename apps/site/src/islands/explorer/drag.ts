import { partOf, roundedLimit, valueAt } from '../../explorer/drawing/pointer.ts';
import { placeOf, readChart } from './figure.ts';

type Range = readonly [number, number];

/** Calls `move` while the pointer is down, and `end` once, with null if the browser cancels the gesture. */
function drag(
  svg: SVGSVGElement,
  { pointerId }: PointerEvent,
  { move, end }: { move(event: PointerEvent): void; end(event: PointerEvent | null): void },
): void {
  svg.setPointerCapture(pointerId);
  const events = new AbortController();
  const { signal } = events;
  const finish = (event: PointerEvent | null) => {
    events.abort();
    end(event);
  };
  svg.addEventListener('pointermove', move, { signal });
  svg.addEventListener('pointerup', finish, { signal });
  svg.addEventListener('pointercancel', () => finish(null), { signal });
}

/** Selects a rectangle of the chart from the position where the pointer was pressed. */
export function dragZoom(svg: SVGSVGElement, down: PointerEvent, zoomTo: (x: Range, y: Range) => void): void {
  const { plot, x, y } = readChart(svg);
  const inside = (event: PointerEvent) => {
    const place = placeOf(svg, event);
    return {
      x: Math.min(plot.right, Math.max(plot.left, place.x)),
      y: Math.min(plot.bottom, Math.max(plot.top, place.y)),
    };
  };
  const from = inside(down);
  const box = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  box.setAttribute('class', 'selection');
  svg.append(box);
  const sizes = (to: { x: number; y: number }) => [Math.abs(to.x - from.x), Math.abs(to.y - from.y)] as const;
  drag(svg, down, {
    move(event) {
      const to = inside(event);
      const [width, height] = sizes(to);
      box.setAttribute('x', String(Math.min(from.x, to.x)));
      box.setAttribute('y', String(Math.min(from.y, to.y)));
      box.setAttribute('width', String(width));
      box.setAttribute('height', String(height));
    },
    end(event) {
      box.remove();
      if (event === null) return;
      const to = inside(event);
      const [width, height] = sizes(to);
      if (width > 12 && height > 12) zoomTo(partOf(x, from.x, to.x), partOf(y, from.y, to.y));
    },
  });
}

/** Moves the limit with the pointer. `preview` is called for each position, `end` for the last one. */
export function dragLimit(
  svg: SVGSVGElement,
  bound: SVGElement,
  down: PointerEvent,
  { preview, end }: { preview(limit: number): void; end(limit: number): void },
): void {
  const { plot, x } = readChart(svg);
  const start = placeOf(svg, down).x;
  const placed = (event: PointerEvent) => Math.min(plot.right, Math.max(plot.left, placeOf(svg, event).x));
  const limitAt = (at: number) => roundedLimit(valueAt(x, at));
  let last = start;
  drag(svg, down, {
    move(event) {
      last = placed(event);
      bound.setAttribute('transform', `translate(${last - start} 0)`);
      preview(limitAt(last));
    },
    end(event) {
      if (event !== null) last = placed(event);
      // A press without a move changes nothing.
      if (Math.abs(last - start) >= 1) end(limitAt(last));
      else bound.removeAttribute('transform');
    },
  });
}
