import type { Page } from 'playwright-core';
import { adminKey } from '../server.ts';
import type { SiteWorld } from './site-world.ts';

// All kinds of pages with the variants to test, including difficult ones. The test fails if a file in apps/site/src/pages is
// missing here.

/** A page variant to test. */
export interface View {
  path: string;
  /** Actions on the page before the check. */
  act?: (page: Page) => Promise<void>;
  /** Maximum compressed script size, bytes; 0 by default. */
  script?: number;
  /** Maximum height at 1440 pixels before anything is opened; none by default. */
  heightMax?: number;
  /** Whether all axe rules run in the dark colour scheme too, not only those on colours. */
  isJudgedWhole?: boolean;
}

export interface PageType {
  /** Its file in apps/site/src/pages; null for pages of the API server. */
  file: string | null;
  views(world: SiteWorld): readonly (string | View)[];
}

/** Upper limit of the script size for all pages. */
export const scriptMax = 45 * 1024;
export const htmlMax = 100 * 1024;
/** Maximum heights of the long pages at 1440 pixels, before anything is opened. */
const reportHeightMax = 5000;
export const comparisonHeightMax = 6000;
/** Size of the script that every page has: `/` focuses the search. */
export const scriptOfEveryPage = 1024;
/** Script limits for copy buttons, forms that stay on their page, and live runs. */
const little = 5 * 1024;

/** A page with a table whose systems can be selected for a comparison. */
const withTray = (path: string): View => ({ path, script: 7 * 1024 });

const question = (q: string) => `/?${new URLSearchParams({ q })}`;
const compared = (ids: readonly string[]) => `/compare?ids=${ids.join(',')}`;

export const pasted = (text: string, selector: string) => async (page: Page) => {
  await page.getByLabel('Tool output').fill(text);
  await page.getByRole('button', { name: 'Preview' }).click();
  await page.locator(selector).first().waitFor();
};

/** Submits an empty form. */
const refusedConcern = async (page: Page) => {
  await page.getByRole('button', { name: 'Report it' }).click();
  await page.getByRole('alert').waitFor();
};

/** Signs in with the form on the page. */
const signedIn = async (page: Page) => {
  await page.getByLabel('Account key').fill(adminKey);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('Account key').waitFor({ state: 'detached' });
};

/** Signs in and opens all collapsible elements. */
const signedInAndOpen = async (page: Page) => {
  await signedIn(page);
  for (const fold of await page.locator('main details > summary').all()) await fold.click();
};

/** Signs in and sends the form of an endpoint that the API refuses. */
const refusedEndpoint = async (page: Page) => {
  await signedIn(page);
  for (const label of ['Name (required)', 'Model']) await page.getByLabel(label).fill('x');
  await page.getByLabel('Base URL').fill('ftp://example.com');
  await page.getByRole('button', { name: 'Register the endpoint' }).click();
  await page.getByRole('alert').waitFor();
};

const refusedKey = async (page: Page) => {
  await page.getByLabel('Account key').fill('a-key-that-nobody-was-given');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').waitFor();
};

