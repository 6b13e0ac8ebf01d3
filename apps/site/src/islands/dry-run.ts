/** Reads what is pasted without leaving the page: the same form, the same answer, put in the place of the last one. */
const form = document.querySelector<HTMLFormElement>('#paste-form');
const place = document.querySelector<HTMLElement>('#understood');

async function read(form: HTMLFormElement, place: HTMLElement): Promise<void> {
  const response = await fetch(form.action, { method: 'POST', body: new FormData(form) });
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const answer = page.querySelector('#understood');
  if (answer === null) throw new Error('no answer in the page');
  place.replaceChildren(...answer.childNodes);
  place.scrollIntoView({ block: 'start' });
  place.focus({ preventScroll: true });
}

if (form !== null && place !== null) {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const button = form.querySelector('button');
    if (button !== null) button.disabled = true;
    place.setAttribute('aria-busy', 'true');
    read(form, place)
      // Whatever went wrong, the browser can still send the form by itself.
      .catch(() => form.submit())
      .finally(() => {
        place.removeAttribute('aria-busy');
        if (button !== null) button.disabled = false;
      });
  });
}
