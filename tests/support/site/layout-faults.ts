/// <reference lib="dom" />
import type { Page } from 'playwright-core';

// Checks of the layout of an open page: elements that leave their container, texts that overlap, labels on the data of a chart.
// The functions run in the page, so each is complete in itself.

/**
 * Elements that overflow the page or their container, and texts that overlap. Excludes horizontally scrolling areas, text for
 * screen readers only, and collapsed content.
 */
function misplaced(): string[] {
  const faults: string[] = [];
  const nameOf = (element: Element) =>
    `${element.tagName.toLowerCase()}.${element.getAttribute('class') ?? ''} "${(element.textContent ?? '').trim().replace(/\s+/g, ' ').slice(0, 40)}"`;
  /** Whether the element or one of its ancestors passes the test. */
  const anywhere = (passes: (style: CSSStyleDeclaration) => boolean) => {
    const known = new Map<Element, boolean>();
    const check = (element: Element | null): boolean => {
      if (element === null) return false;
      const found = known.get(element) ?? (passes(getComputedStyle(element)) || check(element.parentElement));
      known.set(element, found);
      return found;
    };
    return check;
  };
  const scrolls = anywhere(({ overflowX }) => overflowX === 'auto' || overflowX === 'scroll');
  // Text for screen readers only, and the parts of a zoomed curve outside the chart.
  const isClipped = anywhere(({ clipPath }) => clipPath !== 'none');
  const isHidden = (element: Element) =>
    !element.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true }) ||
    // Names of curves on phones: the style of the group is current before the boxes of its text.
    getComputedStyle(element.closest('.curve-name') ?? element).display === 'none' ||
    element.closest('.skip, .tip, desc, title') !== null ||
    isClipped(element);
  const blocks = 'section, article, li, dd, td, th, figure, fieldset, form, details, nav, header, footer';
  const edge = document.documentElement.clientWidth;
  for (const element of document.body.querySelectorAll('*')) {
    if (isHidden(element) || scrolls(element)) continue;
    // SVG groups include the width of their hidden elements.
    if (element.closest('svg') !== null && !element.matches('text, path, rect, circle')) continue;
    const { left, right, width } = element.getBoundingClientRect();
    if (width > 0 && (left < -1 || right > edge + 1)) faults.push(`leaves the page: ${nameOf(element)}`);
    const block = element.closest('svg') === null ? element.parentElement?.closest(blocks) : null;
    const drawing = element.matches('text') ? element.closest('figure > svg, .chart-scroll > svg') : null;
    const shown = drawing?.getBoundingClientRect();
    if (drawing != null && shown !== undefined && getComputedStyle(drawing).overflow === 'hidden')
      if (left < shown.left - 1 || right > shown.right + 1) faults.push(`is cut off: ${nameOf(element)}`);
    const own = block?.getBoundingClientRect();
    if (own !== undefined && own.width > 0 && width > 0 && (right > own.right + 1 || left < own.left - 1))
      faults.push(`leaves its block: ${nameOf(element)}`);
  }
  const boxes: { box: DOMRect; of: Element }[] = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const of = node.parentElement;
    if (of === null || (node.textContent ?? '').trim() === '' || isHidden(of)) continue;
    // A scrolling table shows only a part.
    if (scrolls(of) || of.closest('option, select') !== null) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) if (box.width > 1 && box.height > 1) boxes.push({ box, of });
  }
  for (const of of document.body.querySelectorAll('button, input, select, textarea, img, svg')) {
    if (of.matches('svg svg, [type="hidden"]') || isHidden(of) || scrolls(of)) continue;
    boxes.push({ box: of.getBoundingClientRect(), of });
  }
  boxes.sort((a, b) => a.box.top - b.box.top);
  for (const [at, { box, of }] of boxes.entries()) {
    for (let next = at + 1; next < boxes.length; next += 1) {
      const other = boxes[next];
      if (other === undefined || other.box.top >= box.bottom) break;
      if (of.contains(other.of) || other.of.contains(of)) continue;
      const across = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left);
      const down = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top);
      // Lines of text can touch: their boxes are higher than their letters.
      if (across > 2 && down > 0.45 * Math.min(box.height, other.box.height))
        faults.push(`covers: ${nameOf(of)} and ${nameOf(other.of)}`);
    }
  }
  return [...new Set(faults)].slice(0, 20);
}

/** Line labels that overlap a curve, point or bar of a chart. */
function coveredLabels(): string[] {
  return [...document.querySelectorAll('figure.chart > svg')].flatMap((svg) => {
    const marks = [...svg.querySelectorAll('.line, .point, .error, .runs, .band')].filter(
      (mark) => mark.closest('.tip') === null,
    );
    return [...svg.querySelectorAll('text.limit-text')].flatMap((label) => {
      const box = label.getBoundingClientRect();
      const isCovered = marks.some((mark) => {
        const other = mark.getBoundingClientRect();
        return other.right > box.left && other.left < box.right && other.bottom > box.top && other.top < box.bottom;
      });
      return isCovered ? [`on the data: ${label.textContent?.trim() ?? ''}`] : [];
    });
  });
}

/** Cells of tables that another style rule lays out as something else. */
function brokenCells(): string[] {
  return [...document.querySelectorAll('table')].flatMap((table) => {
    if (getComputedStyle(table).display !== 'table') return [];
    return [...table.querySelectorAll('td, th')]
      .filter((cell) => !['table-cell', 'none'].includes(getComputedStyle(cell).display))
      .map(
        (cell) =>
          `not laid out as a table cell: ${cell.tagName.toLowerCase()}.${cell.getAttribute('class') ?? ''} in ${table.className || 'a table'}`,
      )
      .slice(0, 3);
  });
}

/** All faults of the layout of the page at its present width. */
export async function layoutFaults(page: Page): Promise<string[]> {
  const found = [await page.evaluate(misplaced), await page.evaluate(coveredLabels), await page.evaluate(brokenCells)];
  return found.flat();
}
