import { formatGroupVersion, type GroupVersionKind, type KubeObject } from '@apiserver/apimachinery';
import { type StructuralNode, type ValueValidator, valueValidator } from '@apiserver/apimachinery/codec/structural';
import { newForbidden, type StatusError } from '@apiserver/apimachinery/errors';
import type { CompilePattern } from '@apiserver/apimachinery/patterns';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { versionsOf } from '../custom-resource-definition/types.js';
import type { CheckObject } from '../rules/object-rules.js';
import type { CompiledVersion } from './compiled-version.js';
import type { ConversionAwareOptions } from './resource-definition-options.js';
import { type CustomStrategyOptions, customStrategy } from './strategy.js';

/** The facts about a version, and about the storage version, on which the strategies of its objects depend. */
export class VersionStrategyOptions implements CustomStrategyOptions {
  readonly kind: GroupVersionKind;
  readonly namespaced: boolean;
  readonly hasStatus: boolean;
  readonly scale: CustomStrategyOptions['scale'];
  readonly storedApiVersion: string;
  readonly statusVersions: readonly string[];
  readonly isConverted: boolean;
  readonly checkRules: CheckObject | undefined;
  readonly #compiled: CompiledVersion;
  readonly #storage: CompiledVersion;
  readonly #compilePattern: CompilePattern;
  #validator: ValueValidator | undefined = undefined;
  #statusValidator: ValueValidator | undefined = undefined;

  constructor(
    { crd, compilePattern, isConverted }: ConversionAwareOptions,
    compiled: CompiledVersion,
    storage: CompiledVersion,
  ) {
    const { subresources } = compiled.version;
    this.kind = compiled.kind;
    this.namespaced = crd.spec.scope === 'Namespaced';
    this.hasStatus = subresources?.status !== undefined;
    this.scale = subresources?.scale;
    this.storedApiVersion = formatGroupVersion(storage.kind);
    this.isConverted = isConverted;
    this.statusVersions = versionsOf(crd)
      .filter((version) => version.subresources?.status !== undefined)
      .map((version) => formatGroupVersion({ group: crd.spec.group, version: version.name }));
    this.checkRules = compiled.checkRules;
    this.#compiled = compiled;
    this.#storage = storage;
    this.#compilePattern = compilePattern;
  }

  get structure(): StructuralNode {
    return this.#compiled.structure;
  }

  get validator(): ValueValidator {
    this.#validator ??= valueValidator(this.#compiled.schema.validation ?? {}, this.#compilePattern);
    return this.#validator;
  }

  get statusValidator(): ValueValidator | undefined {
    const status = this.#compiled.schema.validation?.properties?.get('status');
    this.#statusValidator ??= status && valueValidator(status, this.#compilePattern);
    return this.#statusValidator;
  }

  get storedStructure(): StructuralNode {
    return this.#storage.structure;
  }
}

/** The strategy of the objects of a version, which refuses creates while the definition terminates. */
export function versionStrategy(
  options: ConversionAwareOptions,
  version: CompiledVersion,
  storage: CompiledVersion,
): Strategy {
  const strategy = customStrategy(new VersionStrategyOptions(options, version, storage));
  const { group, names } = options.crd.spec;
  return {
    ...strategy,
    prepareForCreate(context, object) {
      if (options.isTerminating()) throw creationNotAllowed({ group, resource: names.plural }, object);
      return strategy.prepareForCreate?.(context, object);
    },
  };
}

function creationNotAllowed(
  groupResource: { readonly group: string; readonly resource: string },
  { metadata }: KubeObject,
): StatusError {
  const reason = 'create not allowed while custom resource definition is terminating';
  return newForbidden(groupResource, metadata.name ?? '', reason);
}
