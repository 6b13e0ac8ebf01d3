import type { Fact } from '../adapter.ts';
import type { ArtifactText } from '../reading/artifact-text.ts';
import { countBefore } from '../reading/by-line.ts';
import { type CommandLine, findCommand, optionValues } from '../reading/command-line.ts';
import { toModelName } from '../reading/model-name.ts';

/** Backends and the lines in which each lists its devices. */
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

/** The line in which a backend says how many devices it found. */
const foundLine = /^\s*(?:ggml_\w{1,30}: )?found (\d{1,4}) (CUDA|ROCm|MUSA|Vulkan|SYCL) devices\b/i;

/** What stands around a table: the command that made it, the devices it listed, the build it printed. */
export interface LlamaContext {
  command: CommandLine | null;
  /** First line (1-based) of what belongs to the run that wrote the table. */
  runFrom: number;
  model: Fact<string> | null;
  /** Devices by index, as listed. */
  devices: string[];
  /** How many devices there were; null where no line tells. */
  found: number | null;
  /** Repetitions, where the command sets them. */
  repetitions: number | null;
  build: { commit: string; number: number } | null;
}

/** Programs of the family; each has tables of its own. */
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
  // `org/name:Q4_K_M`: the part after the colon chooses a file of the repository.
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
    // The same index under another name: two processes wrote here, and which one made the table is not known.
    if ((devices.get(index) ?? name) !== name) return [];
    devices.set(index, name);
  }
  return [...devices.values()];
}

/** The number that a backend says it found; null where none does, or where several say several. */
function readFound(artifact: ArtifactText, from: number, to: number, backend: string | null): number | null {
  const told = new Set<number>();
  for (let line = from; line <= to; line++) {
    const text = artifact.lineAt(line);
    const [, count = '', kind = ''] = (text.includes(' devices') && foundLine.exec(text)) || [];
    if (kind !== '' && (backend === null || new RegExp(kind, 'i').test(backend))) told.add(Number(count));
  }
  const [only = 0] = told;
  return told.size === 1 && only > 0 ? only : null;
}

function readBuild(artifact: ArtifactText, from: number, to: number): LlamaContext['build'] {
  for (let line = from; line <= to; line++) {
    const found = buildLine.exec(artifact.lineAt(line));
    if (found !== null) return { commit: found[1] ?? '', number: Number(found[2]) };
  }
  return null;
}

/** All commands and `Model:` lines of an artifact, found once: every table looks for the one before it. */
interface Landmarks {
  commands: CommandLine[];
  /** `Model:` lines; `isSole` while no other model was named before. */
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

/** The last command before a line that runs a program; null for none. */
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
 * Reads what surrounds a table. `table` is the table's own stretch, `free` the stretch between the tables next to it;
 * all lines are 1-based and inclusive. Where the table names no backend (null) the devices are those of the one that
 * listed any. A model counts only where exactly one was named last before the table.
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
