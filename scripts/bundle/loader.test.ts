import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Bundle, bytecodeFile } from './loader.ts';

let directory: string;
beforeEach(() => {
  directory = `${mkdtempSync(`${tmpdir()}/bundle-`)}/`;
  write(
    'entry.cjs',
    "const other = require('./other.cjs'); exports.sum = (a) => a + other.value(); exports.join = require('node:path').join;",
  );
  write(
    'other.cjs',
    "const entry = require('./entry.cjs'); exports.value = () => Object.keys(entry).length; exports.run = 1;",
  );
  write('place.cjs', 'exports.stack = new Error().stack; exports.place = [__filename, __dirname];');
});
afterEach(() => rmSync(directory, { recursive: true }));

function write(name: string, content: string | Buffer): void {
  writeFileSync(directory + name, content);
}

/** Runs the entry and keeps the bytecode of what has run. */
function record(): void {
  const bundle = new Bundle(directory);
  load(bundle, 'entry.cjs').sum?.(1);
  for (const [name, script] of bundle.scripts) writeFileSync(bytecodeFile(directory + name), script.createCachedData());
}

/**
 * Prints whether the entry and the other chunk have bytecode, and the result. A process of its own, because V8
 * remembers within a process the code that it has compiled.
 */
function inAnotherProcess(...flags: string[]): string {
  const script = `
    import { Bundle } from ${JSON.stringify(new URL('./loader.ts', import.meta.url).href)};
    const bundle = new Bundle(${JSON.stringify(directory)});
    console.log(bundle.hasBytecode('entry.cjs'), bundle.hasBytecode('other.cjs'), bundle.load('entry.cjs').sum(1));`;
  const printed = execFileSync(process.execPath, [...flags, '--input-type=module', '-e', script], { encoding: 'utf8' });
  return printed.trim();
}

/** Prints whether a chunk has bytecode that is loaded after the flags of a server were set. */
function laterInAnotherProcess(): string {
  const script = `
    import { Bundle } from ${JSON.stringify(new URL('./loader.ts', import.meta.url).href)};
    const unaware = new Bundle(${JSON.stringify(directory)});
    const bundle = new Bundle(${JSON.stringify(directory)});
    bundle.hasBytecode('entry.cjs');
    bundle.setServingFlags();
    console.log(unaware.hasBytecode('other.cjs'), bundle.hasBytecode('other.cjs'));`;
  return execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }).trim();
}

/** Runs statements in a process that has 100 descriptors. `useAll` takes those that are free, and returns them. */
function withFewDescriptors(statements: string): string {
  const script = `
    import { closeSync, openSync } from 'node:fs';
    import { Bundle } from ${JSON.stringify(new URL('./loader.ts', import.meta.url).href)};
    const newBundle = () => new Bundle(${JSON.stringify(directory)});
    const useAll = () => { for (const used = []; ; ) try { used.push(openSync('/dev/null')) } catch { return used } };
    ${statements}`;
  const node = `ulimit -n 100; exec "$0" --input-type=module -e "$1"`;
  return execFileSync('sh', ['-c', node, process.execPath, script], { encoding: 'utf8' }).trim();
}

/** The exports of a chunk, for a call. */
function load(bundle: Bundle, name: string): { readonly [name: string]: (...args: unknown[]) => unknown } {
  return bundle.load(name) as never;
}

describe('Bundle', () => {
  it('runs chunks once; they may require each other and external modules', () => {
    const bundle = new Bundle(directory);
    const { sum, join } = load(bundle, 'entry.cjs');
    expect([sum?.(1), join?.('a', 'b')]).toEqual([3, 'a/b']);
    expect(bundle.load('entry.cjs')).toBe(bundle.load('entry.cjs'));
    expect([...bundle.scripts.keys()]).toEqual(['entry.cjs', 'other.cjs']);
  });

  it('reports the file of a chunk, and the position of an error in it', () => {
    expect(new Bundle(directory).load('place.cjs')).toEqual({
      stack: expect.stringContaining(`${directory}place.cjs:1:17`),
      place: [`${directory}place.cjs`, directory],
    });
  });

  it('loads a chunk again that could not be read, or that threw', () => {
    write('needs.cjs', "exports.before = 1; exports.late = require('./late.cjs').late;");
    const bundle = new Bundle(directory);
    const replaced = 'the files of this program were replaced while it ran: restart it';
    expect(() => bundle.load('needs.cjs')).toThrow(replaced);
    expect(() => bundle.load('needs.cjs')).toThrow(replaced);
    write('late.cjs', 'exports.late = 2;');
    expect(bundle.load('needs.cjs')).toEqual({ before: 1, late: 2 });
  });

  it('loads the chunks of its own build after the next one', () => {
    const before = `${directory.slice(0, -1)}.before`;
    const bundle = new Bundle(directory);
    load(bundle, 'place.cjs');
    renameSync(directory, before);
    mkdirSync(directory);
    try {
      expect(load(bundle, 'entry.cjs').sum?.(1)).toBe(3);
    } finally {
      rmSync(before, { recursive: true });
    }
  });

  it.skipIf(process.platform === 'win32')('loads chunks in a process that has no descriptor left', () => {
    const printed = withFewDescriptors(`
      const bundle = newBundle();
      useAll();
      const { run } = bundle.load('other.cjs');
      const { join } = bundle.load('entry.cjs');
      console.log(run, join('a', 'b'), useAll().length);`);
    expect(printed).toBe('1 a/b 0');
  });

  it.skipIf(process.platform === 'win32')('takes its spare descriptor later if none was free', () => {
    const printed = withFewDescriptors(`
      const used = useAll();
      const bundle = newBundle();
      used.slice(0, 5).forEach(closeSync);
      bundle.load('place.cjs');
      useAll();
      console.log(bundle.load('other.cjs').run);`);
    expect(printed).toBe('1');
  });

  it('takes bytecode although it has changed flags of V8 for a server', () => {
    record();
    expect(laterInAnotherProcess()).toBe('false true');
  });

  it('sets flags for a server that this V8 knows', () => {
    // V8 reports an unknown flag on stderr.
    const script = `
      import { Bundle } from ${JSON.stringify(new URL('./loader.ts', import.meta.url).href)};
      new Bundle(${JSON.stringify(directory)}).setServingFlags();`;
    const { stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  });

  it('takes the bytecode that was recorded, and does the same with it', () => {
    expect(inAnotherProcess()).toBe('false false 3');
    record();
    expect(inAnotherProcess()).toBe('true true 3');
  });

  it.each([
    ['cut off', (whole: Buffer) => whole.subarray(0, -100)],
    ['empty', () => Buffer.alloc(0)],
    ['something else', () => Buffer.from('x'.repeat(1000))],
  ])('compiles where the bytecode is %s', (_, changed) => {
    record();
    const file = bytecodeFile(`${directory}entry.cjs`);
    writeFileSync(file, changed(readFileSync(file)));
    expect(inAnotherProcess()).toBe('false true 3');
  });

  it('compiles where V8 has other flags', () => {
    record();
    expect(inAnotherProcess('--no-opt')).toBe('false false 3');
  });

  it('records with the bytecode the functions that have run', () => {
    write('lazy.cjs', `exports.f = () => { ${'globalThis.x = [1, 2, 3].map((i) => i * 2); '.repeat(200)} };`);
    const bundle = new Bundle(directory);
    const { f } = load(bundle, 'lazy.cjs');
    const size = () => bundle.scripts.get('lazy.cjs')?.createCachedData().length ?? 0;
    const before = size();
    f?.();
    expect(size()).toBeGreaterThan(before * 4);
  });
});
