import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import { formatGroupVersion } from '@apiserver/apimachinery';
import { equalJson } from '@apiserver/apimachinery/json';
import type { InstalledResource, Logger, RestStorage } from '@apiserver/apiserver-contracts';
import { type ApiContainer, compareKubeAwareVersions } from '@apiserver/endpoints-installer';
import {
  type InstallOptions,
  installedResource,
  type KeyValueStore,
  type StorageProvider,
  type StorageProviderOptions,
} from '@apiserver/registry-store';
import { type CustomResourceDefinitions, resourceDefinitionsOf } from '../custom-resource/resource-definitions.js';
import { overlapsBuiltInStorage } from '../custom-resource-definition/built-in-storage.js';
import { isConditionTrue } from '../custom-resource-definition/types.js';
import { loadRuleEngine } from '../rules/load-rule-engine.js';
import type { RuleEngine } from '../rules/rule-engine.js';
import type { RuleObserver } from '../rules/rule-metrics.js';
import { isEarlierState } from './earlier-state.js';
import type { Engines } from './engines.js';
import { type ConversionOptions, converterOf, storageProviderOf } from './version-providers.js';

/** Time for which earlier requests may still use the previous state after a change. */
const GRACE_MS = 1000;
/** Cache limit of decoded objects of one custom resource, in bytes of their JSON. */
const MAX_DECODED_BYTES = 2 ** 20;

/** Storage of custom resources; StorageProviderOptions documents the other fields. */
export interface CustomStorageOptions
  extends Pick<
    StorageProviderOptions,
    'transformerFor' | 'uncached' | 'listsPast' | 'cacheMetrics' | 'counted' | 'storeMetrics' | 'clock' | 'codecFor'
  > {
  readonly store: KeyValueStore;
  readonly storagePrefix: string;
  readonly install: InstallOptions;
  readonly logger: Logger;
}

/** Dependencies of CustomResources. */
export interface CustomResourcesOptions extends ConversionOptions, CustomStorageOptions {
  readonly container: ApiContainer;
  readonly install: InstallOptions;
  /** Store objects in CBOR. Upstream feature gate: CBORServingAndStorage */
  readonly cbor?: StorageProviderOptions['cbor'];
  /** See StorageProviderOptions. */
  readonly unsafeDeletion?: boolean;
  /** Observes the work with rules. Default: not observed. */
  readonly ruleObserver?: RuleObserver;
  /** True if requests are audited or traced. Default: false. */
  readonly isObserved?: boolean;
}

/** One definition with its resources. */
interface Serving {
  crd: CustomResourceDefinition;
  readonly provider: StorageProvider;
  readonly stored: RestStorage;
  /** Undefined if no version is served. */
  readonly definitions: CustomResourceDefinitions;
  uninstall: (() => void) | undefined;
}

/**
 * Serves custom resources: follows CustomResourceDefinitions, and installs, replaces and removes their resources.
 *
 * Upstream: crdHandler of k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go
 */
export class CustomResources implements AsyncDisposable {
  readonly #options: CustomResourcesOptions;
  /** By name of the definition. */
  readonly #serving = new Map<string, Serving>();
  readonly #retired = new Set<StorageProvider>();
  /** The engine of rules, which all definitions share. */
  #engine: Promise<RuleEngine> | undefined;

  constructor(options: CustomResourcesOptions) {
    this.#options = options;
  }

  /** Applies the latest state of a definition. */
  changed(crd: CustomResourceDefinition, engines: Engines): void {
    const name = crd.metadata.name ?? '';
    const current = this.#serving.get(name);
    if (current !== undefined && isSame(current.crd, crd)) {
      const before = current.crd;
      current.crd = crd;
      if (isConditionTrue(before, 'Terminating') !== isConditionTrue(crd, 'Terminating')) this.#reinstall(current);
      return;
    }
    if (current !== undefined && isEarlierState(crd, current.crd)) return;
    this.removed(crd);
    if (isConditionTrue(crd, 'NamesAccepted') || isConditionTrue(crd, 'Established')) this.#serve(name, crd, engines);
  }

  /** Removes a definition's resources. */
  removed({ metadata }: Pick<CustomResourceDefinition, 'metadata'>): void {
    const serving = this.#serving.get(metadata.name ?? '');
    if (serving === undefined) return;
    this.#serving.delete(metadata.name ?? '');
    serving.uninstall?.();
    this.#retire(serving.provider);
  }

