/** A command that a document tells its reader to run. */
export interface ShellCommand {
  /** Path of the document, relative to the repository. */
  readonly document: string;
  /** Number of its line in the document, from 1. */
  readonly line: number;
  /** Without its comment. */
  readonly text: string;
}

/** The commands in the blocks of a Markdown document that are marked `sh`, one for each line. */
export function shellCommandsOf(document: string, text: string): ShellCommand[] {
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(({ index, 1: code = '' }) => {
    const first = text.slice(0, index).split('\n').length + 1;
    const lines = code.split('\n').map((line, i) => ({ document, line: first + i, text: withoutComment(line) }));
    return lines.filter((command) => command.text !== '');
  });
}

/** The same for commands that the prose names as code, as far as they start with `npm` or `npx`. */
export function commandsInProse(document: string, text: string): ShellCommand[] {
  return text
    .split('\n')
    .flatMap((line, i) =>
      Array.from(line.matchAll(/`(np[mx] [^`]+)`/g), ([, command = '']) => ({ document, line: i + 1, text: command })),
    );
}

/**
 * The arguments of the server in a command that starts it; undefined if it starts none. Capitals stand for a reader's
 * own words.
 */
export function serverArguments({ text }: ShellCommand): readonly string[] | undefined {
  const found = /^(?:npm start --|npx kube-apiserver) (.+)$/.exec(text)?.[1];
  return found === undefined || found === 'FLAGS' ? undefined : found.split(/\s+/);
}

/** The files of the repository that a command runs. */
export function scriptsOf({ text }: ShellCommand): readonly string[] {
  return Array.from(text.matchAll(/(?:^|&& )node ([\w./-]+)/g), ([, path = '']) => path);
}

function withoutComment(line: string): string {
  return line.replace(/(?:^|\s)#.*$/, '').trim();
}
