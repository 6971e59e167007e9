import type { CustomResourceDefinition, CustomResourceDefinitionVersion } from '@apiserver/api/apiextensions/v1';
import { Scale } from '@apiserver/api/autoscaling/v1';
import { formatGroupVersion, type KubeObject } from '@apiserver/apimachinery';
import { dropStrayNulls, prune } from '@apiserver/apimachinery/codec/structural';
import { cloneJson, equalJson } from '@apiserver/apimachinery/json';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import type {
  AnyResourceDefinition,
  GenericStore,
  ResourceVersionDefinition,
  Strategy,
  SubresourceDefinition,
} from '@apiserver/apiserver-contracts';
import { scaleStorage } from '@apiserver/resource-kit';
import { storageVersionOf, versionsOf } from '../custom-resource-definition/types.js';
import { bodySchemas } from './body-schemas.js';
import { customColumns, scaleColumns } from './columns.js';
import { type CompiledVersion, compileVersion } from './compiled-version.js';
import { deprecationWarningOf } from './deprecation.js';
import type { ConversionAwareOptions, ResourceDefinitionOptions } from './resource-definition-options.js';
import { customScale, replicasPath, type ScaleParent } from './scale.js';
import { selectableFieldNames, selectableFieldsOf, selectablePaths } from './selectable-fields.js';
import { customStatusStrategy, customStrategy } from './strategy.js';
import { VersionStrategyOptions, versionStrategy } from './version-strategy.js';

/** In the order of upstream's discovery. */
const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const SUBRESOURCE_VERBS = ['get', 'patch', 'update'];

/** The ResourceDefinitions of a custom resource. */
export interface CustomResourceDefinitions {
  /** For storage: every version, served or not. */
  readonly stored: AnyResourceDefinition;
  /** One for each served version, because each version has its own rules, columns and subresources. */
  readonly served: readonly ServedCustomResource[];
  /**
   * The schemas of all versions, by apiVersion, if each version has objects of its own. Undefined if one form of the
   * objects is enough for all versions.
   */
  readonly converted: ReadonlyMap<string, KindSchema> | undefined;
}

interface ServedCustomResource {
  readonly version: CustomResourceDefinitionVersion;
  readonly definition: AnyResourceDefinition;
}

/**
 * Converts a CustomResourceDefinition to ResourceDefinitions, as every other resource has.
 *
 * Upstream: getOrCreateServingInfoFor of k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go
 */
export function resourceDefinitionsOf(given: ResourceDefinitionOptions): CustomResourceDefinitions {
  const { crd } = given;
  const isConverted = convertsVersions(crd);
  const options: ConversionAwareOptions = { ...given, isConverted };
  const compiled = versionsOf(crd).map((version) => compileVersion(options, version));
  const storage = compiled.find(({ version }) => version.name === storageVersionOf(crd)?.name);
  if (storage === undefined) throw new TypeError(`${crd.metadata.name ?? ''} has no storage version`);
  const schemas = new Map(compiled.map(({ kind, schema }) => [formatGroupVersion(kind), schema]));
  const bodySchema = bodySchemas(crd, schemas);
  const storedAs = (hub: CompiledVersion): AnyResourceDefinition => {
    const versions = compiled.map((one) => versionDefinition(crd, one, hub));
    const definition = { ...storedDefinition(crd, versions, hub, versionStrategy(options, hub, hub)), bodySchema };
    // Conversion repairs what was written under an older schema.
    const converted = { mayBeOutdatedAtRest: false, convertedFrom: storage.version.name };
    return isConverted ? { ...definition, ...converted } : definition;
  };
  const stored = storedAs(storage);
  const served = compiled
    .filter(({ version }) => version.served)
    .map((one) => {
      const hub = isConverted ? one : storage;
      const definition = servedDefinition(options, hub === storage ? stored : storedAs(hub), one, hub);
      return { version: one.version, definition };
    });
  return { stored, served, converted: isConverted ? schemas : undefined };
}

/** False if the versions of a definition differ in their names alone. */
function convertsVersions(crd: CustomResourceDefinition): boolean {
  const [first, ...others] = versionsOf(crd);
  if (first === undefined || others.length === 0) return false;
  return crd.spec.conversion?.strategy === 'Webhook' || others.some(({ schema }) => !equalJson(schema, first.schema));
}

