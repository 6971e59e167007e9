/** A block of TypeScript in a document. */
export interface CodeBlock {
  /** Path of the document, relative to the repository. */
  readonly document: string;
  /** Number of its first line in the document, from 1. */
  readonly line: number;
  readonly code: string;
}

/** The blocks of a Markdown document that are marked `ts`. */
export function codeBlocksOf(document: string, text: string): CodeBlock[] {
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map((match) => ({
    document,
    line: text.slice(0, match.index).split('\n').length + 1,
    code: match[1] ?? '',
  }));
}

/**
 * The compiler's complaints that are the document's fault. Examples leave out what the reader has of his own (`logger`,
 * say), so names that nobody declared are not; and each complaint is told with the line of the document.
 */
export function faultsOf(output: string, blocks: ReadonlyMap<string, CodeBlock>): string[] {
  const complaint = /^(?:(\S+)\((\d+),\d+\): )?error (TS\d+): (.*)$/gm;
  return [...output.matchAll(complaint)].flatMap(([, path = 'the compiler', line, code = '', message]) => {
    const block = blocks.get(path);
    if (block === undefined) return [`${path}: ${message}`];
    return undeclared.has(code) ? [] : [`${block.document}:${block.line + Number(line) - 1}: ${message}`];
  });
}

/** "Cannot find name", the same with a suggestion, and of a shorthand property. */
const undeclared = new Set(['TS2304', 'TS2552', 'TS18004']);
