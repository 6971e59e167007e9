import type { CustomResourceDefinition, CustomResourceDefinitionVersion } from '@apiserver/api/apiextensions/v1';
import { compareKubeAwareVersions } from '@apiserver/endpoints-installer';
import { versionsOf } from '../custom-resource-definition/types.js';

/**
 * The warning for requests to a deprecated version; undefined if it is not deprecated.
 *
 * Upstream: defaultDeprecationWarning of k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go
 */
export function deprecationWarningOf(
  definition: CustomResourceDefinition,
  { name, deprecated, deprecationWarning }: CustomResourceDefinitionVersion,
): string | undefined {
  if (deprecated !== true) return undefined;
  if (deprecationWarning !== undefined) return deprecationWarning;
  const { group, names } = definition.spec;
  const message = `${group}/${name} ${names.kind} is deprecated`;
  const [better] = versionsOf(definition)
    .filter((version) => version.served && version.deprecated !== true)
    .map((version) => version.name)
    .filter((version) => compareKubeAwareVersions(version, name) < 0)
    .sort(compareKubeAwareVersions);
  return better === undefined ? message : `${message}; use ${group}/${better} ${names.kind}`;
}
