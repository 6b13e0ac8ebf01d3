import type { LiveFigures } from '@inferboard/core/observed/live-figures';
import { liveTexts } from '../features/runs/live-texts.ts';
import { progressText } from '../features/submission/data/eta.ts';

/** Keeps the page of a run up to date: progress from its events, the rest by reloading the page in the background. */
const live = document.querySelector<HTMLElement>('#run-live');
const address = live?.dataset.events;

/** Parts that change with the run. Each is replaced from the current page of the server. */
const parts = ['#run-state', '#run-stored', '#run-capacity', '#run-points', '#run-timeline', '#run-asked'];
const askedAgainMs = 1000;
/** Polling interval if events do not arrive. */
const pollMs = 5000;

/** Whether the last page of the server shows the end of the run. */
let isOver = false;

async function renew(): Promise<void> {
  const response = await fetch(location.href);
  if (!response.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  isOver = page.querySelector<HTMLElement>('#run-live')?.dataset.events === undefined;
  for (const selector of parts) {
    const [old, now] = [document.querySelector(selector), page.querySelector(selector)];
    // Keep unchanged parts, because a reader may be using them.
    if (old !== null && now !== null && old.innerHTML !== now.innerHTML) old.replaceChildren(...now.childNodes);
  }
}

/** Calls at most once per second, and never concurrently. */
function calmly(work: () => Promise<void>): () => void {
  let isDue = false;
  let isBusy = false;
  return async function ask() {
    isDue = true;
    if (isBusy) return;
    isBusy = true;
    while (isDue) {
      isDue = false;
      await work().catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, askedAgainMs));
    }
    isBusy = false;
  };
}

function showProgress(data: string): void {
  const progress: Parameters<typeof progressText>[0] = JSON.parse(data);
  const bar = document.querySelector<HTMLProgressElement>('#run-bar');
  const text = document.querySelector('#run-text');
  if (bar !== null) {
    bar.max = Math.max(progress.requests_total, 1);
    bar.value = progress.requests_done;
  }
  if (text !== null)
    text.textContent = progressText(progress, document.querySelector('.run-progress[data-open]') !== null);
}

function showLive(data: string): void {
  const live: LiveFigures = JSON.parse(data);
  const section = document.querySelector<HTMLElement>('#run-figures');
  if (section === null) return;
  const texts = liveTexts(live);
  for (const cell of section.querySelectorAll<HTMLElement>('[data-live]'))
    cell.textContent = texts[cell.dataset.live ?? ''] ?? '';
  for (const name of Object.keys(live.server ?? {})) document.querySelector(`#live-${name}`)?.removeAttribute('hidden');
  section.hidden = false;
}

function watch(address: string): void {
  const ask = calmly(renew);
  const events = new EventSource(address);
  document.querySelector('#run-how')?.remove();
  events.addEventListener('progress', ({ data }) => showProgress(data));
  events.addEventListener('live', ({ data }) => showLive(data));
  events.addEventListener('state', ask);
  events.addEventListener('point', ask);
  events.addEventListener('end', () => {
    events.close();
    for (const over of document.querySelectorAll('.run-progress, #run-figures')) over.remove();
    ask();
    // A page can be late or fail. No event follows this one.
    const timer = setInterval(() => (isOver ? clearInterval(timer) : ask()), pollMs);
  });
  events.addEventListener('error', () => {
    // Browsers reconnect a lost stream automatically, but not after an error response.
    if (events.readyState === EventSource.CLOSED) setInterval(ask, pollMs);
  });
}

if (address !== undefined) watch(address);
