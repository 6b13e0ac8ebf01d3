import { connectSendForm } from './send-result.ts';

/** Reads what is pasted without leaving the page: the same form, the same answer, put in the place of the last one. */
const form = document.querySelector<HTMLFormElement>('#paste-form');
const place = document.querySelector<HTMLElement>('#understood');

/** The fields of facts with what is missing marked, in the place of those before. */
function replaceFacts(form: HTMLFormElement, page: Document): void {
  const fields = [...page.querySelectorAll('#paste-form .fields')];
  for (const [at, old] of [...form.querySelectorAll('.fields')].entries()) {
    const next = fields[at];
    if (next !== undefined) old.replaceChildren(...next.childNodes);
  }
  const more = form.querySelector('details');
  if (more?.querySelector('[aria-invalid]') != null) more.open = true;
}

/** Answers whether the artifact was read. */
async function read(form: HTMLFormElement, place: HTMLElement): Promise<boolean> {
  const response = await fetch(form.action, { method: 'POST', body: new FormData(form) });
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const answer = page.querySelector('#understood');
  if (answer === null) throw new Error('no answer in the page');
  place.replaceChildren(...answer.childNodes);
  replaceFacts(form, page);
  place.scrollIntoView({ block: 'start' });
  place.focus({ preventScroll: true });
  return response.ok;
}

/** Files that are dropped anywhere on the form are read at once. */
function takeDrops(form: HTMLFormElement): void {
  const field = form.querySelector<HTMLInputElement>('input[type="file"]');
  form.addEventListener('dragover', (event) => {
    if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
  });
  form.addEventListener('drop', (event) => {
    const [file] = event.dataTransfer?.files ?? [];
    if (file === undefined || field === null) return;
    event.preventDefault();
    const list = new DataTransfer();
    list.items.add(file);
    field.files = list.files;
    form.requestSubmit();
  });
}

if (form !== null && place !== null) {
  const showSend = connectSendForm(form);
  takeDrops(form);
  // What was read is no longer what the form has.
  form.addEventListener('input', () => showSend(false));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const button = form.querySelector('button');
    if (button !== null) button.disabled = true;
    place.setAttribute('aria-busy', 'true');
    read(form, place)
      .then(showSend)
      // If the request failed, the browser can still send the form by itself.
      .catch(() => form.submit())
      .finally(() => {
        place.removeAttribute('aria-busy');
        if (button !== null) button.disabled = false;
      });
  });
}
