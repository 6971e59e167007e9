import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { envtestFolder } from '../envtest/go-tests.ts';

/** A value at rest as Go's types and serializers read it; see test/envtest/storagecodec. */
export interface UpstreamView {
  readonly error?: string;
  /** True if no Go type of this kind is available and the value is protobuf. */
  readonly unregistered?: boolean;
  readonly kind: { readonly Group: string; readonly Version: string; readonly Kind: string };
  /** As a client would see it, without a revision. */
  readonly object?: StoredObject;
  /** The object in the value's own encoding. */
  readonly again?: Buffer;
  /** The object with the label, by media type. */
  readonly encoded: ReadonlyMap<string, Buffer>;
}

export interface StoredObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly resourceVersion?: string;
  };
}

/** A label that the Go program adds to encoded objects. Its value names the encoding. */
export const WRITTEN_BY = 'upstream-wrote';

/** Compiles the Go program into this folder. Returns the errors of the compiler; undefined if there are none. */
export function buildStorageCodec(folder: string): string | undefined {
  const options = { cwd: envtestFolder, encoding: 'utf8' } as const;
  const { status, stderr } = spawnSync('go', ['build', '-o', join(folder, 'storagecodec'), './storagecodec'], options);
  return status === 0 ? undefined : stderr;
}

/** The Go program, one question at a time. */
export class StorageCodec implements Disposable {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: Interface;
  readonly #responses: AsyncIterator<string>;

  constructor(folder: string) {
    this.#child = spawn(join(folder, 'storagecodec'));
    this.#lines = createInterface({ input: this.#child.stdout });
    this.#responses = this.#lines[Symbol.asyncIterator]();
  }

  async ask(value: Uint8Array): Promise<UpstreamView> {
    this.#child.stdin.write(`${JSON.stringify({ value: Buffer.from(value).toString('base64'), label: WRITTEN_BY })}\n`);
    const { value: line, done } = await this.#responses.next();
    if (done) throw new Error('storagecodec has ended');
    const { again, encoded = {}, ...view } = JSON.parse(line);
    const bytes = Object.entries<string>(encoded).map(([type, text]) => [type, Buffer.from(text, 'base64')] as const);
    return {
      ...view,
      ...(again === undefined ? {} : { again: Buffer.from(again, 'base64') }),
      encoded: new Map(bytes),
    };
  }

  [Symbol.dispose](): void {
    this.#lines.close();
    this.#child.kill();
  }
}
