/** A sentence of a comment or a document. */
export interface Sentence {
  /** Number of the line on which its paragraph begins, from 1. */
  readonly line: number;
  readonly text: string;
}

/** The sentences in the comments of a program: blocks `/** … *​/`, and lines that are nothing but a comment. */
export function sentencesOfProgram(program: string): Sentence[] {
  return paragraphsOfProgram(program.split('\n')).flatMap(sentencesOf);
}

/** The sentences of a Markdown document: its paragraphs, list items and cells, without code and headings. */
export function sentencesOfDocument(document: string): Sentence[] {
  const withoutCode = document.replaceAll(/^ *```[\s\S]*?^ *```/gm, (block) => block.replaceAll(/[^\n]/g, ''));
  return paragraphsOfDocument(withoutCode.split('\n')).flatMap(sentencesOf);
}

function paragraphsOfProgram(lines: readonly string[]): Sentence[] {
  const paragraphs = new Paragraphs();
  let block = false;
  for (const [index, line] of lines.entries()) {
    const opened = /^\s*\/\*\*?/.exec(line)?.[0];
    if (opened !== undefined) block = true;
    const comment = opened ?? (block ? /^\s*\*?/.exec(line)?.[0] : /^\s*\/\/(?!\/)/.exec(line)?.[0]);
    if (comment === undefined) paragraphs.end();
    else paragraphs.add(index + 1, line.slice(comment.length).replace(/\*\/\s*$/, ''));
    if (block && line.includes('*/')) {
      block = false;
      paragraphs.end();
    }
  }
  return paragraphs.all();
}

function paragraphsOfDocument(lines: readonly string[]): Sentence[] {
  const paragraphs = new Paragraphs();
  for (const [index, line] of lines.entries()) {
    const cells = /^\s*\|(.*)\|\s*$/.exec(line)?.[1]?.split('|');
    if (cells === undefined) paragraphs.add(index + 1, /^#/.test(line) ? '' : line);
    for (const cell of cells ?? []) paragraphs.addWhole(index + 1, cell);
  }
  return paragraphs.all();
}

/** Joins the lines of a paragraph. An empty line ends it, and an item of a list, a tag or a source begins a new one. */
class Paragraphs {
  readonly #ended: Sentence[] = [];
  #line = 0;
  #text: string[] = [];

  add(line: number, content: string): void {
    const text = content.trim();
    if (text === '' || /^([-*] |\d+\. |@\w|Upstream: )/.test(text)) this.end();
    if (this.#text.length === 0) this.#line = line;
    if (text !== '') this.#text.push(text.replace(/^([-*>]|\d+\.) /, ''));
  }

  addWhole(line: number, content: string): void {
    this.end();
    this.add(line, content);
    this.end();
  }

  end(): void {
    if (this.#text.length > 0) this.#ended.push({ line: this.#line, text: this.#text.join(' ') });
    this.#text = [];
  }

  all(): Sentence[] {
    this.end();
    return this.#ended.filter(({ text }) => !/^(@|Upstream: |biome-ignore|v8 |c8 )/.test(text));
  }
}

/** Code becomes one word, and so do links; a full stop within brackets or a name ends nothing. */
function sentencesOf(paragraph: Sentence): Sentence[] {
  const plain = paragraph.text
    .replaceAll(/`[^`]*`/g, 'code')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/\*\*|\b(e\.g|i\.e|etc|vs)\./g, '')
    .replaceAll(/\s*Upstream: .*$/g, '');
  return plain
    .split(/(?<=[.!?]["')”]?)\s+(?=[\p{Lu}“"(]|code\b)/u)
    .map((text) => ({ line: paragraph.line, text: text.trim() }))
    .filter(({ text }) => text !== '');
}
