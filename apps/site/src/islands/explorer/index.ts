import { movedDomain, roundedLimit } from '../../explorer/drawing/pointer.ts';
import { dragLimit, dragZoom } from './drag.ts';
import { readChart, showTip } from './figure.ts';
import { followPage, replaceAround, throttled } from './follow.ts';

/** On other pages, where the figure is one of many, the URL does not change. */
const isPage = location.pathname === '/explore';

const short = (value: number) => String(Number(value.toPrecision(4)));

async function readPage(href: string): Promise<Document> {
  const response = await fetch(href);
  return new DOMParser().parseFromString(await response.text(), 'text/html');
}

const idAttributes = ['id', 'for', 'aria-labelledby', 'aria-describedby', 'clip-path'];

/** The parameters of the state of an explorer. */
const parametersOf = (root: HTMLElement) => new URL(root.dataset.href ?? '', location.href).searchParams;

/** The explorer of a page, with the ids of the explorer that it replaces. */
async function readFigure(href: string, id: string): Promise<{ next: HTMLElement; title: string }> {
  const page = await readPage(href);
  const next = page.querySelector<HTMLElement>('#explorer');
  if (next === null) throw new Error('no figure in the page');
  if (id !== 'explorer')
    for (const element of next.querySelectorAll('*'))
      for (const name of idAttributes) {
        const value = element.getAttribute(name);
        if (value !== null) element.setAttribute(name, value.replaceAll(/\bexplorer-/g, `${id}-`));
      }
  return { next, title: page.title };
}

/**
 * Adds mouse, touch and keyboard control to an explorer. The server renders every state as a page: an action computes the URL of
 * the next state and replaces the figure with that of the new page.
 */
