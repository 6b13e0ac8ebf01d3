import { isWaived } from '../../catalogue/names/normalise.ts';
import { quantizationHint } from '../../catalogue/names/quantization-hint.ts';
import { type CommandLine, findCommand } from '../reading/context/command-line.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { countBefore } from '../reading/text/by-line.ts';
import { findSections, type Section, sectionAt } from '../reading/text/sections.ts';

/** Programs of the family. Each has a different table format. */
export type LlamaProgram = 'llama-bench' | 'llama-batched-bench' | 'llama-sweep-bench' | 'llama-server' | 'llama-cli';

const isProgram: Record<LlamaProgram, RegExp> = {
  'llama-bench': /(?:^|[/\\`❯$])llama-bench(?:\.exe)?$/,
  'llama-batched-bench': /(?:^|[/\\`❯$])llama-batched-bench(?:\.exe)?$/,
  'llama-sweep-bench': /(?:^|[/\\`❯$])llama-sweep-bench(?:\.exe)?$/,
  'llama-server': /(?:^|[/\\`❯$])llama-server(?:\.exe)?$/,
  'llama-cli': /(?:^|[/\\`❯$])llama-(?:cli|completion)(?:\.exe)?$/,
};

/** `Model: x.gguf`, `**Model:** [name](https://huggingface.co/org/name)`, `- Model: org/name`. */
const modelLine =
  /^\s*(?:[-*+] {1,4})?\**Model\**:\**\s{1,20}(?:\[[^\]]{0,200}\]\()?[`<]?([^\s`<>()]{1,300})[`>)]?\s*$/i;
/** A file as a heading or in bold, alone on its line: `### name.gguf`. */
const titleLine = /^(?:#{1,6} {1,4}|\*\*)[`*]{0,3}([^\s`*#]{1,300}\.gguf)[`*]{0,3}:?(?:\*\*)?\s*$/i;
const repository =
  /^(?:(?:https?:\/\/)?(?:www\.)?(?:huggingface\.co|hf\.co)\/)?([A-Za-z][\w.-]*\/[\w.-]+)(?:\/tree\/\w+)?\/?$/;
/** Printed while a model is loaded, by llama-server and by all programs. */
const fileLine = /\bload_model: loading model '([^']{1,300}\.gguf)'\s*$/;
const nameLine = /\b(?:print_info|llm_load_print_meta): general\.name\s{1,30}= (.{1,200}?)\s*$/;
const typeLine = /\b(?:print_info: file type|llm_load_print_meta: model ftype)\s{1,30}= (.{1,60}?)\s*$/;

/** A line that states a fact. */
export interface StatedLine {
  from: number;
  value: string;
}

/** Lines of an artifact that say what ran, cached: every table searches for those before it. */
export interface Landmarks {
  commands: CommandLine[];
  /** `Model:` lines. `isSole` is true for a file until another model is named. */
  modelLines: (StatedLine & { isSole: boolean })[];
  /** Files that a server loaded. */
  files: StatedLine[];
  /** Names and file types of loaded models. */
  names: StatedLine[];
  types: StatedLine[];
  sections: readonly Section[];
}

const landmarksOf = new WeakMap<ArtifactText, Map<LlamaProgram, Landmarks>>();

export function findLandmarks(artifact: ArtifactText, program: LlamaProgram): Landmarks {
  const known = landmarksOf.get(artifact) ?? new Map<LlamaProgram, Landmarks>();
  landmarksOf.set(artifact, known);
  const landmarks = known.get(program) ?? searchLandmarks(artifact, program);
  known.set(program, landmarks);
  return landmarks;
}

/** The file or repository of a `Model:` line, or the file of a title; null if the line has another text. */
function readModelLine(text: string): string | null {
  const named = modelLine.exec(text)?.[1] ?? titleLine.exec(text)?.[1] ?? '';
  if (/\.gguf$/i.test(named)) return named;
  return isWaived(named) ? null : (repository.exec(named)?.[1] ?? null);
}

/** A printed name without its quantization, which is that of the weights from which the file was converted. */
function readName(text: string): string | null {
  const name = nameLine.exec(text)?.[1] ?? '';
  const bare = name.replace(quantizationHint(name) ?? '', '').replace(/[-_. ]+$/, '');
  return isWaived(bare) ? null : bare;
}

function searchLandmarks(artifact: ArtifactText, program: LlamaProgram): Landmarks {
  const landmarks: Landmarks = {
    commands: [],
    modelLines: [],
    files: [],
    names: [],
    types: [],
    sections: findSections(artifact),
  };
  const { commands, modelLines, files, names, types } = landmarks;
  const words = ['.gguf', 'Model:', 'Model**:', 'general.name', 'file type', 'model ftype'];
  // llama-cli is a chat since December 2025; llama-completion has its former output.
  const programs = program === 'llama-cli' ? [program, 'llama-completion'] : [program];
  for (const line of artifact.linesWith(...programs, ...words)) {
    if (line <= (commands.at(-1)?.to ?? 0)) continue;
    const text = artifact.lineAt(line);
    if (programs.some((name) => text.includes(name))) {
      const command = findCommand(artifact, line, ([word = '']) => isProgram[program].test(word));
      if (command !== null) commands.push(command);
    }
    const named = readModelLine(text);
    if (named !== null) {
      const before = modelLines.at(-1);
      const isSole = before === undefined || (before.isSole && before.value === named);
      modelLines.push({ from: line, value: named, isSole });
    }
    const file = program === 'llama-server' ? fileLine.exec(text)?.[1] : undefined;
    const name = readName(text);
    const type = typeLine.exec(text)?.[1];
    if (file !== undefined) files.push({ from: line, value: file });
    if (name !== null) names.push({ from: line, value: name });
    if (type !== undefined) types.push({ from: line, value: type });
  }
  return landmarks;
}

/** Lines from `from` to before `to` (1-based). */
export function linesBetween<T extends { from: number }>(lines: readonly T[], from: number, to: number): T[] {
  return lines.slice(countBefore(lines, from), countBefore(lines, to));
}

/** The only value of some lines; null if there is none or several. */
export function onlyValue(lines: readonly StatedLine[]): string | null {
  const [only = null, ...others] = new Set(lines.map(({ value }) => value));
  return others.length > 0 ? null : only;
}

/**
 * The model of the nearest `Model:` line from `from` on before a table. The line must be in a section around the table, and
 * that section may name no other model.
 */
export function modelAbove({ modelLines, sections }: Landmarks, from: number, table: number): string | null {
  const lines = linesBetween(modelLines, from, table);
  const nearest = lines.at(-1);
  if (nearest === undefined) return null;
  const section = sectionAt(sections, nearest.from);
  let around = sectionAt(sections, table);
  while (around !== null && around !== section) around = around.parent;
  if (around !== section) return null;
  return onlyValue(lines.filter((line) => sectionAt(sections, line.from) === section));
}

/** A text that is equal for blocks after the same landmarks. */
export function landmarksBefore(artifact: ArtifactText, line: number, program: LlamaProgram): string {
  const { commands, files, names, types } = findLandmarks(artifact, program);
  return [program, ...[commands, files, names, types].map((lines) => countBefore(lines, line))].join(' ');
}
