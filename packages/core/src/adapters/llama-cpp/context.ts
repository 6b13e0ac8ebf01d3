import type { Fact } from '../adapter.ts';
import { type CommandLine, findCommand, optionValues } from '../reading/context/command-line.ts';
import { toModelName } from '../reading/context/model-name.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { countBefore } from '../reading/text/by-line.ts';

/** Backends and the log lines that list their devices. */
const deviceLines: { backend: RegExp; device: RegExp }[] = [
  // One line per GPU; the name ends where the capabilities begin.
  {
    backend: /cuda|rocm|musa/i,
    device: /^\s*Device (\d{1,3}): (.{1,120}?)(?:, (?:compute capability|gfx|VMM|Wave Size).{0,200})?$/,
  },
  { backend: /vulkan/i, device: /^\s*ggml_vulkan: (\d{1,3}) = (.{1,120}?) (?:\([^()]{0,120}\) )?\|.{0,400}$/ },
  {
    backend: /mtl|metal/i,
    device: /^\s*ggml_metal\w{0,30}: (?:GPU name|picking default device):()\s{1,8}(.{1,120}?)\s*$/,
  },
];

/** The log line with the number of devices that a backend found. */
const foundLine = /^\s*(?:ggml_\w{1,30}: )?found (\d{1,4}) (CUDA|ROCm|MUSA|Vulkan|SYCL) devices\b/i;

/** The context of a table: its command, the listed devices and the printed build. */
export interface LlamaContext {
  command: CommandLine | null;
  /** First line (1-based) of the run that wrote the table. */
  runFrom: number;
  model: Fact<string> | null;
  /** Devices by index, as listed. */
  devices: string[];
  /** Number of devices; null if no line states it. */
  found: number | null;
  /** Repetitions, if the command sets them. */
  repetitions: number | null;
  build: { commit: string; number: number } | null;
}

/** Programs of the family. Each has a different table format. */
export type LlamaProgram = 'llama-bench' | 'llama-batched-bench' | 'llama-sweep-bench' | 'llama-server' | 'llama-cli';

