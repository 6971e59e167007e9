import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { repositoryRoot } from '../harness/api-server.ts';

/** A command of a page, and the lines below it. Each must be part of a line that the command prints. */
export interface ConsoleExample {
  readonly command: string;
  readonly lines: readonly string[];
}

/** The commands of the blocks that are marked `console`, in order. */
export function consoleExamples(document: string): readonly ConsoleExample[] {
  const page = readFileSync(join(repositoryRoot, document), 'utf8');
  return [...page.matchAll(/^```console\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((text) => {
        const [command = '', ...lines] = text.trimEnd().split('\n');
        return { command, lines };
      }),
  );
}

export function expectLines(output: string, { lines }: ConsoleExample): void {
  expect(lines).not.toEqual([]);
  for (const line of lines) expect(output).toContain(line);
}
