/** Submits the parsed artifact with a key that stays in this tab, and opens the page of the submission. */
const keyName = 'inferboard-key';

/** The displayed fields of a problem document. */
interface Problem {
  detail?: string;
  errors?: { message: string; hint?: string }[];
}

function storage(): Storage | null {
  try {
    return sessionStorage;
  } catch {
    // The page stores nothing in the browser.
    return null;
  }
}

/** The artifact and the facts of the paste form. */
function readForm(form: HTMLFormElement): { body: Blob; query: URLSearchParams } {
  const data = new FormData(form);
  const file = data.get('file');
  const body = file instanceof File && file.size > 0 ? file : new Blob([form.querySelector('textarea')?.value ?? '']);
  const query = new URLSearchParams();
  for (const [name, value] of data) {
    if (name === 'artifact' || name === 'file' || typeof value !== 'string' || value.trim() === '') continue;
    query.set(name, value.trim());
  }
  return { body: body.slice(), query };
}

async function send(paste: HTMLFormElement, key: string): Promise<string | Problem> {
  const { body, query } = readForm(paste);
  const response = await fetch(`/v1/submissions?${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body,
  });
  const answer = (await response.json()) as { id: string } & Problem;
  if (response.ok) return `/submissions/${answer.id}`;
  if (response.status === 401) storage()?.removeItem(keyName);
  return answer;
}

const words = ({ detail = 'The service did not respond. Try again.', errors = [] }: Problem) =>
  [detail, ...errors.map(({ message, hint = '' }) => `${message} ${hint}`)].join(' ');

/** Activates the form that submits the preview with a key, if the page has one. */
export function connectSendForm(paste: HTMLFormElement): void {
  const form = document.querySelector<HTMLFormElement>('#send-form');
  const field = form?.querySelector<HTMLInputElement>('#key') ?? null;
  const fault = form?.querySelector<HTMLElement>('#send-fault') ?? null;
  const button = form?.querySelector<HTMLButtonElement>('button[type="submit"]') ?? null;
  if (form === null || field === null || fault === null || button === null) return;
  document.querySelector('#send-by-command')?.remove();
  form.hidden = false;
  field.value = storage()?.getItem(keyName) ?? '';
  form.querySelector('#forget-key')?.addEventListener('click', () => {
    storage()?.removeItem(keyName);
    field.value = '';
    field.focus();
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const key = field.value.trim();
    fault.textContent = '';
    button.disabled = true;
    storage()?.setItem(keyName, key);
    send(paste, key)
      .catch((): Problem => ({}))
      .then((answer) => {
        if (typeof answer === 'string') location.assign(answer);
        else fault.textContent = words(answer);
      })
      .finally(() => {
        button.disabled = false;
      });
  });
}