const isProgram: Record<LlamaProgram, RegExp> = {
  'llama-bench': /(?:^|[/\\`❯$])llama-bench(?:\.exe)?$/,
  'llama-batched-bench': /(?:^|[/\\`❯$])llama-batched-bench(?:\.exe)?$/,
  'llama-sweep-bench': /(?:^|[/\\`❯$])llama-sweep-bench(?:\.exe)?$/,
  'llama-server': /(?:^|[/\\`❯$])llama-server(?:\.exe)?$/,
  'llama-cli': /(?:^|[/\\`❯$])llama-cli(?:\.exe)?$/,
};
const buildLine = /^\s*build: ([0-9a-f]{6,40}|unknown) \((\d{1,9})\)\s*$/;
const modelLine = /^\s*Model:\s{1,20}(\S{1,300}\.gguf)\s*$/i;

function modelsOf(command: CommandLine): string[] {
  const paths = optionValues(command, '-m', '--model').flatMap((value) => value.split(','));
  // `org/name:Q4_K_M`: the part after the colon selects a file of the repository.
  const repositories = optionValues(command, '-hf', '-hfr', '--hf-repo').map((value) => value.split(':')[0] ?? '');
  return [...new Set([...paths, ...repositories])];
}

function readDevices(artifact: ArtifactText, from: number, to: number, backend: string | null): string[] {
  if (backend === null) {
    const lists = ['cuda', 'vulkan', 'metal'].map((name) => readDevices(artifact, from, to, name));
    const [only = [], ...others] = lists.filter((list) => list.length > 0);
    return others.length > 0 ? [] : only;
  }
  const known = deviceLines.find((candidate) => candidate.backend.test(backend));
  const devices = new Map<string, string>();
  if (known === undefined) return [];
  for (let line = from; line <= to; line++) {
    const found = known.device.exec(artifact.lineAt(line));
    const [, index = '', name = ''] = found ?? [];
    if (found === null) continue;
    // The same index with another name: two processes wrote here, and the table could be from either.
    if ((devices.get(index) ?? name) !== name) return [];
    devices.set(index, name);
  }
  return [...devices.values()];
}

/** The number of devices that a backend reports; null if none does, or if several report different numbers. */
function readFound(artifact: ArtifactText, from: number, to: number, backend: string | null): number | null {
  const counts = new Set<number>();
  for (let line = from; line <= to; line++) {
    const text = artifact.lineAt(line);
    const [, count = '', kind = ''] = (text.includes(' devices') && foundLine.exec(text)) || [];
    if (kind !== '' && (backend === null || new RegExp(kind, 'i').test(backend))) counts.add(Number(count));
  }
  const [only = 0] = counts;
  return counts.size === 1 && only > 0 ? only : null;
}

function readBuild(artifact: ArtifactText, from: number, to: number): LlamaContext['build'] {
  for (let line = from; line <= to; line++) {
    const found = buildLine.exec(artifact.lineAt(line));
    if (found !== null) return { commit: found[1] ?? '', number: Number(found[2]) };
  }
  return null;
}

/** All commands and `Model:` lines of an artifact, cached: every table searches for the one before it. */
interface Landmarks {
  commands: CommandLine[];
  /** `Model:` lines. `isSole` is true until another model is named. */
  modelLines: { from: number; path: string; isSole: boolean }[];
}

const landmarksOf = new WeakMap<ArtifactText, Map<LlamaProgram, Landmarks>>();

function findLandmarks(artifact: ArtifactText, program: LlamaProgram): Landmarks {
  const known = landmarksOf.get(artifact) ?? new Map<LlamaProgram, Landmarks>();
  landmarksOf.set(artifact, known);
  const landmarks = known.get(program) ?? searchLandmarks(artifact, program);
  known.set(program, landmarks);
  return landmarks;
}

function searchLandmarks(artifact: ArtifactText, program: LlamaProgram): Landmarks {
  const landmarks: Landmarks = { commands: [], modelLines: [] };
  for (const line of artifact.linesWith(program, '.gguf')) {
    if (line <= (landmarks.commands.at(-1)?.to ?? 0)) continue;
    const text = artifact.lineAt(line);
    if (text.includes(program)) {
      const command = findCommand(artifact, line, ([word = '']) => isProgram[program].test(word));
      if (command !== null) landmarks.commands.push(command);
    }
    const path = text.includes('.gguf') ? modelLine.exec(text)?.[1] : undefined;
    if (path === undefined) continue;
    const before = landmarks.modelLines.at(-1);
    landmarks.modelLines.push({
      from: line,
      path,
      isSole: before === undefined || (before.isSole && before.path === path),
    });
  }
  return landmarks;
}

/** The last command before a line that runs a program; null if there is none. */
export function commandBefore(artifact: ArtifactText, line: number, program: LlamaProgram): CommandLine | null {
  const { commands } = findLandmarks(artifact, program);
  return commands[countBefore(commands, line) - 1] ?? null;
}

function toFact(candidates: readonly string[]): Fact<string> | null {
  const [only, ...others] = candidates;
  const name = only === undefined || others.length > 0 ? null : toModelName(only);
  return name === null ? null : { value: name, origin: 'context' };
}

/**
 * Reads the context of a table. `table` is the range of the table, `free` the range between the adjacent tables; all lines
 * are 1-based and inclusive. If the table names no backend (null), the devices come from the backend that listed any. The
 * model is set only if the nearest source before the table names exactly one.
 */
export function readLlamaContext(
  artifact: ArtifactText,
  table: { from: number; to: number },
  free: { from: number; to: number },
  backend: string | null,
  program: LlamaProgram = 'llama-bench',
): LlamaContext {
  const { commands, modelLines } = findLandmarks(artifact, program);
  const before = countBefore(commands, table.from);
  const command = commands[before - 1] ?? null;
  const next = commands[before]?.from ?? artifact.lines.length + 1;
  const named = modelLines[countBefore(modelLines, table.from) - 1] ?? null;
  const runFrom = Math.max(free.from, command?.from ?? 1);
  const repetitions =
    command === null ? null : Number(optionValues(command, '-r', '--repetitions').at(-1) ?? Number.NaN);
  const devices = readDevices(artifact, runFrom, table.from - 1, backend);
  const found = Math.max(devices.length, readFound(artifact, runFrom, table.from - 1, backend) ?? 0);
  return {
    model: toFact(command === null ? (named?.isSole ? [named.path] : []) : modelsOf(command)),
    command,
    runFrom,
    devices,
    found: found === 0 ? null : found,
    repetitions: repetitions !== null && Number.isSafeInteger(repetitions) && repetitions > 0 ? repetitions : null,
    build:
      readBuild(artifact, table.to + 1, Math.min(free.to, next - 1)) ?? readBuild(artifact, runFrom, table.from - 1),
  };
}
