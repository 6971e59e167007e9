import { fileURLToPath } from 'node:url';
import type { WorkerOptions } from 'node:worker_threads';
import { encodeYaml, yamlToJsonText } from '@apiserver/apimachinery/codec/yaml';
import { DecodeError } from '@apiserver/apimachinery/errors';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { YamlWorkers } from './yaml-workers.js';

/** Node strips types by itself; file extensions need a hook. */
const HOOKS = `import { registerHooks } from 'node:module';
registerHooks({ resolve: (name, context, next) => next(name.startsWith('.') ? name.replace(/\\.js$/, '.ts') : name, context) });`;

const options: WorkerOptions = {
  execArgv: ['--conditions=@apiserver/source', `--import=data:text/javascript,${encodeURIComponent(HOOKS)}`],
};
const sources = () => new YamlWorkers({ file: fileURLToPath(new URL('yaml-worker.ts', import.meta.url)), options });
const code = (text: string) => new YamlWorkers({ file: text, options: { eval: true } });

const MAX = 100_000;
const never = new AbortController().signal;
const bytes = (text: string) => Buffer.from(text);

async function outcome(run: () => unknown): Promise<unknown> {
  try {
    const text = (await run()) as ReturnType<typeof yamlToJsonText>;
    return text && { ...text, json: Buffer.from(text.json).toString() };
  } catch (error) {
    return error instanceof DecodeError ? { reason: error.reason, message: error.message } : error;
  }
}

describe('YamlWorkers', () => {
  const workers = sources();
  afterAll(() => workers[Symbol.asyncDispose]());

  const both = async (text: string) => ({
    beside: await outcome(() => workers.parse(bytes(text), MAX, never)),
    inPlace: await outcome(() => yamlToJsonText(bytes(text), MAX)),
  });

  it.each([
    ['an object', 'a: 1\nb: [c, 1.5, 9007199254740993, ~, {d: "\\ud83d\\ude00 é"}]\n'],
    ['keys that occur twice', 'a: 1\na: 2\n'],
    ['a syntax error', 'a: [\n'],
    ['a value that JSON has not', 'a: .nan\n'],
    ['too many values', `a: [${'1,'.repeat(2 * MAX + 2)}]`],
    ['a thousand levels', '['.repeat(990) + ']'.repeat(990)],
    ['more levels', '['.repeat(1_001) + ']'.repeat(1_001)],
  ])('returns what it does in place: %s', async (_, text) => {
    const { beside, inPlace } = await both(text);
    expect(beside).toEqual(inPlace);
  });

  it('gives the same result as in place', async () => {
    const text = fc.oneof(
      fc.jsonValue().map((value) => Buffer.from(encodeYaml(value)).toString()),
      fc.string({
        unit: fc.constantFrom('a', ':', ' ', '\n', '-', '[', ']', '{', '}', ',', '"', '&', '*', '1', '#', '|'),
      }),
    );
    await fc.assert(
      fc.asyncProperty(text, async (yaml) => {
        const { beside, inPlace } = await both(yaml);
        expect(beside).toEqual(inPlace);
      }),
      { numRuns: 200 },
    );
  });

  it('serves all that wait, and leaves the bytes to the caller', async () => {
    const bodies = Array.from({ length: 8 }, (_, i) => bytes(`a: ${i}\n`));
    const texts = await Promise.all(bodies.map((body) => outcome(() => workers.parse(body, MAX, never))));
    expect(texts).toEqual(bodies.map((_, i) => ({ json: `{"a":${i}}`, duplicates: undefined })));
    expect(bodies.map(String)).toEqual(bodies.map((_, i) => `a: ${i}\n`));
  });
});

const ANSWERING = `const { parentPort } = require('node:worker_threads');
parentPort.on('message', ({ yaml }) => {
  const text = Buffer.from(yaml).toString();
  if (text === 'die') process.exit(3);
  if (text === 'throw') throw new Error('a bug');
  if (text === 'grow') for (const kept = []; ; ) kept.push({ a: 1, b: 2, c: 3 });
  if (text === 'hang') for (;;);
  parentPort.postMessage({ text: { json: Uint8Array.from(yaml), duplicates: undefined } });
});
parentPort.postMessage('online');`;

describe('a thread that dies', () => {
  it.each([
    ['die', new Error('the thread that parses YAML has ended')],
    ['throw', new Error('a bug')],
    ['grow', undefined],
  ])('ends its request alone: %s', async (body, expected) => {
    await using workers = code(ANSWERING);
    const failing = outcome(() => workers.parse(bytes(body), MAX, never));
    const others = [1, 2, 3].map((i) => outcome(() => workers.parse(bytes(`${i}`), MAX, never)));
    expect(await failing).toEqual(expected);
    expect(await Promise.all(others)).toEqual([1, 2, 3].map((i) => ({ json: `${i}`, duplicates: undefined })));
    expect(await outcome(() => workers.parse(bytes('4'), MAX, never))).toEqual({ json: '4', duplicates: undefined });
  });
});

/** A worker that reports a message before it has loaded as a fault. */
const EARLY = `const { parentPort, receiveMessageOnPort } = require('node:worker_threads');
if (receiveMessageOnPort(parentPort) !== undefined) throw new Error('too early');
parentPort.on('message', () => parentPort.postMessage({ text: { json: Buffer.from('"of the thread"'), duplicates: undefined } }));
parentPort.postMessage('online');`;

describe('a thread that has not loaded', () => {
  it('gets no work', async () => {
    await using workers = code(EARLY);
    const first = outcome(() => workers.parse(bytes('1'), MAX, never));
    expect(await first).toEqual({ json: '"of the thread"', duplicates: undefined });
  });
});

describe('a request that is given up', () => {
  it.each(['under way', 'waiting', 'before it was made'])('ends its wait: %s', async (when) => {
    await using workers = code(ANSWERING);
    const giveUp = new AbortController();
    const gone = new Error('the client has gone');
    if (when === 'before it was made') giveUp.abort(gone);
    // There are only two threads, so a third request waits.
    const busy = when === 'waiting' ? [1, 2].map(() => workers.parse(bytes('hang'), MAX, never)) : [];
    const given = workers.parse(bytes('hang'), MAX, giveUp.signal);
    const settled = Promise.allSettled([...busy]);
    giveUp.abort(gone);
    await expect(given).rejects.toBe(gone);
    if (when !== 'waiting') {
      expect(await outcome(() => workers.parse(bytes('1'), MAX, never))).toEqual({ json: '1', duplicates: undefined });
    }
    await workers[Symbol.asyncDispose]();
    expect((await settled).map(({ status }) => status)).toEqual(busy.map(() => 'rejected'));
  });
});

describe('where no thread can be started', () => {
  it.each([
    ['there is no file', () => new YamlWorkers()],
    ['the file does not load', () => code("throw new Error('it misses something')")],
    ['the file is not there', () => new YamlWorkers({ file: '/nowhere/yaml-worker.js' })],
    ['threads are not allowed', () => new YamlWorkers({ file: 'worker.unknown' })],
  ])('parses in place: %s', async (_, create) => {
    await using workers = create();
    for (const text of ['a: 1', 'a: [']) {
      expect(await outcome(() => workers.parse(bytes(text), MAX, never))).toEqual(
        await outcome(() => yamlToJsonText(bytes(text), MAX)),
      );
    }
  });
});
