import { type Direction, movedDomain, partOf, valueAt } from '../explorer/pointer.ts';

/**
 * Makes the explorer answer to the mouse, touch and keys. Every state is a page that the server draws: what is done here ends in
 * the address of the next state, whose figure takes the place of this one.
 */
const root = document.querySelector<HTMLElement>('#explorer');
/** Other pages show one figure of many: their own address stays. */
const isPage = location.pathname === '/explore';

let turn = 0;

/** What had the focus, to find it again in the next figure. */
function focusKey(): string | null {
  const active = document.activeElement;
  if (!(active instanceof Element) || root === null || !root.contains(active)) return null;
  if (active.id !== '') return `#${CSS.escape(active.id)}`;
  const label = active.getAttribute('aria-label');
  const role = active.getAttribute('role');
  if (role === 'slider') return '[role="slider"]';
  if (active instanceof SVGSVGElement) return 'figure > svg';
  return label === null ? null : `[aria-label="${CSS.escape(label)}"]`;
}

async function show(href: string, { isBack = false } = {}): Promise<void> {
  if (root === null) return;
  turn += 1;
  const mine = turn;
  root.setAttribute('aria-busy', 'true');
  const key = focusKey();
  try {
    const response = await fetch(href);
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const next = page.querySelector('#explorer');
    if (next === null) throw new Error('no figure in the page');
    // A later request has overtaken this one.
    if (mine !== turn) return;
    root.replaceChildren(...next.childNodes);
    if (isPage && !isBack) history.pushState(null, '', href);
    if (isPage) document.title = page.title;
    if (key !== null) root.querySelector<HTMLElement>(key)?.focus({ preventScroll: true });
  } catch {
    location.assign(href);
  } finally {
    if (mine === turn) root.removeAttribute('aria-busy');
  }
}

const chart = () => root?.querySelector<SVGSVGElement>('figure > svg') ?? null;

