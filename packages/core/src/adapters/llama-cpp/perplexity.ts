import { unnamedText } from '../../subjects/scenario.ts';
import { type Adapter, type Claim, noRemarks, type ParsedResult, type SystemFacts } from '../adapter.ts';
import { type Evaluation, toEvaluation } from '../quality-result.ts';
import { toModelName } from '../reading/context/model-name.ts';
import { readEach } from '../reading/tables/read-each.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { engineOfType, toBuildTag, toLlamaEngine } from './figures.ts';

const id = 'llama-perplexity';

const number = String.raw`(\d{1,9}(?:\.\d{1,12})?)`;
const spread = String.raw`\s*(?:\+/-|±)\s*`;
const estimate = new RegExp(`Final estimate: PPL = ${number}${spread}${number}`);
const quantized = new RegExp(String.raw`Mean PPL\(Q\)\s*:\s*${number}${spread}${number}`);
const divergence = new RegExp(String.raw`Mean\s+KLD:\s*(-?\d{1,9}(?:\.\d{1,12})?)${spread}${number}`);
const sameTop = new RegExp(String.raw`Same top p:\s*${number}${spread}${number}\s*%`);
const figureWords = ['Final estimate: PPL', 'Mean PPL(Q) ', 'KLD:', 'Same top p:'] as const;
/** Maximum number of lines of one run's statistics; later lines belong to another run. */
const statisticsMax = 60;
/** Maximum number of log lines before the figures. */
const headMax = 2000;

const isFigure = (line: string) => [estimate, quantized, divergence, sameTop].some((pattern) => pattern.test(line));

/** Runs, each with the lines of its figures. The perplexity of a run may precede its divergence. */
function findRuns(artifact: ArtifactText): Claim[] {
  const claims: Claim[] = [];
  for (const line of artifact.linesWith(...figureWords)) {
    const text = artifact.lineAt(line);
    if (!isFigure(text)) continue;
    const last = claims.at(-1);
    const begins = estimate.test(text) || quantized.test(text);
    if (last === undefined || begins || line > last.from + statisticsMax)
      claims.push({ adapter: id, from: line, to: line });
    else last.to = line;
  }
  return claims;
}

const facts = {
  chunks: /perplexity: calculating perplexity over (\d{1,9}) chunks/,
  context: /\bn_ctx\s*=\s*(\d{1,9})\b/,
  fileType: /print_info: file type\s+=\s+(.{1,60}?)\s*$/,
  model: /(?:general\.name\s+(?:str\s+)?=|print_info: general\.name\s*=)\s*(.{1,150}?)\s*$/,
  path: /llama_model_loader: loaded meta data .* from (\S{1,300}\.gguf)\b/,
  build: /\bbuild(?::| =) (b?\d{1,6}) \(/,
};

/** Facts in the log of a run before its figures, nearest first. Excludes the previous run. */
function readHead(artifact: ArtifactText, { from }: Claim): Map<keyof typeof facts, string> {
  const found = new Map<keyof typeof facts, string>();
  for (let line = from - 1; line >= Math.max(1, from - headMax) && !isFigure(artifact.lineAt(line)); line -= 1) {
    const text = artifact.lineAt(line);
    for (const [name, pattern] of Object.entries(facts) as [keyof typeof facts, RegExp][]) {
      const [, value] = pattern.exec(text) ?? [];
      if (value !== undefined && !found.has(name)) found.set(name, value);
    }
  }
  return found;
}

function toSystem(head: ReturnType<typeof readHead>): Partial<SystemFacts> {
  const [path, title, fileType, build] = (['path', 'model', 'fileType', 'build'] as const).map((name) =>
    head.get(name),
  );
  const tag = toBuildTag(build === undefined ? null : Number(build.replace('b', '')));
  const model = path === undefined ? (title ?? null) : toModelName(path);
  return {
    model: model === null ? null : { value: model, origin: 'inferred' },
    // The loader prints "guessed" for a type that it counted.
    quantization: fileType === undefined ? null : { value: fileType.replace(/ \(guessed\)$/, ''), origin: 'context' },
    ...toLlamaEngine(null, engineOfType(fileType ?? '') ?? 'llama.cpp'),
    engineVersion: tag === null ? null : { value: tag, origin: 'context' },
  };
}

/** The first half of each window is the prompt, and its last token predicts nothing. */
const tokensOf = (chunks: number | null, context: number | null): number | null =>
  chunks === null || context === null ? null : chunks * (context - Math.floor(context / 2) - 1);

function toResults(artifact: ArtifactText, claim: Claim): ParsedResult[] {
  const head = readHead(artifact, claim);
  const wholeOf = (name: 'chunks' | 'context') => (head.has(name) ? Number(head.get(name)) : null);
  const context = wholeOf('context');
  const n = tokensOf(wholeOf('chunks'), context);
  const system = toSystem(head);
  const results: ParsedResult[] = [];
  const add = (
    line: number,
    metric: Evaluation['metric'],
    name: string,
    [value, error]: readonly [string?, string?],
    scale = 1,
  ) => {
    results.push(
      toEvaluation({
        task: { task: unnamedText, metric: name, variant: null, fewShot: null, context },
        metric,
        value: Math.max(0, Number(value) * scale),
        standardError: Number(error) * scale,
        n,
        system,
        lines: { from: line, to: line },
      }),
    );
  };
  for (let line = claim.from; line <= claim.to; line += 1) {
    const text = artifact.lineAt(line);
    const perplexity = estimate.exec(text) ?? quantized.exec(text);
    if (perplexity) add(line, 'perplexity', 'perplexity', [perplexity[1], perplexity[2]]);
    const kld = divergence.exec(text);
    if (kld) add(line, 'kl_divergence', 'kl_divergence', [kld[1], kld[2]]);
    const top = sameTop.exec(text);
    if (top) add(line, 'score', 'same_top_token', [top[1], top[2]], 0.01);
  }
  return results;
}

/** Perplexity and KL divergence as printed by llama.cpp's `llama-perplexity` (`tools/perplexity/perplexity.cpp`). */
export const llamaPerplexity: Adapter = {
  id,
  title: 'llama-perplexity',
  kind: 'quality',
  recognises: 'lines such as "Final estimate: PPL = 13.9634 +/- 0.25031" or "Mean    KLD:   0.002944 ±   0.000022"',
  command: 'llama-perplexity -m MODEL.gguf -f wiki.test.raw --kl-divergence-base BASE --kl-divergence',
  detect: findRuns,
  read: (artifact, claim) => {
    const read = readEach(toResults(artifact, claim), claim.from, (result) => ({ result, ignored: [] }));
    return { tool: { name: id, version: null }, ...read, ...noRemarks };
  },
};
