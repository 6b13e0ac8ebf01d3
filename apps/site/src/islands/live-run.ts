import { progressText } from '../lib/eta.ts';

/** Keeps the page of a run as it stands: progress from its events, everything else from the page itself, asked again. */
const live = document.querySelector<HTMLElement>('#run-live');
const address = live?.dataset.events;

/** Parts that change with the run; each is taken from the page as the server makes it now. */
const parts = ['#run-state', '#run-stored', '#run-points'];
const askedAgainMs = 1000;
/** Where events do not come through. */
const pollMs = 5000;

async function renew(): Promise<void> {
  const response = await fetch(location.href);
  if (!response.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  for (const selector of parts) {
    const [old, now] = [document.querySelector(selector), page.querySelector(selector)];
    // What is the same stays: a reader may be in it.
    if (old !== null && now !== null && old.innerHTML !== now.innerHTML) old.replaceChildren(...now.childNodes);
  }
}

/** Calls as often as asked, and at most once at a time and in a second. */
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
  if (text !== null) text.textContent = progressText(progress);
}

function watch(address: string): void {
  const ask = calmly(renew);
  const events = new EventSource(address);
  document.querySelector('#run-how')?.remove();
  events.addEventListener('progress', ({ data }) => showProgress(data));
  events.addEventListener('state', ask);
  events.addEventListener('point', ask);
  events.addEventListener('end', () => {
    events.close();
    document.querySelector('.run-progress')?.remove();
    ask();
  });
  events.addEventListener('error', () => {
    // A browser that lost the stream asks again by itself; one that was refused does not.
    if (events.readyState === EventSource.CLOSED) setInterval(ask, pollMs);
  });
}

if (address !== undefined) watch(address);
