/** Gives every command a button that copies it, where the browser lets pages write to the clipboard. */
function addButton(block: HTMLElement): void {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'quiet copy';
  button.textContent = 'Copy';
  // Told to those who listen, too: the button's own words change.
  button.setAttribute('aria-live', 'polite');
  button.addEventListener('click', async () => {
    const text = block.querySelector('code')?.textContent ?? '';
    const isCopied = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
    button.textContent = isCopied ? 'Copied' : 'Not allowed';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2000);
  });
  block.insertAdjacentElement('afterend', button);
}

if (navigator.clipboard !== undefined) {
  for (const block of document.querySelectorAll<HTMLElement>('[data-copy]')) addButton(block);
}
