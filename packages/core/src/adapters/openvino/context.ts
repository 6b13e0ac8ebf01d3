import { quantizationHint } from '../../catalogue/names/quantization-hint.ts';
import type { Fact, SystemFacts } from '../adapter.ts';
import { findCommand, optionValues } from '../reading/context/command-line.ts';
import { toModelName } from '../reading/context/model-name.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';

/** Facts in the log before some figures. */
export type OpenvinoContext = Pick<SystemFacts, 'model' | 'quantization' | 'engine' | 'engineVersion'>;

/** Folders below the model's folder, whose names state the weight format. */
const storage =
  /^(?:pytorch|dldt|ov|openvino|compressed_weights|optimum|(?:ov_)?(?:fp16|fp32|bf16|int4|int8)[\w.-]{0,60}|4bit[\w-]{0,20})$/i;
const runtime = /(?:openvino runtime version: |^\s{0,8}Version : )(20\d\d\.\d{1,2}(?:\.\d{1,3})?)\b/;
const pathLine = /\bModel path=([^,]{1,400}),/;
const isProgram = ([first = '']: readonly string[]) =>
  /^benchmark(?:_genai|_vlm|_vanilla_genai)?(?:\.py|\.exe)?$/.test(first.replace(/^.*[/\\]/, ''));
/** Number of lines before the figures that are read. */
const contextLines = 300;

function modelFacts(path: string): Pick<SystemFacts, 'model' | 'quantization'> {
  const parts = path
    .trim()
    .replace(/[/\\]+$/, '')
    .split(/[/\\]/);
  const stored: string[] = [];
  while (parts.length > 1 && storage.test(parts.at(-1) ?? '')) stored.push(parts.pop() ?? '');
  const name = toModelName(parts.at(-1) ?? '');
  const hint = quantizationHint(stored.join('-')) ?? quantizationHint(name ?? '');
  const toFact = (value: string | null, origin: Fact<string>['origin']) => (value === null ? null : { value, origin });
  return { model: toFact(name, 'context'), quantization: toFact(hint, 'inferred') };
}

/** Used if the log has no facts. */
export const noContext: OpenvinoContext = {
  model: null,
  quantization: null,
  engine: { value: 'openvino', origin: 'stated' },
  engineVersion: null,
};

/** The model in the command or the log, and the version of the runtime; null if neither is present. */
export function readOpenvinoContext(artifact: ArtifactText, from: number, to: number): OpenvinoContext | null {
  let path: string | null = null;
  let version: string | null = null;
  for (let line = Math.max(from, to - contextLines); line <= to; line++) {
    const text = artifact.lineAt(line);
    if (text.length > 2000) continue;
    version = runtime.exec(text)?.[1] ?? version;
    const command = text.includes('benchmark') ? findCommand(artifact, line, isProgram) : null;
    path =
      (command === null ? undefined : optionValues(command, '-m', '--model').at(-1)) ??
      pathLine.exec(text)?.[1] ??
      path;
  }
  if (path === null && version === null) return null;
  return {
    ...(path === null ? { model: null, quantization: null } : modelFacts(path)),
    engine: { value: 'openvino', origin: 'stated' },
    engineVersion: version === null ? null : { value: version, origin: 'context' },
  };
}
