/** A page link in the header. `place` sets its position: `apart` starts the right side, `act` is for contributing. */
export interface MainPage {
  href: string;
  label: string;
  place?: 'apart' | 'act';
}

/** The header's pages, in order. */
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

/** The other pages, by task. */
export const footerGroups: readonly { title: string; links: readonly { href: string; label: string }[] }[] = [
  {
    title: 'Browse',
    links: [
      { href: '/models', label: 'Models' },
      { href: '/gpus', label: 'GPUs' },
      { href: '/quantizations', label: 'Quantizations' },
      { href: '/scenarios', label: 'Scenarios' },
      { href: '/kernels', label: 'Kernels' },
      { href: '/submissions', label: 'Submissions' },
    ],
  },
  {
    title: 'Data',
    links: [
      { href: '/docs', label: 'API reference' },
      { href: '/openapi.json', label: 'OpenAPI' },
      { href: '/v1/results.csv', label: 'All results (CSV)' },
      { href: '/feed.xml', label: 'Changes feed' },
      { href: '/llms.txt', label: 'For agents' },
    ],
  },
  {
    title: 'Understand',
    links: [
      { href: '/methodology', label: 'Methodology' },
      { href: '/glossary', label: 'Glossary' },
      { href: '/submit', label: 'Submit a result' },
      { href: '/account', label: 'Account and keys' },
    ],
  },
];
