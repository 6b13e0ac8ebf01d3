import { html } from 'hono/html';
import { footer, header, sections } from './frame.ts';

/** Escaped HTML. */
export type Markup = ReturnType<typeof html>;

export const styleHref = '/docs/reference.css';

/**
 * A page of the reference, without scripts and external resources.
 *
 * @param baseUrl base URL of the image for link previews
 */
export const page = (title: string, description: string, body: Markup | Markup[], baseUrl: string): Markup =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Inferboard API</title>
<meta name="description" content="${description}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="Inferboard">
<meta property="og:title" content="${title} · Inferboard API">
<meta property="og:description" content="${description}">
<meta property="og:image" content="${baseUrl}/og/board.png">
<meta name="twitter:card" content="summary_large_image">
<link rel="stylesheet" href="${styleHref}">
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
${header}
<main id="main" tabindex="-1">
${sections}
${body}
</main>
${footer}
</body>
</html>`;

/** Text of the document. Its only markup is code in backticks. */
export const prose = (text: string): Markup =>
  html`${text.split('`').map((part, at) => (at % 2 === 0 ? part : html`<code>${part}</code>`))}`;

/** A table that scrolls horizontally if it is too wide. */
export const table = (label: string, headings: readonly string[], rows: readonly Markup[]): Markup =>
  html`<div class="scroll" role="region" aria-label="${label}" tabindex="0"><table><thead><tr>${headings.map(
    (heading) => html`<th scope="col">${heading}</th>`,
  )}</tr></thead><tbody>${rows}</tbody></table></div>`;
