import type { Page } from 'playwright-core';
import type { SiteWorld } from './site-world.ts';

// Every kind of page that is served, and what of it is worth a look: the awkward ones too. A file in apps/site/src/pages
// that is missing here fails the test.

/** A page as somebody sees it. */
export interface View {
  path: string;
  /** What is done on the page before it is looked at. */
  act?: (page: Page) => Promise<void>;
  /** Bytes of script that it may load, packed, besides that of every page. */
  script?: number;
}

export interface PageType {
  /** Its file in apps/site/src/pages; null for what the API serves itself. */
  file: string | null;
  views(world: SiteWorld): readonly (string | View)[];
}

/** Whatever a page does, its script stays below this. */
export const scriptMax = 60 * 1024;
export const htmlMax = 100 * 1024;
/** What the key that opens the search takes on every page. */
export const scriptOfEveryPage = 1024;
/** What a button that copies, a form that stays on its page or a run that moves may take. */
const little = 5 * 1024;

const question = (q: string) => `/?${new URLSearchParams({ q })}`;
const compared = (ids: readonly string[]) => `/compare?ids=${ids.join(',')}`;

export const pasted = (text: string, selector: string) => async (page: Page) => {
  await page.getByLabel('What the tool printed or wrote').fill(text);
  await page.getByRole('button', { name: 'Show what is understood' }).click();
  await page.locator(selector).first().waitFor();
};

/** A form that was sent with nothing in it. */
const refusedConcern = async (page: Page) => {
  await page.getByRole('button', { name: 'Report it' }).click();
  await page.getByRole('alert').waitFor();
};

/** What a terminal shows of llama-bench. */
export const artifact = `$ llama-bench -m llama-2-7b.Q4_0.gguf
  Device 0: NVIDIA GeForce RTX 4090, compute capability 8.9, VMM: yes
| model                          |       size |     params | backend    | ngl |            test |                  t/s |
| ------------------------------ | ---------: | ---------: | ---------- | --: | --------------: | -------------------: |
| llama 7B Q4_0                  |   3.56 GiB |     6.74 B | CUDA       |  99 |           pp512 |     11634.04 ± 97.98 |
| llama 7B Q4_0                  |   3.56 GiB |     6.74 B | CUDA       |  99 |           tg128 |        158.95 ± 0.23 |
`;