interface Plot {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

function readChart(svg: SVGSVGElement): { plot: Plot; x: Direction; y: Direction } {
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

/** Where a pointer is, in units of the drawing. */
function placeOf(svg: SVGSVGElement, { clientX, clientY }: PointerEvent): { x: number; y: number } {
  const point = new DOMPoint(clientX, clientY).matrixTransform(svg.getScreenCTM()?.inverse());
  return { x: point.x, y: point.y };
}

const short = (value: number) => String(Number(value.toPrecision(4)));

/** The address of this state with other parameters; null takes one away. */
function changed(changes: Record<string, string | null>): string {
  const url = new URL(root?.querySelector<HTMLAnchorElement>('.permalink')?.href ?? location.href);
  for (const [name, value] of Object.entries(changes))
    if (value === null) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  return url.pathname + url.search;
}

const zoomTo = (x: readonly [number, number], y: readonly [number, number]) =>
  show(changed({ zoom: [...x, ...y].map(short).join(','), pin: null }));

function onKey(event: KeyboardEvent): void {
  const svg = chart();
  if (svg === null || event.ctrlKey || event.metaKey || event.altKey) return;
  const { x, y } = readChart(svg);
  const target = event.target as Element;
  const slider = target.closest('[role="slider"]');
  const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 5, PageDown: -5 }[event.key];
  if (slider !== null && step !== undefined) {
    event.preventDefault();
    const now = Number(slider.getAttribute('aria-valuenow'));
    const next = now + (step * (x.domain[1] - x.domain[0])) / 50;
    void show(changed({ limit: short(Math.min(x.domain[1], Math.max(x.domain[0], next))) }));
    return;
  }
  if (event.key === 'Escape') {
    event.preventDefault();
    void show(changed({ zoom: null, pin: null }));
    return;
  }
  if (target !== svg) return;
  const moves: Record<string, () => void> = {
    '+': () => zoomTo(movedDomain(x, { factor: 0.6 }), movedDomain(y, { factor: 0.6 })),
    '-': () => zoomTo(movedDomain(x, { factor: 1.6 }), movedDomain(y, { factor: 1.6 })),
    ArrowRight: () => zoomTo(movedDomain(x, { by: 0.2 }), [...y.domain]),
    ArrowLeft: () => zoomTo(movedDomain(x, { by: -0.2 }), [...y.domain]),
    ArrowUp: () => zoomTo([...x.domain], movedDomain(y, { by: 0.2 })),
    ArrowDown: () => zoomTo([...x.domain], movedDomain(y, { by: -0.2 })),
  };
  const move = moves[event.key === '=' ? '+' : event.key];
  if (move === undefined) return;
  event.preventDefault();
  move();
}

/** A rectangle of the drawing, from where a pointer went down. */
function dragZoom(svg: SVGSVGElement, down: PointerEvent): void {
  const { plot, x, y } = readChart(svg);
  const inside = (place: { x: number; y: number }) => ({
    x: Math.min(plot.right, Math.max(plot.left, place.x)),
    y: Math.min(plot.bottom, Math.max(plot.top, place.y)),
  });
  const from = inside(placeOf(svg, down));
  const box = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  box.setAttribute('class', 'selection');
  svg.append(box);
  svg.setPointerCapture(down.pointerId);
  const sizes = (to: { x: number; y: number }) => [Math.abs(to.x - from.x), Math.abs(to.y - from.y)] as const;
  const move = (event: PointerEvent) => {
    const to = inside(placeOf(svg, event));
    const [width, height] = sizes(to);
    box.setAttribute('x', String(Math.min(from.x, to.x)));
    box.setAttribute('y', String(Math.min(from.y, to.y)));
    box.setAttribute('width', String(width));
    box.setAttribute('height', String(height));
  };
  const end = (event: PointerEvent) => {
    svg.removeEventListener('pointermove', move);
    svg.removeEventListener('pointerup', end);
    svg.removeEventListener('pointercancel', end);
    box.remove();
    const to = inside(placeOf(svg, event));
    const [width, height] = sizes(to);
    if (event.type === 'pointerup' && width > 12 && height > 12)
      void zoomTo(partOf(x, from.x, to.x), partOf(y, from.y, to.y));
  };
  svg.addEventListener('pointermove', move);
  svg.addEventListener('pointerup', end);
  svg.addEventListener('pointercancel', end);
}

function dragLimit(svg: SVGSVGElement, bound: SVGElement, down: PointerEvent): void {
  const { plot, x } = readChart(svg);
  const start = placeOf(svg, down).x;
  svg.setPointerCapture(down.pointerId);
  const at = (event: PointerEvent) => Math.min(plot.right, Math.max(plot.left, placeOf(svg, event).x));
  const move = (event: PointerEvent) => bound.setAttribute('transform', `translate(${at(event) - start} 0)`);
  const end = (event: PointerEvent) => {
    svg.removeEventListener('pointermove', move);
    svg.removeEventListener('pointerup', end);
    svg.removeEventListener('pointercancel', end);
    if (event.type === 'pointerup') void show(changed({ limit: short(valueAt(x, at(event))) }));
    else bound.removeAttribute('transform');
  };
  svg.addEventListener('pointermove', move);
  svg.addEventListener('pointerup', end);
  svg.addEventListener('pointercancel', end);
}

function onPointerDown(event: PointerEvent): void {
  const svg = chart();
  const target = event.target as Element;
  if (svg === null || event.button !== 0 || !svg.contains(target)) return;
  const bound = target.closest<SVGElement>('.bound');
  if (bound !== null) {
    event.preventDefault();
    bound.focus();
    dragLimit(svg, bound, event);
  } else if (target.closest('a') === null && event.pointerType !== 'touch') dragZoom(svg, event);
}

/** The figures of the point under the pointer or with the focus. */
function hover(event: Event): void {
  const svg = chart();
  if (svg === null || root === null) return;
  root.querySelector('.tip')?.remove();
  const point = (event.target as Element).closest<SVGAElement>('.curve a');
  if (point === null || event.type === 'focusout' || event.type === 'pointerout') return;
  const { name = '', x = '', y = '', detail = '' } = point.dataset;
  const tip = document.createElement('p');
  tip.className = 'tip';
  tip.setAttribute('aria-hidden', 'true');
  const strong = document.createElement('strong');
  strong.textContent = name;
  tip.append(strong, ` ${y} at ${x}`, document.createElement('br'), detail);
  svg.parentElement?.append(tip);
  const frame = svg.getBoundingClientRect();
  const at = point.getBoundingClientRect();
  const left = at.left + at.width / 2 - frame.left;
  tip.style.setProperty('--left', `${Math.min(Math.max(0, left - 120), Math.max(0, frame.width - 260))}px`);
  tip.style.setProperty('--top', `${at.bottom - frame.top + 2}px`);
}

if (root !== null) {
  root.classList.add('live');
  root.addEventListener('click', (event) => {
    const link = (event.target as Element).closest<HTMLAnchorElement | SVGAElement>('a');
    const href = link?.getAttribute('href') ?? null;
    if (href === null || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    if (!/^\/explore(?:\?|$)/.test(href) || link?.classList.contains('permalink') === true) return;
    event.preventDefault();
    void show(href);
  });
  root.addEventListener('change', (event) => {
    const form = (event.target as Element).closest('form');
    if (form === null) return;
    const search = new URLSearchParams();
    for (const [name, value] of new FormData(form))
      if (typeof value === 'string' && value !== '') search.append(name, value);
    void show(`/explore?${search}`);
  });
  root.addEventListener('submit', (event) => {
    event.preventDefault();
    (event.target as Element).dispatchEvent(new Event('change', { bubbles: true }));
  });
  root.addEventListener('keydown', onKey);
  root.addEventListener('pointerdown', onPointerDown);
  for (const name of ['pointerover', 'pointerout', 'focusin', 'focusout']) root.addEventListener(name, hover);
  if (isPage) addEventListener('popstate', () => void show(location.href, { isBack: true }));
}
