import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that only its owner can read, and that is removed with the plane or with the process. */
export class TemporaryFolder implements Disposable {
  readonly path: string;
  readonly #remove = () => rmSync(this.path, { recursive: true, force: true });

  constructor() {
    this.path = mkdtempSync(join(tmpdir(), 'envtest-'));
    process.on('exit', this.#remove);
  }

  [Symbol.dispose](): void {
    process.off('exit', this.#remove);
    this.#remove();
  }
}