export const pageTypes: readonly PageType[] = [
  {
    file: 'index.astro',
    views: () => [
      '/',
      '/?subject=quantization&rank_by=decode_tok_s&scenario=base',
      '/?scenario=tg128&sort=-n',
      '/?rank_by=forward_ms',
      '/?rank_by=ttft_ms_mean',
      '/?max_itl_ms=20&gpu=rtx-pro-6000',
      '/?subject=quantization&rank_by=decode_tok_s&scenario=base&max_ttft_ms=1',
      '/?subject=quantization&scenario=decode-bound',
      question('fastest quantization in decode-bound'),
      question('best model under 20ms ITL on H100'),
      question('fastst banana'),
      question('cheapest gpu'),
      question('cheapest gpu at $2.50 per gpu hour'),
      '/?colour=red&max_itl_ms=fast',
    ],
  },
  {
    file: 'systems/[id].astro',
    views: ({ reports: { grid, sparse, offline, kernel }, limits }) => [
      `/systems/${grid}`,
      `/systems/${sparse}`,
      `/systems/${offline}`,
      `/systems/${kernel}`,
      `/systems/${limits[0]}`,
      `/systems/${grid}?ttft_limit_s=soon&colour=red`,
      '/systems/sys_nobody',
    ],
  },
  {
    file: 'submissions/[id].astro',
    views: ({ submissions: { large, small, quarantined } }) => [
      { path: `/submissions/${large}`, script: little },
      { path: `/submissions/${small}`, script: little },
      { path: `/submissions/${quarantined}`, script: little },
      '/submissions/sub_nobody',
    ],
  },
  {
    file: 'submissions/[id]/concern.astro',
    views: ({ submissions: { small }, concern }) => [
      `/submissions/${small}/concern`,
      { path: `/submissions/${small}/concern`, act: refusedConcern },
      `/submissions/${small}/concern?reported=${concern}`,
      '/submissions/sub_nobody/concern',
    ],
  },
  {
    file: 'explore.astro',
    views: () => [
      { path: '/explore', script: little },
      {
        path: '/explore?workload=tg128-offline&x=itl_ms_mean&y=tok_per_joule&by=model&curves=systems&limit=20&y_scale=log',
        script: little,
      },
      {
        path: '/explore?workload=tg128-offline&x=decode_tok_s&y=tok_per_joule&by=gpu&zoom=50,200,0.1,2',
        script: little,
      },
    ],
  },
  { file: 'embed/explore.astro', views: () => ['/embed/explore?workload=tg128-offline&by=model&limit=20'] },
  {
    file: 'compare.astro',
    views: ({ quantizations, limits, series }) => [
      '/compare',
      compared(quantizations.slice(0, 2)),
      compared(quantizations.slice(0, 6)),
      compared(limits.slice(0, 3)),
      compared(series),
      // One more than can be compared.
      compared(quantizations),
    ],
  },
  {
    file: 'matrix.astro',
    views: () => [
      '/matrix',
      '/matrix?view=grid',
      '/matrix?view=ranking',
      '/matrix?view=power',
      '/matrix?metric=forward_ms',
      '/matrix?rows=model&columns=model&metric=speed',
    ],
  },
  {
    file: 'history.astro',
    views: ({ versions, limits }) => [
      '/history',
      `/history?system=${versions[0]}`,
      `/history?system=${versions[0]}&by=result`,
      `/history?system=${limits[0]}`,
      '/history?system=sys_nobody',
    ],
  },
  { file: 'models/index.astro', views: () => ['/models'] },
  {
    file: 'models/[slug].astro',
    views: () => [
      '/models/llama-2-7b',
      '/models/gpt-oss-120b?scenario=pp512',
      '/models/llama-3.1-8b',
      '/models/llama-9-900b',
    ],
  },
  { file: 'gpus/index.astro', views: () => ['/gpus'] },
  {
    file: 'gpus/[slug].astro',
    views: () => ['/gpus/rtx-pro-6000', '/gpus/rtx-pro-6000-blackwell-ws', '/gpus/b200', '/gpus/h999'],
  },
  { file: 'scenarios/index.astro', views: () => ['/scenarios'] },
  {
    file: 'scenarios/[slug].astro',
    views: () => [
      '/scenarios/decode-bound',
      '/scenarios/tg128?metric=tok_per_joule',
      '/scenarios/causal-mask',
      '/scenarios/chatbot',
    ],
  },
  { file: 'quantizations/index.astro', views: () => ['/quantizations'] },
  {
    file: 'quantizations/[slug].astro',
    views: () => [
      '/quantizations/w8a8-int8',
      '/quantizations/w8a16_awq?metric=e2e_ms_mean',
      '/quantizations/gguf-q4_0',
    ],
  },
  {
    file: 'search.astro',
    views: () => [
      '/search',
      '/search?q=llama',
      '/search?q=llama+h100+fp8',
      '/search?q=zzzz',
      `/search?q=${'x'.repeat(201)}`,
    ],
  },
  { file: 'kernels.astro', views: () => ['/kernels'] },
  { file: 'glossary.astro', views: () => ['/glossary'] },
  { file: 'methodology.astro', views: () => ['/methodology'] },
  {
    file: 'submit.astro',
    views: () => [
      { path: '/submit', script: little },
      { path: '/submit', script: little, act: pasted(artifact, '#understood section') },
      { path: '/submit', script: little, act: pasted('hello', '#understood [role="alert"]') },
    ],
  },
  {
    file: 'runs/[id].astro',
    views: ({ runs: { done, goingOn } }) => [
      `/runs/${done}`,
      { path: `/runs/${goingOn}`, script: little },
      `/runs/run_${'0'.repeat(32)}`,
    ],
  },
  { file: '404.astro', views: () => ['/nowhere'] },
  { file: '500.astro', views: () => ['/500'] },
  {
    file: null,
    views: () => ['/docs', '/docs/errors', '/docs/operations/getLeaderboard', '/docs/operations/createRun'],
  },
];
