import { connectSendForm } from './send-result.ts';

/** Parses the pasted text without leaving the page: submits the same form and replaces the result in place. */
const form = document.querySelector<HTMLFormElement>('#paste-form');
const place = document.querySelector<HTMLElement>('#understood');
const send = document.querySelector<HTMLElement>('#send');

/** Replaces the fact fields with the new ones, where missing facts are marked. */
function replaceFacts(form: HTMLFormElement, page: Document): void {
  const fields = [...page.querySelectorAll('#paste-form .fields')];
  for (const [at, old] of [...form.querySelectorAll('.fields')].entries()) {
    const next = fields[at];
    if (next !== undefined) old.replaceChildren(...next.childNodes);
  }
  const more = form.querySelector('details');
  if (more?.querySelector('[aria-invalid]') != null) more.open = true;
}

/** Replaces the preview and the form that submits it. */
async function read(form: HTMLFormElement, place: HTMLElement, send: HTMLElement): Promise<void> {
  const response = await fetch(form.action, { method: 'POST', body: new FormData(form) });
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const answer = page.querySelector('#understood');
  if (answer === null) throw new Error('no answer in the page');
  place.replaceChildren(...answer.childNodes);
  send.replaceChildren(...(page.querySelector('#send')?.childNodes ?? []));
  connectSendForm(form);
  replaceFacts(form, page);
  place.scrollIntoView({ block: 'start' });
  place.focus({ preventScroll: true });
}

/** Parses a file that is dropped anywhere on the form. The form sends one file. */
function takeDrops(form: HTMLFormElement, place: HTMLElement): void {
  const field = form.querySelector<HTMLInputElement>('input[type="file"]');
  form.addEventListener('dragover', (event) => {
    if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
  });
  form.addEventListener('drop', (event) => {
    const [file] = event.dataTransfer?.files ?? [];
    if (file === undefined || field === null) return;
    event.preventDefault();
    if ((event.dataTransfer?.files.length ?? 0) > 1) {
      place.textContent = 'Drop one file at a time. To submit several files, run: inferboard submit FILE...';
      place.focus();
      return;
    }
    const list = new DataTransfer();
    list.items.add(file);
    field.files = list.files;
    form.requestSubmit();
  });
}

if (form !== null && place !== null && send !== null) {
  connectSendForm(form);
  takeDrops(form, place);
  // The form has changed since the last result.
  form.addEventListener('input', () => send.replaceChildren());
  form.addEventListener('submit', (event) => {
    // The buttons that submit the result load a new page.
    if (event.submitter instanceof HTMLButtonElement && event.submitter.name === 'send') return;
    event.preventDefault();
    const button = form.querySelector('button');
    if (button !== null) button.disabled = true;
    place.setAttribute('aria-busy', 'true');
    read(form, place, send)
      // If the request failed, the browser can still submit the form without a script.
      .catch(() => form.submit())
      .finally(() => {
        place.removeAttribute('aria-busy');
        if (button !== null) button.disabled = false;
      });
  });
}
