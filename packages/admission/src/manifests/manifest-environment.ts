import type { GroupVersionKind, KubeObject } from '@apiserver/apimachinery';
import { messageOf } from '@apiserver/apimachinery/errors';
import type { FieldError } from '@apiserver/apimachinery/field';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import type { Logger } from '@apiserver/apiserver-contracts';
import { ManifestError } from './manifest-error.js';
import type { ManifestMetrics } from './manifest-metrics.js';

/** A list of objects of one kind. */
export interface ManifestList {
  readonly items?: readonly KubeObject[] | null;
}

/** A kind that manifests may have, with its rules. */
export interface ManifestKind {
  readonly gvk: GroupVersionKind;
  readonly schema: KindSchema;
  readonly listSchema: KindSchema<ManifestList>;
  applyDefaults(object: KubeObject): void;
  /** The errors of a new object. Prepares the object as its resource does. */
  check(object: KubeObject): Promise<readonly FieldError[]>;
}

/** Input of `ManifestEnvironment`. */
export interface ManifestEnvironmentOptions {
  readonly kinds: readonly ManifestKind[];
  readonly metrics: ManifestMetrics;
  readonly logger: Logger;
  /** Calls `changed` after changes in a folder, and at intervals without any; `failed` if it cannot be watched. */
  readonly watch: (directory: string, listener: FolderListener) => void;
}

/** Hears of a folder. */
interface FolderListener {
  readonly changed: () => void;
  readonly failed: (error: unknown) => void;
}

interface Start {
  readonly plugin: string;
  start(): Promise<void>;
}

/** Dependencies that all plugins with manifests share. */
export class ManifestEnvironment {
  readonly kinds: readonly ManifestKind[];
  readonly metrics: ManifestMetrics;
  readonly logger: Logger;
  readonly watch: ManifestEnvironmentOptions['watch'];
  readonly #starts: Start[] = [];

  constructor({ kinds, metrics, logger, watch }: ManifestEnvironmentOptions) {
    this.kinds = kinds;
    this.metrics = metrics;
    this.logger = logger;
    this.watch = watch;
  }

  /** Registers the first load of a plugin's manifests. */
  onStart(plugin: string, start: () => Promise<void>): void {
    this.#starts.push({ plugin, start });
  }

  /**
   * Loads the manifests of all plugins in their order. Call it before the first request. Rejects with an Error if some
   * manifests cannot be used.
   */
  async start(): Promise<void> {
    for (const { plugin, start } of this.#starts.splice(0)) {
      try {
        await start();
      } catch (error) {
        throw new ManifestError(`failed to initialize admission plugin "${plugin}": ${messageOf(error)}`, {
          cause: error,
        });
      }
    }
  }
}
