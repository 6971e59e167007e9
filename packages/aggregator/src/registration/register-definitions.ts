import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import type { GroupVersion } from '@apiserver/apimachinery';
import { equalJson } from '@apiserver/apimachinery/json';
import type { Informer } from '@apiserver/apiserver-contracts';
import type { AutoRegistration } from './auto-registration.js';
import { type ApiServicePriority, apiServiceName, localApiService } from './desired-api-service.js';

/** Behind the built-in groups; versions are sorted by name. */
const PRIORITY: ApiServicePriority = { group: 1000, version: 100 };

/** Dependencies of `registerDefinitions`. */
export interface RegisterDefinitionsOptions {
  readonly definitions: Informer<CustomResourceDefinition>;
  readonly registration: Pick<AutoRegistration, 'add' | 'remove'>;
  /** Built-in group versions keep their APIService, even if a definition has the same group version. */
  isBuiltIn(groupVersion: GroupVersion): boolean;
}

/**
 * Registers an APIService for each served group version of a custom resource. Resolves when the existing definitions
 * are processed; continues until `signal` aborts.
 * Upstream: pkg/controlplane/controller/crdregistration/crdregistration_controller.go
 */
export async function registerDefinitions(options: RegisterDefinitionsOptions, signal: AbortSignal): Promise<void> {
  const { definitions } = options;
  await definitions.synced(signal);
  const changed = (...crds: readonly CustomResourceDefinition[]): void => {
    for (const groupVersion of uniqueGroupVersions(crds)) sync(options, groupVersion);
  };
  changed(...definitions.list());
  const updated = (crd: CustomResourceDefinition, old: CustomResourceDefinition): void => {
    // Two of three events are about the status.
    if (!equalJson(servedVersions(crd), servedVersions(old))) changed(crd, old);
  };
  const unsubscribe = definitions.subscribe({ added: changed, updated, deleted: changed });
  signal.addEventListener('abort', unsubscribe, { once: true });
}

function sync({ definitions, registration, isBuiltIn }: RegisterDefinitionsOptions, groupVersion: GroupVersion): void {
  const { group, version } = groupVersion;
  const isServed = definitions
    .list()
    .some(
      ({ spec }) => spec.group === group && (spec.versions ?? []).some((one) => one.name === version && one.served),
    );
  if (isServed && !isBuiltIn(groupVersion)) registration.add(localApiService(groupVersion, PRIORITY, 'true'));
  else if (!isBuiltIn(groupVersion)) registration.remove(apiServiceName(groupVersion));
}

function servedVersions({ spec }: CustomResourceDefinition) {
  return (spec.versions ?? []).map(({ name, served }) => ({ name, served }));
}

function uniqueGroupVersions(crds: readonly CustomResourceDefinition[]): readonly GroupVersion[] {
  const all = crds.flatMap(({ spec }) =>
    (spec.versions ?? []).map(({ name }) => ({ group: spec.group, version: name })),
  );
  return [...new Map(all.map((groupVersion) => [apiServiceName(groupVersion), groupVersion])).values()];
}
