import { html } from 'hono/html';

type Link = readonly [href: string, label: string];

// The pages of the site, as in apps/site/src/lib/site-map.ts; a test compares both.

/** The pages in the site's header. */
const sitePages: readonly Link[] = [
  ['/', 'Leaderboard'],
  ['/explore', 'Explore'],
  ['/compare', 'Compare'],
  ['/matrix', 'Matrix'],
  ['/history', 'History'],
  ['/models', 'Models'],
  ['/gpus', 'GPUs'],
  ['/kernels', 'Kernels'],
  ['/methodology', 'Methodology'],
  ['/glossary', 'Glossary'],
  ['/submit', 'Submit'],
];

const footerGroups: readonly (readonly [title: string, links: readonly Link[]])[] = [
  [
    'Browse',
    [
      ['/models', 'Models'],
      ['/gpus', 'GPUs'],
      ['/quantizations', 'Quantizations'],
      ['/scenarios', 'Scenarios'],
      ['/kernels', 'Kernels'],
      ['/submissions', 'Submissions'],
    ],
  ],
  [
    'Data',
    [
      ['/docs', 'API reference'],
      ['/openapi.json', 'OpenAPI'],
      ['/v1/results.csv', 'All results (CSV)'],
      ['/feed.xml', 'Changes feed'],
      ['/llms.txt', 'For agents'],
    ],
  ],
  [
    'Understand',
    [
      ['/methodology', 'Methodology'],
      ['/glossary', 'Glossary'],
      ['/submit', 'Submit a result'],
      ['/account', 'Account and keys'],
    ],
  ],
];

const search = html`<form class="search" role="search" action="/search" method="get" aria-label="Search"><input type="search" name="q" placeholder="Search" aria-label="Search" maxlength="200" required autocomplete="off" spellcheck="false"><button type="submit">Find</button></form>`;

const siteLinks = html`<nav aria-label="Site">${sitePages.map(
  ([href, label]) => html`<a href="${href}">${label}</a>`,
)}</nav>`;

/** The site's header, for every page of the reference: a menu on narrow screens. */
export const header = html`<header class="site-header"><a class="brand" href="/"><svg viewBox="0 0 20 16" width="20" height="16" aria-hidden="true" focusable="false"><rect class="brand-lead" width="20" height="4"></rect><rect y="6" width="13" height="4"></rect><rect y="12" width="7" height="4"></rect></svg> Inferboard</a>
<div class="wide">${siteLinks}${search}</div>
<details class="menu"><summary>Menu</summary><div class="sheet">${search}${siteLinks}</div></details></header>`;

/** The pages of the reference. */
export const sections = html`<nav class="sections" aria-label="Reference"><a href="/docs">API reference</a> <a href="/docs/errors">Errors</a> <a href="/openapi.json">OpenAPI 3.1</a></nav>`;

/** The site's footer. */
export const footer = html`<footer class="site-footer">
<p>Inferboard stores every artifact exactly as it was submitted, and every number links to its artifact. Missing values stay missing. Findings are shown next to the figures they concern.</p>
${footerGroups.map(
  ([title, links]) =>
    html`<nav aria-label="${title}"><h2>${title}</h2><ul>${links.map(([href, label]) => html`<li><a href="${href}">${label}</a></li>`)}</ul></nav>`,
)}</footer>`;
