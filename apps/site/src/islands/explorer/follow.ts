/** Removes the siblings of an element and inserts those of the same element of another page. */
export function replaceAround(kept: Element, next: Element): void {
  const nodes = [...(next.parentNode?.childNodes ?? [])];
  const at = nodes.indexOf(next);
  for (const node of [...(kept.parentNode?.childNodes ?? [])]) if (node !== kept) node.remove();
  kept.before(...nodes.slice(0, at));
  kept.after(...nodes.slice(at + 1));
}

/** Replaces what is around a part of the page, and the title. False if the other page has no such part. */
export function followPage(page: Document, part: Element): boolean {
  const next = page.querySelector(`main > .${part.className.split(' ')[0]}`);
  if (next === null) return false;
  replaceAround(part, next);
  document.title = page.title;
  return true;
}

/** Minimum time between two requests while a limit moves. */
const pauseMs = 120;

/** Runs a task for the latest value: one run at a time, with a pause after each. */
export function throttled<T>(task: (value: T) => Promise<void>): { offer(value: T): void; drop(): void } {
  let isBusy = false;
  let waiting: { value: T } | null = null;
  const next = async (): Promise<void> => {
    if (isBusy || waiting === null) return;
    const { value } = waiting;
    waiting = null;
    isBusy = true;
    await Promise.allSettled([task(value), new Promise((done) => setTimeout(done, pauseMs))]);
    isBusy = false;
    await next();
  };
  return {
    offer(value) {
      waiting = { value };
      void next();
    },
    drop() {
      waiting = null;
    },
  };
}