  /** The storage of a definition's objects, for all versions; undefined if it is not served. */
  storageOf({ metadata }: Pick<CustomResourceDefinition, 'metadata'>): RestStorage | undefined {
    return this.#serving.get(metadata.name ?? '')?.stored;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const providers = [...this.#retired, ...[...this.#serving.values()].map(({ provider }) => provider)];
    this.#serving.clear();
    this.#retired.clear();
    await Promise.all(providers.map((provider) => provider[Symbol.asyncDispose]()));
  }

  #serve(name: string, crd: CustomResourceDefinition, { compilePattern, readCbor }: Engines): void {
    const { store, storagePrefix, transformerFor, cbor, clock, codecFor, install, container, logger } = this.#options;
    const {
      uncached,
      listsPast,
      cacheMetrics,
      counted,
      storeMetrics,
      unsafeDeletion = false,
      isObserved,
    } = this.#options;
    const isTerminating = () => {
      const now = this.#serving.get(name)?.crd;
      return now !== undefined && isConditionTrue(now, 'Terminating');
    };
    try {
      const converter = converterOf(crd, this.#options);
      const definitions = resourceDefinitionsOf({
        crd,
        compilePattern,
        loadEngine: () => this.#loadEngine(),
        isTerminating,
        convert: converter.throughWebhook,
      });
      const provider = storageProviderOf(definitions, converter, crd, {
        store,
        root: storagePrefix,
        clock,
        codecFor,
        transformerFor,
        cbor,
        readCbor,
        unsafeDeletion,
        isObserved,
        uncached,
        listsPast,
        cacheMetrics,
        counted,
        storeMetrics,
        maxDecodedBytes: MAX_DECODED_BYTES,
      });
      const stored = installedResource(definitions.stored, provider, install).storage;
      const uninstall = installVersions({ crd, container, install }, definitions, provider);
      this.#serving.set(name, { crd, definitions, provider, stored, uninstall });
    } catch (error) {
      logger.error(error, 'Unable to serve a custom resource', { definition: name });
    }
  }

  #loadEngine(): Promise<RuleEngine> {
    this.#engine ??= loadRuleEngine(this.#options.ruleObserver);
    return this.#engine;
  }

  /** Updates the verbs in discovery; storage and watches stay. */
  #reinstall(serving: Serving): void {
    const { container, install } = this.#options;
    serving.uninstall?.();
    serving.uninstall = installVersions(
      { crd: serving.crd, container, install },
      serving.definitions,
      serving.provider,
    );
  }

  async #dispose(provider: StorageProvider): Promise<void> {
    try {
      await provider[Symbol.asyncDispose]();
    } catch (error) {
      this.#options.logger.error(error, 'Unable to free the storage of a custom resource');
    }
  }

  #retire(provider: StorageProvider): void {
    this.#retired.add(provider);
    this.#options.clock.schedule(() => {
      if (!this.#retired.delete(provider)) return;
      void this.#dispose(provider);
    }, GRACE_MS);
  }
}

/** The group version of definitions, to which they add nothing. */
const OWN = 'apiextensions.k8s.io/v1';

/** The verbs in discovery while a definition terminates. Upstream: sync of customresource_discovery_controller.go */
const TERMINATING_VERBS = ['delete', 'deletecollection', 'get', 'list', 'watch'];

function installVersions(
  {
    crd,
    container,
    install,
  }: Pick<CustomResourcesOptions, 'container' | 'install'> & { crd: CustomResourceDefinition },
  { stored, served }: CustomResourceDefinitions,
  provider: StorageProvider,
): (() => void) | undefined {
  const { group } = stored;
  const added = served.filter(({ version }) => formatGroupVersion({ group, version: version.name }) !== OWN);
  if (added.length === 0 || overlapsBuiltInStorage(crd)) return undefined;
  const isTerminating = isConditionTrue(crd, 'Terminating');
  const resources = added.map(({ definition: complete }): InstalledResource => {
    const definition = isTerminating ? { ...complete, discoveryVerbs: TERMINATING_VERBS } : complete;
    return installedResource(definition, provider, install);
  });
  const versions = added.map(({ version }) => version.name).sort(compareKubeAwareVersions);
  return container.install({ group, versions, resources });
}

/** Reports whether two states of a definition produce the same resources. */
function isSame(a: CustomResourceDefinition, b: CustomResourceDefinition): boolean {
  if (a.metadata.uid !== b.metadata.uid) return false;
  const served = (crd: CustomResourceDefinition) =>
    isConditionTrue(crd, 'NamesAccepted') || isConditionTrue(crd, 'Established');
  return (
    served(a) === served(b) && equalJson(a.spec, b.spec) && equalJson(a.status.acceptedNames, b.status.acceptedNames)
  );
}