/** Terminal output of llama-bench. */
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
      { ...withTray('/'), isJudgedWhole: true },
      withTray('/?subject=quantization&rank_by=decode_tok_s&scenario=base'),
      withTray(question('fastest quantization in decode-bound')),
      question('fastst banana'),
      withTray('/?max_itl_ms=20&gpu=rtx-pro-6000'),
      withTray('/?scenario=tg128&sort=-n'),
      withTray('/?rank_by=forward_ms'),
      withTray('/?rank_by=ttft_ms_mean'),
      withTray('/?subject=quantization&rank_by=decode_tok_s&scenario=base&max_ttft_ms=1'),
      withTray('/?subject=quantization&scenario=decode-bound'),
      withTray(question('best model under 20ms ITL on H100')),
      withTray(question('cheapest gpu')),
      withTray(question('cheapest gpu at $2.50 per gpu hour')),
      '/?colour=red&max_itl_ms=fast',
    ],
  },
  {
    file: 'systems/[id].astro',
    views: ({ reports: { grid, sparse, offline, kernel }, limits }) => [
      { path: `/systems/${grid}`, script: little, heightMax: reportHeightMax, isJudgedWhole: true },
      { path: `/systems/${sparse}`, heightMax: reportHeightMax },
      { path: `/systems/${offline}`, heightMax: reportHeightMax },
      `/systems/${kernel}`,
      `/systems/${limits[0]}`,
      { path: `/systems/${grid}?ttft_limit_s=soon&colour=red`, script: little },
      '/systems/sys_nobody',
    ],
  },
  {
    file: 'submissions/[id].astro',
    views: ({ submissions: { large, small, quarantined, signed } }) => [
      { path: `/submissions/${large}`, script: little },
      { path: `/submissions/${small}`, script: little },
      { path: `/submissions/${quarantined}`, script: little },
      { path: `/submissions/${signed}`, script: little },
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
    file: 'explore/index.astro',
    views: () => [
      { path: '/explore', script: little, isJudgedWhole: true },
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
      { path: compared(series), script: little },
      '/compare',
      compared(quantizations.slice(0, 2)),
      compared(quantizations.slice(0, 6)),
      `${compared(series)}&choose=true&q=zzz`,
      '/compare?q=llama&engine=vllm',
      compared(limits.slice(0, 3)),
      // One more than the maximum.
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
      { ...withTray('/models/llama-2-7b'), isJudgedWhole: true },
      '/models/gpt-oss-120b?scenario=pp512',
      '/models/llama-3.1-8b',
      '/models/llama-9-900b',
    ],
  },
  { file: 'gpus/index.astro', views: () => ['/gpus'] },
  {
    file: 'gpus/[slug].astro',
    views: () => [
      withTray('/gpus/rtx-pro-6000'),
      withTray('/gpus/rtx-pro-6000-blackwell-ws'),
      '/gpus/b200',
      '/gpus/h999',
    ],
  },
  { file: 'scenarios/index.astro', views: () => ['/scenarios'] },
  {
    file: 'scenarios/[slug].astro',
    views: () => [
      withTray('/scenarios/decode-bound'),
      withTray('/scenarios/tg128?metric=tok_per_joule'),
      withTray('/scenarios/causal-mask'),
      withTray('/scenarios/chatbot'),
    ],
  },
  { file: 'quantizations/index.astro', views: () => ['/quantizations'] },
  {
    file: 'quantizations/[slug].astro',
    views: () => [
      withTray('/quantizations/w8a8-int8'),
      withTray('/quantizations/w8a16_awq?metric=e2e_ms_mean'),
      withTray('/quantizations/gguf-q4_0'),
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
    file: 'submissions/index.astro',
    views: () => ['/submissions', '/submissions?account=nobody', '/submissions?cursor=x'],
  },
  {
    file: 'submissions/[id]/claim.astro',
    views: ({ submissions: { small } }) => [
      `/submissions/${small}/claim?token=ibc_x`,
      { path: `/submissions/${small}/claim?token=ibc_x`, act: signedIn },
      '/submissions/sub_nobody/claim',
    ],
  },
  { file: 'join.astro', views: () => ['/join'] },
  { file: 'sign-in.astro', views: () => ['/sign-in?link=ibl_x'] },
  {
    file: 'account.astro',
    views: () => ['/account', { path: '/account', act: signedIn }, { path: '/account', act: refusedKey }],
  },
  {
    file: 'endpoints/new.astro',
    views: () => [
      { path: '/endpoints/new', act: signedIn },
      { path: '/endpoints/new', act: refusedEndpoint },
    ],
  },
  {
    file: 'endpoints/[id].astro',
    views: ({ endpoint }) => [
      { path: `/endpoints/${endpoint}`, act: signedInAndOpen },
      { path: `/endpoints/ep_${'0'.repeat(32)}`, act: signedIn },
    ],
  },
  {
    file: 'admin.astro',
    views: () => ['/admin', { path: '/admin', act: signedIn }, { path: '/admin', act: signedInAndOpen }],
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

/** The pages whose views take the longest to test: about half of the time. */
export const longPages: ReadonlySet<string> = new Set(['index.astro', 'systems/[id].astro', 'compare.astro']);
