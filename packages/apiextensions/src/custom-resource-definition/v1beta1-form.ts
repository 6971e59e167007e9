import { isDeepStrictEqual } from 'node:util';
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
} from '@apiserver/api/apiextensions/v1';
import {
  CustomResourceDefinition as Beta,
  type CustomResourceDefinitionSpec as BetaSpec,
  type CustomResourceDefinitionVersion as BetaVersion,
} from '@apiserver/api/apiextensions/v1beta1';
import type { KubeObject } from '@apiserver/apimachinery';
import { definedMembers } from '@apiserver/apimachinery/json';
import { lowerCase } from '@apiserver/apimachinery/text';
import type { ResourceVersionDefinition } from '@apiserver/apiserver-contracts';

const WEBHOOK_PORT = 443;

/**
 * The version in which definitions are stored, although it is no longer served. Settings common to all versions are
 * in its spec once.
 * Upstream: pkg/controlplane/apiserver/apiextensions.go (EncodeVersioner)
 */
export const definitionV1beta1: ResourceVersionDefinition<CustomResourceDefinition> = {
  version: 'v1beta1',
  schema: Beta,
  applyDefaults: (object: KubeObject) => applyDefaults(object as Beta),
  toHub: (object: KubeObject) => toV1(object as Beta),
  fromHub: (object): CustomResourceDefinition => toV1beta1(object) as KubeObject as CustomResourceDefinition,
};

/** Mutates. Upstream: k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1/defaults.go */
function applyDefaults({ spec, status }: Beta): void {
  const { names } = spec;
  spec.scope ||= 'Namespaced';
  if (!names.singular) names.singular = lowerCase(names.kind);
  if (!names.listKind && names.kind !== '') names.listKind = `${names.kind}List`;
  if (!spec.versions?.length && spec.version) spec.versions = [{ name: spec.version, served: true, storage: true }];
  spec.version ||= spec.versions?.[0]?.name ?? '';
  spec.conversion ??= { strategy: 'None' };
  const { conversion } = spec;
  if (conversion.strategy === 'Webhook' && !conversion.conversionReviewVersions?.length) {
    conversion.conversionReviewVersions = ['v1beta1'];
  }
  const service = conversion.webhookClientConfig?.service;
  if (service !== undefined) service.port ??= WEBHOOK_PORT;
  spec.preserveUnknownFields ??= true;
  const storage = spec.versions?.find((version) => version.storage)?.name;
  if (storage !== undefined && (status.storedVersions ?? []).length === 0) status.storedVersions = [storage];
}

/** The settings in its spec apply to every version. Upstream: apiextensions/v1/conversion.go */
function toV1({ spec, ...rest }: Beta): CustomResourceDefinition {
  const { version: _, validation, subresources, additionalPrinterColumns, selectableFields, ...kept } = spec;
  const shared = { schema: validation, subresources, additionalPrinterColumns, selectableFields };
  const { versions = [], conversion, preserveUnknownFields, group, names, scope } = kept;
  return {
    ...rest,
    apiVersion: 'apiextensions.k8s.io/v1',
    spec: {
      group,
      names,
      scope,
      versions: versions.map((one) => versionToV1({ ...one, ...definedMembers(shared) })),
      ...(conversion === undefined ? {} : { conversion: conversionToV1(conversion) }),
      ...(preserveUnknownFields === true ? { preserveUnknownFields } : {}),
    },
  };
}

function versionToV1({ additionalPrinterColumns, ...version }: BetaVersion): CustomResourceDefinitionVersion {
  if (additionalPrinterColumns === undefined) return version;
  const columns = additionalPrinterColumns.map(({ JSONPath: jsonPath, ...column }) => ({ ...column, jsonPath }));
  return { ...version, additionalPrinterColumns: columns };
}

function conversionToV1({
  strategy,
  webhookClientConfig: clientConfig,
  conversionReviewVersions,
}: NonNullable<BetaSpec['conversion']>): NonNullable<CustomResourceDefinitionSpec['conversion']> {
  if (clientConfig === undefined && conversionReviewVersions === undefined) return { strategy };
  const webhook = {
    ...(clientConfig === undefined ? {} : { clientConfig }),
    conversionReviewVersions: conversionReviewVersions ?? null,
  };
  return { strategy, webhook };
}

function toV1beta1({ spec, ...rest }: CustomResourceDefinition): Beta {
  const { group, names, scope, conversion, preserveUnknownFields = false } = spec;
  const all = (spec.versions ?? []).map(versionToV1beta1);
  const shared = sharedOf(all);
  const { schema, ...others } = shared;
  const versions = all.map((version) => without(version, shared));
  return {
    ...rest,
    apiVersion: 'apiextensions.k8s.io/v1beta1',
    spec: {
      group,
      names,
      scope,
      versions,
      preserveUnknownFields,
      ...(all[0] === undefined ? {} : { version: all[0].name }),
      ...(schema === undefined ? {} : { validation: schema }),
      ...others,
      ...(conversion === undefined ? {} : { conversion: conversionToV1beta1(conversion) }),
    },
  };
}

function versionToV1beta1({ additionalPrinterColumns, ...version }: CustomResourceDefinitionVersion): BetaVersion {
  if (additionalPrinterColumns === undefined) return version;
  const columns = additionalPrinterColumns.map(({ jsonPath: JSONPath, ...column }) => ({ ...column, JSONPath }));
  return { ...version, additionalPrinterColumns: columns };
}

function conversionToV1beta1({
  strategy,
  webhook,
}: NonNullable<CustomResourceDefinitionSpec['conversion']>): NonNullable<BetaSpec['conversion']> {
  if (webhook === undefined) return { strategy };
  const { clientConfig, conversionReviewVersions } = webhook;
  return {
    strategy,
    ...(clientConfig === undefined ? {} : { webhookClientConfig: clientConfig }),
    ...(conversionReviewVersions === null ? {} : { conversionReviewVersions }),
  };
}

type Shared = Pick<BetaVersion, 'schema' | 'subresources' | 'additionalPrinterColumns' | 'selectableFields'>;

/** Settings common to all versions. */
function sharedOf(versions: readonly BetaVersion[]): Shared {
  const [first, ...others] = versions;
  if (first === undefined) return {};
  const { schema, subresources, additionalPrinterColumns, selectableFields } = first;
  const ofFirst: Shared = definedMembers({ schema, subresources, additionalPrinterColumns, selectableFields });
  const same = Object.entries(ofFirst).filter(([name, value]) =>
    others.every((other) => isDeepStrictEqual(other[name as keyof Shared], value)),
  );
  return Object.fromEntries(same);
}

function without(version: BetaVersion, shared: Shared): BetaVersion {
  const left = Object.entries(version).filter(([name]) => shared[name as keyof Shared] === undefined);
  return { ...Object.fromEntries(left), name: version.name, served: version.served, storage: version.storage };
}