/** Versions differ only in their names and in the fields that their schemas keep. */
function versionDefinition(
  crd: CustomResourceDefinition,
  compiled: CompiledVersion,
  storage: CompiledVersion,
): ResourceVersionDefinition {
  const { version, kind, schema } = compiled;
  const warning = deprecationWarningOf(crd, version);
  const base = { version: version.name, schema, ...(warning !== undefined && { deprecationWarning: warning }) };
  if (version.name === storage.version.name) return base;
  return {
    ...base,
    // Validation refuses an object with another kind.
    toHub: (object) =>
      object.apiVersion === formatGroupVersion(kind)
        ? { ...object, apiVersion: formatGroupVersion(storage.kind) }
        : object,
    fromHub: (object) => {
      const converted: KubeObject = { ...(cloneJson(object) as KubeObject), apiVersion: formatGroupVersion(kind) };
      prune(converted, compiled.structure);
      dropStrayNulls(converted, compiled.structure);
      return converted;
    },
  };
}

function storedDefinition(
  crd: CustomResourceDefinition,
  versions: readonly ResourceVersionDefinition[],
  storage: CompiledVersion,
  strategy: Strategy,
): AnyResourceDefinition {
  const { group, scope } = crd.spec;
  const names = crd.status.acceptedNames;
  const fields = versionsOf(crd).flatMap(({ selectableFields = [] }) => selectableFields);
  const paths = selectablePaths(fields);
  return {
    group,
    kind: crd.spec.names.kind,
    listKind: crd.spec.names.listKind ?? `${crd.spec.names.kind}List`,
    resource: crd.spec.names.plural,
    singular: names.singular ?? '',
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    scope: scope === 'Namespaced' ? 'Namespaced' : 'Cluster',
    versions,
    hubVersion: storage.version.name,
    storageVersion: storage.version.name,
    keyPrefix: `${group}/${crd.spec.names.plural}`,
    strategy,
    columns: [],
    subresources: {},
    verbs: VERBS,
    selectableFieldNames: selectableFieldNames(fields),
    ...(fields.length > 0 && {
      selectableFields: selectableFieldsOf(fields),
      ...(paths && { selectablePaths: paths }),
    }),
    returnDeletedObject: false,
    // Objects written under an older schema may lack its defaults and violate its constraints.
    mayBeOutdatedAtRest: Number(crd.metadata.generation ?? 1) > 1,
  };
}

function servedDefinition(
  options: ConversionAwareOptions,
  stored: AnyResourceDefinition,
  served: CompiledVersion,
  storage: CompiledVersion,
): AnyResourceDefinition {
  const { version } = served;
  const isStorageVersionUnserved = storageVersionOf(options.crd)?.served !== true;
  const strategy = new VersionStrategyOptions(options, served, storage);
  const status: SubresourceDefinition = { strategy: customStatusStrategy(strategy), verbs: SUBRESOURCE_VERBS };
  const paths = version.subresources?.scale;
  const scale = paths && {
    strategy: customStrategy(strategy),
    verbs: SUBRESOURCE_VERBS,
    schema: Scale,
    columns: scaleColumns(paths),
    override: (parent: GenericStore) => scaleStorage(parent, customScale(paths, scaleParent(options.crd, version))),
  };
  return {
    ...stored,
    isStorageVersionUnserved,
    versions: stored.versions.filter((one) => one.version === version.name),
    otherVersions: stored.versions.filter((one) => one.version !== version.name),
    strategy: versionStrategy(options, served, storage),
    ...(options.convert && { convert: options.convert }),
    columns: customColumns(
      version.additionalPrinterColumns,
      served === storage ? undefined : formatGroupVersion(served.kind),
    ),
    subresources: {
      ...(version.subresources?.status !== undefined && { status }),
      ...(scale && { scale }),
    },
    selectableFieldNames: selectableFieldNames(version.selectableFields ?? []),
  };
}

function scaleParent(crd: CustomResourceDefinition, version: CustomResourceDefinitionVersion): ScaleParent {
  const apiVersionOf = ({ name }: CustomResourceDefinitionVersion) =>
    formatGroupVersion({ group: crd.spec.group, version: name });
  const replicas = versionsOf(crd).map((one) => {
    const paths = one.subresources?.scale;
    return [apiVersionOf(one), paths === undefined ? null : replicasPath(paths)];
  });
  return { apiVersion: apiVersionOf(version), replicas: Object.fromEntries(replicas) };
}
