import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SharedContext } from '@apiserver/kube-apiserver';
import { TemporaryFolder } from '../powers/temporary-folder.js';

/** The folder of the planes' certificates and keys. It is removed with the last plane; its content stays in memory. */
export interface CertificateFolder extends AsyncDisposable {
  readonly path: string;
  /** Call this when the server has its certificates: another server may start then. */
  filled(): void;
}

/**
 * Parts that the planes of a process share, because no client can see whether they do: compiled kinds, the objects of a
 * start, and the keys of the authority.
 */
class ProcessContext {
  readonly server = new SharedContext();
  readonly #files = new Map<string, string>();
  #folder: TemporaryFolder | undefined = undefined;
  #place: string | undefined = undefined;
  #users = 0;
  /** Settles when no server is making certificates. */
  #free: Promise<void> = Promise.resolve();

  /** Waits for a plane that makes the first certificates. */
  async certificates(): Promise<CertificateFolder> {
    const before = this.#free;
    const filled = Promise.withResolvers<void>();
    this.#free = before.then(() => filled.promise);
    await before;
    this.#folder ??= this.#newFolder();
    this.#users++;
    const { path } = this.#folder;
    if (this.#files.size > 0) filled.resolve();
    return {
      path,
      filled: () => {
        this.#keep(path);
        filled.resolve();
      },
      [Symbol.asyncDispose]: async () => {
        filled.resolve();
        if (--this.#users > 0) return;
        this.#folder?.[Symbol.dispose]();
        this.#folder = undefined;
      },
    };
  }

  /** A server does not check certificates again if their folder has the path of the earlier one. */
  #newFolder(): TemporaryFolder {
    const folder = new TemporaryFolder(this.#place);
    this.#place = folder.path;
    for (const [name, content] of this.#files) {
      writeFileSync(join(folder.path, name), content, { mode: name.endsWith('.key') ? 0o600 : 0o644 });
    }
    return folder;
  }

  #keep(folder: string): void {
    if (this.#files.size > 0) return;
    for (const name of readdirSync(folder)) this.#files.set(name, readFileSync(join(folder, name), 'utf8'));
  }
}

let parts: ProcessContext | undefined;

/** Made for the first plane. */
export function processContext(): ProcessContext {
  parts ??= new ProcessContext();
  return parts;
}