function explore(root: HTMLElement): void {
  let turn = 0;
  /** The axis of the page's own limit. */
  const ownX = parametersOf(root).get('x');
  const chart = () => root.querySelector<SVGSVGElement>('figure > svg');

  /** Identifies the focused element, to focus it again in the next figure. */
  function focusKey(): string | null {
    const active = document.activeElement;
    if (!(active instanceof Element) || !root.contains(active)) return null;
    if (active.id !== '') return `#${CSS.escape(active.id)}`;
    if (active.getAttribute('role') === 'slider') return '[role="slider"]';
    if (active instanceof SVGSVGElement) return 'figure > svg';
    const label = active.getAttribute('aria-label');
    if (label !== null) return `[aria-label="${CSS.escape(label)}"]`;
    const place = [...(active.parentElement?.children ?? [])].indexOf(active) + 1;
    return active.closest('.tools') === null ? null : `.tools a:nth-child(${place})`;
  }

  /** Keeps the reader's open sections open. */
  function keepFolds(next: HTMLElement): void {
    const folds = [...root.querySelectorAll('details')];
    for (const [at, fold] of [...next.querySelectorAll('details')].entries()) fold.open = folds[at]?.open ?? false;
  }

  async function show(href: string, { isBack = false, isSameEntry = false } = {}): Promise<void> {
    turn += 1;
    const mine = turn;
    root.setAttribute('aria-busy', 'true');
    const key = focusKey();
    try {
      const { next, title } = await readFigure(href, root.id);
      // A later request has superseded this one.
      if (mine !== turn) return;
      keepFolds(next);
      root.replaceChildren(...next.childNodes);
      // The server removes defaults and stale parameters that a form sends.
      const address = next.dataset.href ?? href;
      root.dataset.href = address;
      if (isPage && isSameEntry) history.replaceState(null, '', address);
      else if (isPage && !isBack) history.pushState(null, '', address);
      if (isPage) document.title = title;
      if (key !== null) root.querySelector<HTMLElement>(key)?.focus({ preventScroll: true });
      await followOnPage(parametersOf(root).get('limit'), !isSameEntry);
    } catch {
      location.assign(href);
    } finally {
      if (mine === turn) root.removeAttribute('aria-busy');
    }
  }

  /** URL of this state with other parameters; null removes one. */
  function changed(changes: Record<string, string | null>): string {
    const search = parametersOf(root);
    for (const [name, value] of Object.entries(changes))
      if (value === null) search.delete(name);
      else search.set(name, value);
    return search.size === 0 ? '/explore' : `/explore?${search}`;
  }

  /** The rest of a board shows the systems that meet the limit on its own axis. */
  async function followOnPage(limit: string | null, isFirst: boolean): Promise<void> {
    const { bound } = root.dataset;
    if (bound === undefined || parametersOf(root).get('x') !== ownX) return;
    const url = new URL(location.href);
    if (url.searchParams.get(bound) === limit) return;
    if (limit === null) url.searchParams.delete(bound);
    else url.searchParams.set(bound, limit);
    url.searchParams.delete('cursor');
    const part = root.closest('main > *');
    if (part === null || !followPage(await readPage(url.href), part)) return;
    if (isFirst) history.pushState(null, '', url);
    else history.replaceState(null, '', url);
  }

  /** Replaces everything but the chart, which has the pointer. */
  async function followLimit(limit: number, isFirst: boolean): Promise<void> {
    const href = changed({ limit: String(limit), pin: null });
    const mine = turn;
    const { next } = await readFigure(href, root.id);
    const [figure, drawn] = [root.querySelector('figure'), next.querySelector('figure')];
    if (mine !== turn || figure === null || drawn === null) return;
    keepFolds(next);
    const text = drawn.querySelector('.limit-text')?.textContent ?? '';
    figure.querySelector('.limit-text')?.replaceChildren(text);
    figure.querySelector('.bound')?.setAttribute('aria-valuetext', text.trim());
    replaceAround(figure, drawn);
    root.dataset.href = href;
    await followOnPage(String(limit), isFirst);
    if (!isPage) return;
    if (isFirst) history.pushState(null, '', href);
    else history.replaceState(null, '', href);
  }

  function moveLimit(svg: SVGSVGElement, bound: SVGElement, down: PointerEvent): void {
    let isFirst = true;
    const follower = throttled(async (limit: number) => {
      await followLimit(limit, isFirst);
      isFirst = false;
    });
    dragLimit(svg, bound, down, {
      preview: follower.offer,
      end(limit) {
        follower.drop();
        void show(changed({ limit: String(limit), pin: null }), { isSameEntry: !isFirst });
      },
    });
  }

  const zoomTo = (x: readonly [number, number], y: readonly [number, number]) =>
    void show(changed({ zoom: [...x, ...y].map(short).join(','), pin: null }));

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
      const limit = roundedLimit(Math.min(x.domain[1], Math.max(x.domain[0], next)));
      void show(changed({ limit: String(limit) }));
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

  function onPointerDown(event: PointerEvent): void {
    const svg = chart();
    const target = event.target as Element;
    if (svg === null || event.button !== 0 || !svg.contains(target)) return;
    const bound = target.closest<SVGElement>('.bound');
    if (bound !== null) {
      event.preventDefault();
      bound.focus({ preventScroll: true });
      moveLimit(svg, bound, event);
    } else if (target.closest('a') === null && event.pointerType !== 'touch') dragZoom(svg, event, zoomTo);
  }

  async function copyCode(button: HTMLElement): Promise<void> {
    const code = button.closest('details')?.querySelector('code')?.textContent ?? '';
    const isCopied = await navigator.clipboard.writeText(code).then(
      () => true,
      () => false,
    );
    button.textContent = isCopied ? 'Copied' : 'Copy failed';
  }

  function onClick(event: MouseEvent): void {
    const target = event.target as Element;
    const button = target.closest<HTMLElement>('.copy');
    if (button !== null) void copyCode(button);
    const link = target.closest<HTMLAnchorElement | SVGAElement>('a');
    const href = link?.getAttribute('href') ?? null;
    if (href === null || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    if (!/^\/explore(?:\?|$)/.test(href) || link?.classList.contains('permalink') === true) return;
    event.preventDefault();
    void show(href);
  }

  function onChange(event: Event): void {
    const form = (event.target as Element).closest('form');
    if (form === null) return;
    const search = new URLSearchParams();
    for (const [name, value] of new FormData(form))
      if (typeof value === 'string' && value !== '') search.append(name, value);
    void show(`/explore?${search}`);
  }

  root.classList.add('live');
  root.addEventListener('click', onClick);
  root.addEventListener('change', onChange);
  root.addEventListener('submit', (event) => {
    event.preventDefault();
    (event.target as Element).dispatchEvent(new Event('change', { bubbles: true }));
  });
  root.addEventListener('keydown', onKey);
  root.addEventListener('pointerdown', onPointerDown);
  for (const name of ['pointerover', 'pointerout', 'focusin', 'focusout'])
    root.addEventListener(name, (event) => {
      const svg = chart();
      if (svg !== null) showTip(svg, event);
    });
  if (root.dataset.bound !== undefined) addEventListener('popstate', () => location.reload());
  if (isPage) addEventListener('popstate', () => void show(location.href, { isBack: true }));
}

for (const root of document.querySelectorAll<HTMLElement>('.explorer')) explore(root);
