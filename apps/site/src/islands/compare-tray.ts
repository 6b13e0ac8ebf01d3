/** Keeps the systems selected for a comparison while the tab is open, across pages, and lists their names in the tray. */
const storeName = 'inferboard-compare';

interface Selected {
  id: string;
  name: string;
}

const isSelected = (value: unknown): value is Selected =>
  typeof value === 'object' && value !== null && 'id' in value && 'name' in value;

function load(): Selected[] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(storeName) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isSelected) : [];
  } catch {
    // The browser stores nothing for this site.
    return [];
  }
}

function save(selected: readonly Selected[]): void {
  try {
    sessionStorage.setItem(storeName, JSON.stringify(selected));
  } catch {
    // The selection lasts no longer than the page.
  }
}

const boxes = [...document.querySelectorAll<HTMLInputElement>('.compare-box')];
const nameOf = (box: HTMLInputElement) => (box.ariaLabel ?? box.value).replace(/^Compare /, '');

function createEntry({ id, name }: Selected, remove: () => void): HTMLLIElement {
  const entry = document.createElement('li');
  const field = document.createElement('input');
  field.type = 'hidden';
  field.name = 'ids';
  field.value = id;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'quiet';
  button.textContent = '×';
  button.ariaLabel = `Remove ${name}`;
  button.addEventListener('click', remove);
  const text = document.createElement('span');
  text.textContent = name;
  entry.append(field, text, button);
  return entry;
}

function connect(
  tray: HTMLFormElement,
  list: HTMLElement,
  hint: HTMLElement,
  submit: HTMLButtonElement,
  clear: HTMLButtonElement,
): void {
  const [min, max] = [Number(tray.dataset.min), Number(tray.dataset.max)];
  const hintText = hint.textContent;
  // The tray's hidden fields replace the boxes, so that each system is sent once, in the order of selection.
  for (const box of boxes) box.removeAttribute('name');

  function show(selected: readonly Selected[]): void {
    for (const box of boxes) box.checked = selected.some(({ id }) => id === box.value);
    list.replaceChildren(...selected.map((one) => createEntry(one, () => remove(one.id))));
    list.hidden = selected.length === 0;
    clear.hidden = selected.length === 0;
    tray.classList.toggle('filled', selected.length > 0);
    const count = selected.length;
    hint.textContent =
      count > max
        ? `${count} selected. Remove ${count - max} to compare: the maximum is ${max}.`
        : count === 0
          ? hintText
          : `${count} selected${count < min ? `. Select ${min - count} more to compare.` : ''}`;
    submit.disabled = count > 0 && (count < min || count > max);
    // A focused box is scrolled above the tray.
    document.documentElement.style.scrollPaddingBottom = count === 0 ? '' : `${tray.offsetHeight + 8}px`;
  }

  function change(selected: readonly Selected[]): void {
    save(selected);
    show(selected);
  }

  /** The next entry gets the focus; without one, the first box of the page. */
  function remove(id: string): void {
    const place = load().findIndex((one) => one.id === id);
    change(load().filter((one) => one.id !== id));
    const buttons = list.querySelectorAll('button');
    (buttons[Math.min(place, buttons.length - 1)] ?? boxes[0])?.focus();
  }

  for (const box of boxes) {
    box.addEventListener('change', () => {
      const others = load().filter(({ id }) => id !== box.value);
      change(box.checked ? [...others, { id: box.value, name: nameOf(box) }] : others);
    });
  }
  clear.addEventListener('click', () => {
    change([]);
    boxes[0]?.focus();
  });
  show(load());
  // A page from the browser's back and forward cache has an old selection.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) show(load());
  });
}

const tray = document.querySelector<HTMLFormElement>('#compare-tray');
const list = tray?.querySelector('ul');
const hint = tray?.querySelector<HTMLElement>('.hint');
const submit = tray?.querySelector<HTMLButtonElement>('button[type="submit"]');
const clear = tray?.querySelector<HTMLButtonElement>('.clear');
if (tray && list && hint && submit && clear) connect(tray, list, hint, submit, clear);

export {};
