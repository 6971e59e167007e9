import type { ControlPlaneOptions } from '../control-plane.js';
import { isDefinition } from '../objects/install-definitions.js';
import type { Manifest, Manifests } from '../objects/manifest.js';
import { type ManifestSource, readManifests } from '../objects/read-manifests.js';
import {
  hasConversionService,
  isWebhookConfiguration,
  type WebhookTarget,
  withLocalConversion,
  withLocalWebhooks,
} from '../webhooks/local-webhooks.js';

/** The objects of a plane in the order in which they are created. */
export interface PlaneManifests {
  readonly definitions: readonly Manifest[];
  readonly objects: readonly Manifest[];
  readonly webhooks: readonly Manifest[];
}

const DEFINITIONS: ManifestSource = { option: 'crds', accepts: isDefinition, noun: 'CustomResourceDefinition' };
const WEBHOOKS: ManifestSource = { option: 'webhooks', accepts: isWebhookConfiguration, noun: 'webhook configuration' };

/** Reads everything that the options name. Throws a ControlPlaneError. */
export function readPlaneManifests({ crds, objects, webhooks }: ControlPlaneOptions): PlaneManifests {
  const others = manifestsByKind(readManifests(objects, { option: 'objects' }));
  return {
    definitions: [...readManifests(crds, DEFINITIONS), ...others.definitions],
    objects: others.objects,
    webhooks: [...readManifests(webhooks, WEBHOOKS), ...others.webhooks],
  };
}

/** Objects of a test that runs. Throws a ControlPlaneError. */
export function readMixedManifests(manifests: Manifests): PlaneManifests {
  return manifestsByKind(readManifests(manifests, { option: 'install' }));
}

function manifestsByKind(manifests: readonly Manifest[]): PlaneManifests {
  const isOther = (manifest: Manifest) => !isDefinition(manifest) && !isWebhookConfiguration(manifest);
  return {
    definitions: manifests.filter(isDefinition),
    objects: manifests.filter(isOther),
    webhooks: manifests.filter(isWebhookConfiguration),
  };
}

/** True if a webhook of these is a service, which the plane's webhook server stands for. */
export function needWebhookServer({ definitions, webhooks }: PlaneManifests): boolean {
  return webhooks.length > 0 || definitions.some(hasConversionService);
}

/** The manifests with the test's webhook server; unchanged without one. */
export function withWebhookTarget(manifests: PlaneManifests, target: WebhookTarget | undefined): PlaneManifests {
  if (target === undefined) return manifests;
  return {
    definitions: manifests.definitions.map((definition) => withLocalConversion(definition, target)),
    objects: manifests.objects,
    webhooks: manifests.webhooks.map((configuration) => withLocalWebhooks(configuration, target)),
  };
}
