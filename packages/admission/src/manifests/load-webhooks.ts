import type { KubeObject } from '@apiserver/apimachinery';
import { quote } from '@apiserver/apimachinery/text';
import { byName, loadManifests } from './load-manifests.js';
import type { ManifestKind } from './manifest-environment.js';
import { ManifestError } from './manifest-error.js';
import type { LoadedManifests } from './static-manifests.js';

/** A configuration of webhooks of either kind. */
interface Configuration extends KubeObject {
  readonly webhooks?: readonly Webhook[];
}

interface Webhook {
  readonly name: string;
  readonly clientConfig: { readonly url?: string; readonly service?: object };
}

const SCHEME = 'pkg/admission/plugin/webhook/manifest/loader/loader.go:41';

/**
 * Loads the configurations of webhooks of one kind. Their webhooks must have URLs.
 * Upstream: k8s.io/apiserver/pkg/admission/plugin/webhook/manifest/loader
 */
export async function loadWebhooks<T extends Configuration>(
  directory: string,
  kind: string,
  kinds: readonly ManifestKind[],
): Promise<LoadedManifests<readonly T[]>> {
  const { objects, hash } = await loadManifests(directory, {
    kinds: kinds.filter(({ gvk }) => gvk.kind === kind),
    scheme: SCHEME,
    checkStatic: (configuration: Configuration, _kind, file) => {
      for (const webhook of configuration.webhooks ?? []) checkClient(webhook, configuration.metadata.name ?? '', file);
    },
  });
  const manifests = objects.filter((object): object is T => object.kind === kind).toSorted(byName);
  return { manifests, hash, count: manifests.length };
}

function checkClient({ name, clientConfig }: Webhook, configuration: string, file: string): void {
  const where = `webhook ${quote(name)} in ${quote(configuration)} (file ${quote(file)})`;
  if (clientConfig.service !== undefined) {
    const advice = 'use clientConfig.url instead';
    throw new ManifestError(`${where}: clientConfig.service is not supported for static manifests; ${advice}`);
  }
  if ((clientConfig.url ?? '') === '') {
    throw new ManifestError(`${where}: clientConfig.url is required for static manifests`);
  }
}
