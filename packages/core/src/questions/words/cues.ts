import { spellingsOf } from './numbers.ts';
import { phraseTable } from './phrases.ts';
import type { Words } from './tokens.ts';

/**
 * What a phrase implies about the kind of question. `speed`: a figure; `fit`: what fits into memory; `need`: required
 * memory; `capacity`: number of users; `compare`: starts a comparison; `versus`: separates sides; `choose`: "or" separates
 * sides; `than`: separates sides after "faster".
 */
export type Cue = 'speed' | 'fit' | 'need' | 'capacity' | 'compare' | 'versus' | 'choose' | 'than';

const users = [
  'users',
  'user',
  'requests',
  'people',
  'clients',
  'sessions',
  'streams',
  'connections',
  'customers',
  'ppl',
];
const together = ['', 'concurrent ', 'parallel ', 'simultaneous '];
// Requests alone are counted per second: "how many requests per second".
const counts = together.flatMap((how) =>
  users.filter((what) => how !== '' || what !== 'requests').map((what) => `${how}${what}`),
);

const all = (cue: Cue, phrases: readonly string[]) => phrases.map((phrase) => [phrase, cue] as const);

export const cues = phraseTable<Cue>([
  ...all('speed', ['how fast', 'how quick', 'how quickly', 'how speedy', 'token speed', 'tokens speed', 'performance']),
  ...all('speed', ['generation speed', 'token generation speed', 'text generation speed', 'token generation']),
  ...all('speed', ['inference speed', 'what performance', 'how slow', 'perf', 'how well does', 'how well do']),
  ...['', 'how many ', 'what ', 'what kind of ', 'how much '].flatMap((how) =>
    all(
      'speed',
      spellingsOf('tok/s').map((unit) => `${how}${unit}`),
    ),
  ),
  ...all('fit', ['fit', 'fits', 'fitting', 'what runs', 'what will run', 'what would run', 'which models run']),
  ...all('fit', ['what can i run', 'what could i run', 'can i run', 'could i run', 'can i fit', 'able to run']),
  ...all('fit', ['can we run', 'i can run', 'i could run', 'can it run', 'can run', 'will it run', 'will run']),
  ...all('fit', ['largest model', 'biggest model', 'largest models', 'biggest models', 'largest llm', 'biggest llm']),
  ...all('fit', ['enough for', 'enough to run', 'enough', 'enough vram', 'enough memory', 'big enough']),
  ...all('need', [
    'how many gpu',
    'minimum number of gpus',
    'min number of gpus',
    'number of gpus',
    'gpu count',
    'minimum gpu count',
    'how much vram',
    'how much memory',
    'how much gpu memory',
    'how much ram',
    'vram requirements',
  ]),
  ...all('need', ['vram requirement', 'memory requirements', 'memory requirement', 'vram needed', 'vram usage']),
  ...all('need', [
    'minimum vram',
    'min vram',
    'vram required',
    'vram need',
    'vram to run',
    'minimum memory',
    'how many gpus',
  ]),
  ...all('need', [
    'how many cards',
    'memory needed',
    'memory usage',
    'memory footprint',
    'how many gb',
    'how big is',
    'how large is',
  ]),
  ...all('need', [
    'how many gigabytes',
    ...['memory for', 'gpu memory for', 'memory to run', 'memory to serve', 'ram for', 'ram to run', 'vram to serve'],
    ...['hardware requirements', 'hardware requirement', 'gpu requirements', 'system requirements', 'requirements'],
    ...['kv cache', 'kv cache size', 'kv cache memory', 'gpus needed', 'gpus required', 'gpus to serve'],
    'vram does',
    'vram for',
    'how many gpus do i need',
    'how many cards do i need',
  ]),
  ...all(
    'capacity',
    counts.flatMap((count) => [
      ...['how many', 'max', 'maximum', 'maximum number of', 'max number of', 'number of'].map(
        (how) => `${how} ${count}`,
      ),
    ]),
  ),
  ...all('capacity', ['best batch size', 'optimal batch size', 'max batch size', 'maximum batch size']),
  ...all('capacity', ['largest batch size', 'best concurrency', 'optimal concurrency']),
  ...all('capacity', ['max concurrency', 'maximum concurrency', 'how much concurrency', 'highest concurrency']),
  ...all('compare', ['compare', 'comparing', 'comparison', 'comparison of', 'comparison between', 'difference']),
  ...all('compare', ['difference between', 'differences between', 'compared', 'head to head']),
  ...all('compare', ['upgrade from', 'upgrading from', 'switch from', 'switching from', 'going from', 'moving from']),
  ...all('versus', [
    'vs',
    'vs.',
    'versus',
    'against',
    'compared to',
    'compare to',
    'compare with',
    'compares to',
    'compare against',
    'stack up against',
    'compared with',
    'v',
    'or rather',
    'in comparison to',
    'ahead of',
    ...['beat', 'beats', 'beating', 'outperform', 'outperforms', 'faster or slower than'],
    ...['or buy', 'or just buy', 'or rent', 'or just rent'],
    'worth it over',
    'worth it over the',
    'worth it over a',
    'worth the upgrade from',
    'worth the upgrade from a',
    'worth upgrading from',
  ]),
  ...all('choose', [
    'which should i buy',
    'should i buy',
    'should i get',
    'should i use',
    'should i choose',
    'should i go',
  ]),
  ...all('choose', [
    'should we use',
    'should we buy',
    'which one',
    'which is',
    "what's better",
    'what is better',
    'better',
  ]),
  ...all('choose', [
    'which has',
    'which gives',
    'which gets',
    'should i pick',
    'should i run',
    'which wins',
    'who wins',
  ]),
  ...all('than', ['than']),
]);

/** Comparatives by the superlative whose metric they rank by. */
export type Comparative = 'fast' | 'slow' | 'cheap' | 'efficient' | 'high' | 'low';

export const comparatives = phraseTable<Comparative>([
  ...['faster', 'quicker', 'much faster', 'how much faster', 'how much quicker', 'more fast', 'more quick'].map(
    (word) => [word, 'fast'] as const,
  ),
  ...['slower', 'how much slower'].map((word) => [word, 'slow'] as const),
  ...[
    'cheaper',
    'more cheap',
    'how much cheaper',
    'cheaper per token',
    'cheaper per million tokens',
    'better value',
    'more cost effective',
    'the better value',
  ].map((word) => [word, 'cheap'] as const),
  ...['more efficient', 'more power efficient', 'more energy efficient'].map((word) => [word, 'efficient'] as const),
  ...['higher', 'greater', 'more'].map((word) => [word, 'high'] as const),
  ...['lower', 'shorter', 'less'].map((word) => [word, 'low'] as const),
]);

/** Number of words of a factor before a comparative: "2x faster", "1.5 times cheaper"; 0 if there is none. */
export function factorLength(words: Words, at: number): number {
  const text = words.tokens[at]?.text ?? '';
  const length = /^\d+(?:\.\d+)?[x×]$/u.test(text) || text === 'twice' ? 1 : /^\d+(?:\.\d+)?$/u.test(text) ? 2 : 0;
  if (length === 2 && !/^(?:times|x|×)$/u.test(words.tokens[at + 1]?.text ?? '')) return 0;
  return length > 0 && comparatives.find(words, at + length) !== null ? length : 0;
}

/** "faster", "2x faster". The answer states the factor. */
export function readComparative(words: Words, at: number): { value: Comparative; length: number } | null {
  const factor = factorLength(words, at);
  const found = comparatives.find(words, at + factor);
  return found === null ? null : { value: found.value, length: factor + found.length };
}
