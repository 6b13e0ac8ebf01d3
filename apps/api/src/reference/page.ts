import { html } from 'hono/html';

/** Text that is escaped already. */
export type Markup = ReturnType<typeof html>;

export const styleHref = '/docs/reference.css';

/**
 * A page of the reference: no script, and nothing from elsewhere.
 *
 * @param baseUrl of the picture that goes with links to it
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
<link rel="icon" href="data:,">
</head>
<body>
<header><nav aria-label="Reference"><a href="/">Inferboard</a> <a href="/docs">API reference</a> <a href="/docs/errors">Errors</a> <a href="/openapi.json">OpenAPI 3.1</a></nav></header>
<main>
${body}
</main>
</body>
</html>`;

/** Prose of the document: its only mark is code between backticks. */
export const prose = (text: string): Markup =>
  html`${text.split('`').map((part, at) => (at % 2 === 0 ? part : html`<code>${part}</code>`))}`;

/** A table that scrolls by itself where it is too wide. */
export const table = (label: string, headings: readonly string[], rows: readonly Markup[]): Markup =>
  html`<div class="scroll" role="region" aria-label="${label}" tabindex="0"><table><thead><tr>${headings.map(
    (heading) => html`<th scope="col">${heading}</th>`,
  )}</tr></thead><tbody>${rows}</tbody></table></div>`;
