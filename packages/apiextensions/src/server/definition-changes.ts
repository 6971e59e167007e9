import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import { loadPatternEngine } from '@apiserver/apimachinery/patterns';
import type { Logger } from '@apiserver/apiserver-contracts';
import type { DefinitionController } from '../controllers/definition-queue.js';
import type { CustomResources } from './custom-resources.js';
import type { Engines } from './engines.js';

type Change = (engines: Engines) => void;

/**
 * Takes in changes of definitions in their order, whichever server made them. The first one loads the engines:
 * a server without definitions starts without it.
 */
export class DefinitionChanges {
  readonly #resources: Pick<CustomResources, 'changed' | 'removed' | 'storageOf'>;
  readonly #logger: Logger;
  /** Changes that came before the engines. */
  readonly #waiting: Change[] = [];
  #engines: Engines | undefined;
  #loading: Promise<void> | undefined;

  constructor(resources: Pick<CustomResources, 'changed' | 'removed' | 'storageOf'>, logger: Logger) {
    this.#resources = resources;
    this.#logger = logger;
  }

  /** Loads the engines now, so that changes are taken in as they come. */
  load(): Promise<void> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  /** A controller that looks at a change only after it was taken in. */
  before(controller: DefinitionController): DefinitionController {
    return {
      ...controller,
      sync: async (definition, signal) => {
        await this.#loading;
        await controller.sync(definition, signal);
      },
    };
  }

  async #load(): Promise<void> {
    const [compilePattern, readCbor] = await Promise.all([
      loadPatternEngine(),
      import('@apiserver/apimachinery/codec/cbor'),
    ]);
    const engines = { compilePattern, readCbor };
    this.#engines = engines;
    for (const change of this.#waiting.splice(0)) change(engines);
  }

  /**
   * Serves a state that is about to be written. Reports false if it cannot be served yet; the change that follows the
   * write is taken in as every other.
   */
  serves(definition: CustomResourceDefinition): boolean {
    if (this.#engines === undefined) return false;
    this.#resources.changed(definition, this.#engines);
    return this.#resources.storageOf(definition) !== undefined;
  }

  changed(definition: CustomResourceDefinition): void {
    this.#apply((engines) => this.#resources.changed(definition, engines));
  }

  removed(definition: CustomResourceDefinition): void {
    this.#apply(() => this.#resources.removed(definition));
  }

  #apply(change: Change): void {
    if (this.#engines !== undefined) {
      change(this.#engines);
      return;
    }
    this.#waiting.push(change);
    if (this.#waiting.length > 1) return;
    this.load().catch((error: unknown) => this.#logger.error(error, 'Unable to load the engines of custom resources'));
  }
}
