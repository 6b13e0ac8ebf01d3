import type { Direction } from '../../explorer/drawing/pointer.ts';

interface Plot {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** The plot and the axes of a chart that the server rendered. */
export function readChart(svg: SVGSVGElement): { plot: Plot; x: Direction; y: Direction } {
  const plot = JSON.parse(svg.dataset.plot ?? '') as Plot;
  const direction = (text: string | undefined, range: readonly [number, number]): Direction => ({
    ...(JSON.parse(text ?? '') as Pick<Direction, 'domain' | 'isLog'>),
    range,
  });
  return {
    plot,
    x: direction(svg.dataset.x, [plot.left, plot.right]),
    y: direction(svg.dataset.y, [plot.bottom, plot.top]),
  };
}

/** Position of a pointer, in units of the drawing. */
export function placeOf(svg: SVGSVGElement, { clientX, clientY }: PointerEvent): { x: number; y: number } {
  const point = new DOMPoint(clientX, clientY).matrixTransform(svg.getScreenCTM()?.inverse());
  return { x: point.x, y: point.y };
}

/** Shows the values of the point that has the pointer or the focus. */
export function showTip(svg: SVGSVGElement, event: Event): void {
  const figure = svg.parentElement;
  figure?.querySelector('.tip')?.remove();
  const point = (event.target as Element).closest<SVGAElement>('.curve a');
  if (point === null || event.type === 'focusout' || event.type === 'pointerout') return;
  const { name = '', x = '', y = '', detail = '' } = point.dataset;
  const tip = document.createElement('p');
  tip.className = 'tip';
  tip.setAttribute('aria-hidden', 'true');
  const strong = document.createElement('strong');
  strong.textContent = name;
  tip.append(strong, ` ${y} at ${x}`, document.createElement('br'), detail);
  figure?.append(tip);
  const frame = svg.getBoundingClientRect();
  const at = point.getBoundingClientRect();
  const left = at.left + at.width / 2 - frame.left;
  tip.style.setProperty('--left', `${Math.min(Math.max(0, left - 120), Math.max(0, frame.width - 260))}px`);
  tip.style.setProperty('--top', `${at.bottom - frame.top + 2}px`);
}
