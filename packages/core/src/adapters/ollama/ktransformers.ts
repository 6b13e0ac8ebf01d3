import { quantizationHint } from '../../catalogue/names/quantization-hint.ts';
import { contextsOf } from '../reading/context/contexts.ts';
import { modelFacts } from '../reading/context/model-name.ts';
import { readRunContext } from '../reading/context/run-context.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import type { OllamaBlock } from './block.ts';
import type { OllamaRun } from './run.ts';

export const ktransformersTool = 'KTransformers local_chat';

/** Ollama prints two decimals, and KTransformers all. */
const hasAllDecimals = (rate: string) => /^\d{1,9}\.\d{6,} /.test(rate);

/** KTransformers' chat prints Ollama's lines, without the durations of the whole request and of loading. */
export function isOfKtransformers(artifact: ArtifactText, { rows }: OllamaBlock): boolean {
  if (rows.has('total duration') || rows.has('load duration')) return false;
  return artifact.has('ktransformers') || hasAllDecimals(rows.get('eval rate')?.value ?? '');
}

const isChat = ([program = '']: readonly string[]) =>
  program === 'ktransformers.local_chat' || /(?:^|[/\\])local_chat\.py$/.test(program);

/**
 * The facts of KTransformers' blocks, which are in order. The command starts a session, so it also applies to later blocks.
 *
 * Printed by https://github.com/kvcache-ai/ktransformers/blob/main/archive/ktransformers/util/utils.py
 */
export function readKtransformers(
  artifact: ArtifactText,
  blocks: readonly OllamaBlock[],
): ReadonlyMap<OllamaBlock, Pick<OllamaRun, 'engine' | 'model' | 'quantization'>> {
  const contexts = contextsOf(blocks, (from, to) => readRunContext(artifact, from, to, isChat, 'local_chat'));
  return new Map(
    blocks.map((block, index) => {
      const context = contexts[index] ?? null;
      const weights = context?.text('gguf_path') ?? null;
      const { model } = modelFacts(context?.text('model_path', 'model_name') ?? weights, 'context');
      const hint = weights === null ? null : quantizationHint(weights.split('/').findLast((part) => part !== '') ?? '');
      const isNamed = context !== null || artifact.has('ktransformers');
      return [
        block,
        {
          engine: { value: 'ktransformers', origin: isNamed ? 'context' : 'inferred' },
          model,
          ...(hint === null ? {} : { quantization: { value: hint, origin: 'inferred' } }),
        },
      ];
    }),
  );
}
