import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that only its owner can read. It is made on first use, and removed with the plane or with the process. */
export class TemporaryFolder implements Disposable {
  #path: string | undefined = undefined;
  readonly #place: string | undefined;
  readonly #remove = () => {
    if (this.#path !== undefined) rmSync(this.#path, { recursive: true, force: true });
  };

  /** `place`: where it shall be, unless something is there already. */
  constructor(place?: string) {
    this.#place = place;
  }

  get path(): string {
    if (this.#path === undefined) {
      this.#path = madeAt(this.#place) ?? mkdtempSync(join(tmpdir(), 'envtest-'));
      process.on('exit', this.#remove);
    }
    return this.#path;
  }

  [Symbol.dispose](): void {
    process.off('exit', this.#remove);
    this.#remove();
    this.#path = undefined;
  }
}

function madeAt(place: string | undefined): string | undefined {
  if (place === undefined) return undefined;
  try {
    mkdirSync(place, { mode: 0o700 });
    return place;
  } catch {
    return undefined;
  }
}
