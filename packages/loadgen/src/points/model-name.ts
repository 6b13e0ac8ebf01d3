/** A model as it is shown: llama.cpp names it by the path of its file. */
export const shownModel = (model: string): string => /([^\\/]+)\.gguf$/i.exec(model)?.[1] ?? model;
