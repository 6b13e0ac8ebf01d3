/** A page that the header leads to. `place` moves it: `apart` begins the right side, `act` is where one takes part. */
export interface MainPage {
  href: string;
  label: string;
  place?: 'apart' | 'act';
}

/** The header's pages, in their order. */
export const mainPages: readonly MainPage[] = [
  { href: '/', label: 'Leaderboard' },
  { href: '/explore', label: 'Explore' },
  { href: '/compare', label: 'Compare' },
  { href: '/matrix', label: 'Matrix' },
  { href: '/history', label: 'History' },
  { href: '/models', label: 'Models' },
  { href: '/gpus', label: 'GPUs' },
  { href: '/kernels', label: 'Kernels' },
  { href: '/methodology', label: 'Methodology', place: 'apart' },
  { href: '/glossary', label: 'Glossary' },
  { href: '/submit', label: 'Submit', place: 'act' },
];

/** The rest of what there is, by what one wants of it. */
export const footerGroups: readonly { title: string; links: readonly { href: string; label: string }[] }[] = [
  {
    title: 'Browse',
    links: [
      { href: '/models', label: 'Models' },
      { href: '/gpus', label: 'GPUs' },
      { href: '/quantizations', label: 'Quantizations' },
      { href: '/scenarios', label: 'Scenarios' },
      { href: '/kernels', label: 'Kernels' },
    ],
  },
  {
    title: 'Data',
    links: [
      { href: '/docs', label: 'API reference' },
      { href: '/openapi.json', label: 'OpenAPI' },
      { href: '/v1/results.csv', label: 'All results (CSV)' },
      { href: '/v1/submissions', label: 'Submissions (JSON)' },
      { href: '/feed.xml', label: 'Feed of changes' },
      { href: '/llms.txt', label: 'For agents' },
    ],
  },
  {
    title: 'Understand',
    links: [
      { href: '/methodology', label: 'Methodology' },
      { href: '/glossary', label: 'Glossary' },
      { href: '/submit', label: 'Submit a result' },
    ],
  },
];
