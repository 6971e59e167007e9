/** Files below it exist for the guides: a quotation of one has the whole file. */
const EXAMPLES = 'test/guides/';
const QUOTATION = /^`(\S+)`:\n```\w*\n([\s\S]*?)^```$/gm;

/** A file quoted in a document: its path on a line of its own, and the block below. */
export interface Quotation {
  /** Relative to the repository. */
  readonly path: string;
  readonly code: string;
}

export function quotationsOf(text: string): Quotation[] {
  return [...text.matchAll(QUOTATION)].map(([, path = '', code = '']) => ({ path, code }));
}

/** The quotations that differ from their files. A missing file is a broken reference, which is reported elsewhere. */
export function staleQuotations(text: string, read: (path: string) => string | undefined): string[] {
  return quotationsOf(text).flatMap(({ path, code }) => {
    const file = read(path);
    if (file === undefined) return [];
    const isFresh = path.startsWith(EXAMPLES) ? file === code : file.includes(code);
    return isFresh ? [] : [`quotation of ${path} differs from the file`];
  });
}

/** The document with quotations as plain blocks: they are code of their files, and no examples of their own. */
export function withoutQuotations(text: string): string {
  return text.replaceAll(QUOTATION, (block) => block.replace('```ts', '```'));
}

/** The document with the examples as their files have them now. Excerpts of other files stay. */
export function withFreshQuotations(text: string, read: (path: string) => string | undefined): string {
  return text.replaceAll(QUOTATION, (block, path: string, code: string) => {
    const file = path.startsWith(EXAMPLES) ? read(path) : undefined;
    const fence = '```';
    return file === undefined ? block : block.slice(0, -(code.length + fence.length)) + file + fence;
  });
}
