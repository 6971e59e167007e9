/** The parts of a process that tell whether npm runs it. */
export interface ProcessOfScript {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly ppid: number;
}

/** Characters by which a script of a shell can be more than one command in the foreground. */
const SEVERAL_COMMANDS = /[&|;()`\n]/;

/** Words of a shell that may precede the name of a program. */
const BEFORE_PROGRAM = /^(?:\w+=.*|exec)$/;

/**
 * Reads the parent's ID if the parent is the shell in which `npx` or `npm run` runs `program`, and nothing else. Such a
 * shell waits for the program, so an end of the shell before it is a signal. Undefined otherwise: a parent may leave a
 * server behind.
 */
export function npmShell(process: ProcessOfScript, program: string): (() => number) | undefined {
  const script = process.env['npm_lifecycle_script'];
  if (script === undefined || SEVERAL_COMMANDS.test(script)) return undefined;
  const command =
    script
      .trim()
      .split(/\s+/)
      .find((word) => !BEFORE_PROGRAM.test(word)) ?? '';
  const name = command.replaceAll(/['"]/g, '').split('/').at(-1);
  return name === program ? () => process.ppid : undefined;
}
