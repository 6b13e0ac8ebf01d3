/** Adds a copy button to every command, if the browser allows writing to the clipboard. */
function addButton(block: HTMLElement): void {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'quiet copy';
  button.textContent = 'Copy';
  // Screen readers announce it too, because the button's text changes.
  button.setAttribute('aria-live', 'polite');
  button.addEventListener('click', async () => {
    const text = block.querySelector('code')?.textContent ?? '';
    const isCopied = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
    button.textContent = isCopied ? 'Copied' : 'Copy failed';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2000);
  });
  block.insertAdjacentElement('afterend', button);
}

if (navigator.clipboard !== undefined) {
  for (const block of document.querySelectorAll<HTMLElement>('[data-copy]')) addButton(block);
}
