/** `/` moves the focus to the search field. The search page has a checkbox that turns this off, and the browser keeps the choice. */
const name = 'search-key';

function isOff(): boolean {
  try {
    return localStorage.getItem(name) === 'off';
  } catch {
    // The browser stores nothing for this site.
    return false;
  }
}

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:input|textarea|select)$/i.test(target.tagName));

function focusSearch(): boolean {
  const fields = [...document.querySelectorAll<HTMLInputElement>('input[type="search"]')];
  const shown = () => fields.find((field) => field.checkVisibility());
  const menu = document.querySelector<HTMLDetailsElement>('.site-header details');
  if (shown() === undefined && menu !== null) menu.open = true;
  shown()?.select();
  return shown() !== undefined;
}

document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || isOff()) return;
  if (focusSearch()) event.preventDefault();
});

const choice = document.querySelector<HTMLInputElement>('#search-key');
if (choice !== null) {
  choice.checked = !isOff();
  choice.closest('label')?.removeAttribute('hidden');
  choice.addEventListener('change', () => {
    try {
      localStorage.setItem(name, choice.checked ? 'on' : 'off');
    } catch {
      // The choice lasts no longer than the page.
    }
  });
}

export {};
