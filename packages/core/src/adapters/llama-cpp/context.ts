import type { Fact } from '../adapter.ts';
import { type CommandLine, optionValues } from '../reading/context/command-line.ts';
import { toModelName } from '../reading/context/model-name.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { countBefore } from '../reading/text/by-line.ts';
import { toFileType } from './figures.ts';
import { findLandmarks, type Landmarks, type LlamaProgram, linesBetween, modelAbove, onlyValue } from './landmarks.ts';

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

/** The part of a backend's name on which a context depends: the names of known backends in it. */
export const knownBackends = (backend: string): string =>
  [...new Set(backend.toLowerCase().match(/cuda|rocm|musa|vulkan|sycl|mtl|metal/g))].sort().join();

/** The context of a table: its command, the listed devices and the printed build. */
export interface LlamaContext {
  command: CommandLine | null;
  /** First line (1-based) of the run that wrote the table. */
  runFrom: number;
  model: Fact<string> | null;
  /** The file type of the loaded model, if the log states it. */
  fileType: Fact<string> | null;
  /** Devices by index, as listed. */
  devices: string[];
  /** Number of devices; null if no line states it. */
  found: number | null;
  /** Repetitions, if the command sets them. */
  repetitions: number | null;
  build: { commit: string; number: number } | null;
}

const buildLine = /^\s*build: ([0-9a-f]{6,40}|unknown) \((\d{1,9})\)\s*$/;

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

function toFact(candidates: readonly string[]): Fact<string> | null {
  const [only, ...others] = candidates;
  const name = only === undefined || others.length > 0 ? null : toModelName(only);
  return name === null ? null : { value: name, origin: 'context' };
}

/** False if the program printed another model first below a line that names one. */
export type IsOwnModel = (line: number) => boolean;

/** The lines that `readLlamaContext` passes to `isOwn`: the last command before a table, and the last line that names a model. */
export function modelSources(artifact: ArtifactText, table: number, program: LlamaProgram = 'llama-bench'): number[] {
  const { commands, modelLines } = findLandmarks(artifact, program);
  return [commands, modelLines].flatMap((sources) => sources[countBefore(sources, table) - 1]?.from ?? []);
}

const given = (candidate: string | null) => toFact(candidate === null ? [] : [candidate]);

/** The model that the log names while it is loaded: its file, or its name if exactly one is printed. */
function loadedModel({ files, names }: Landmarks, runFrom: number, table: number): Fact<string> | null {
  const file = linesBetween(files, runFrom, table).at(-1);
  return given(file?.value ?? null) ?? given(onlyValue(linesBetween(names, file?.from ?? runFrom, table)));
}

/** The model of a table, from the nearest source before it. */
function readModel(
  landmarks: Landmarks,
  command: CommandLine | null,
  table: number,
  { freeFrom, runFrom, isOwn }: { freeFrom: number; runFrom: number; isOwn: IsOwnModel },
): Fact<string> | null {
  const { modelLines, files } = landmarks;
  const loaded = () => loadedModel(landmarks, runFrom, table);
  if (command === null) {
    const named = modelLines[countBefore(modelLines, table) - 1];
    const sole = named?.isSole && /\.gguf$/i.test(named.value) && isOwn(named.from) ? named.value : null;
    return given(modelAbove(landmarks, freeFrom, table) ?? sole) ?? loaded();
  }
  const models = modelsOf(command);
  // A command above an earlier table does not apply below a line with the model of this table.
  const above = command.from < freeFrom || models.length === 0 ? modelAbove(landmarks, freeFrom, table) : null;
  // A server that loads a second file was started again.
  const isRestarted = new Set(linesBetween(files, runFrom, table).map(({ value }) => value)).size > 1;
  if (above !== null || isRestarted) return given(above) ?? loaded();
  return models.length > 1 ? null : (toFact(models) ?? loaded());
}

function readFileType({ files, types }: Landmarks, runFrom: number, table: number): Fact<string> | null {
  const from = linesBetween(files, runFrom, table).at(-1)?.from ?? runFrom;
  const type = toFileType(onlyValue(linesBetween(types, from, table)) ?? '');
  return type === null || type.origin === 'inferred' ? type : { ...type, origin: 'context' };
}

/**
 * Reads the context of a table. `table` is the range of the table, `free` the range between the adjacent tables; all lines
 * are 1-based and inclusive. If the table names no backend (null), the devices come from the backend that listed any. The
 * model is set only if the nearest source before the table names exactly one. A command that names one model does not apply
 * to rows of another.
 */
export function readLlamaContext(
  artifact: ArtifactText,
  table: { from: number; to: number },
  free: { from: number; to: number },
  backend: string | null,
  program: LlamaProgram = 'llama-bench',
  isOwn: IsOwnModel = () => true,
): LlamaContext {
  const landmarks = findLandmarks(artifact, program);
  const { commands } = landmarks;
  const before = countBefore(commands, table.from);
  const last = commands[before - 1] ?? null;
  const command = last !== null && toFact(modelsOf(last)) !== null && !isOwn(last.from) ? null : last;
  const next = commands[before]?.from ?? artifact.lines.length + 1;
  const runFrom = Math.max(free.from, last?.from ?? 1);
  const repetitions =
    command === null ? null : Number(optionValues(command, '-r', '--repetitions').at(-1) ?? Number.NaN);
  const devices = readDevices(artifact, runFrom, table.from - 1, backend);
  const found = Math.max(devices.length, readFound(artifact, runFrom, table.from - 1, backend) ?? 0);
  return {
    model: readModel(landmarks, command, table.from, { freeFrom: free.from, runFrom, isOwn }),
    fileType: readFileType(landmarks, runFrom, table.from),
    command,
    runFrom,
    devices,
    found: found === 0 ? null : found,
    repetitions: repetitions !== null && Number.isSafeInteger(repetitions) && repetitions > 0 ? repetitions : null,
    build:
      readBuild(artifact, table.to + 1, Math.min(free.to, next - 1)) ?? readBuild(artifact, runFrom, table.from - 1),
  };
}
