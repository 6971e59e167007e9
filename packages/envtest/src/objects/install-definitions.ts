import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeObject } from '@apiserver/apimachinery';
import { ControlPlaneError } from '@apiserver/test-powers';
import { installObjects } from './install-objects.js';
import type { Manifest } from './manifest.js';
import type { PlaneRequests } from './plane-requests.js';

/** The part of a CustomResourceDefinition that matters here. */
interface DefinitionSpec {
  readonly group: string;
  readonly names: { readonly plural: string; readonly kind: string };
  readonly versions?: readonly { readonly name: string; readonly served: boolean }[];
}

/** Time for definitions to be served, as in controller-runtime. */
const PATIENCE_MS = 10_000;

/** False for an incomplete definition, such as a patch for kustomize. */
export function isDefinition({ object }: Manifest): boolean {
  return object.kind === 'CustomResourceDefinition' && specOf(object) !== undefined;
}

/** The spec of a definition with a group and a kind. */
function specOf({ spec }: KubeObject): DefinitionSpec | undefined {
  return isSpec(spec) ? spec : undefined;
}

function isSpec(spec: unknown): spec is DefinitionSpec {
  if (typeof spec !== 'object' || spec === null || !('group' in spec) || !('names' in spec)) return false;
  const { names } = spec;
  return typeof names === 'object' && names !== null && 'plural' in names && 'kind' in names;
}

/**
 * Creates definitions, and resolves when each is established, and in discovery and OpenAPI. Throws a ControlPlaneError
 * with the conditions of one that is not.
 */
export async function installDefinitions(
  requests: PlaneRequests,
  definitions: readonly Manifest[],
): Promise<readonly KubeObject[]> {
  const stored = await installObjects(requests, definitions);
  const deadline = performance.now() + PATIENCE_MS;
  for (const definition of definitions) await untilServed(requests, definition, deadline);
  return stored;
}

async function untilServed(requests: PlaneRequests, { object, origin }: Manifest, deadline: number): Promise<void> {
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${object.metadata.name}`;
  for (let pause = 1; ; pause = Math.min(pause * 2, 50)) {
    const { value } = await requests.send('GET', path);
    if (isEstablished(value) && (await isPublished(requests, specOf(object)))) return;
    if (performance.now() > deadline) {
      const conditions = JSON.stringify(conditionsOf(value));
      throw new ControlPlaneError(`${origin}: ${object.metadata.name} is not served: ${conditions}`);
    }
    await sleep(pause);
  }
}

interface Condition {
  readonly type: string;
  readonly status: string;
}

function conditionsOf(value: unknown): readonly Condition[] {
  if (typeof value !== 'object' || value === null || !('status' in value)) return [];
  const { status } = value;
  if (typeof status !== 'object' || status === null || !('conditions' in status)) return [];
  return Array.isArray(status.conditions) ? status.conditions : [];
}

function isEstablished(value: unknown): boolean {
  return conditionsOf(value).some(({ type, status }) => type === 'Established' && status === 'True');
}

/** Each served version is in discovery. OpenAPI is made from the same routes when somebody reads it. */
async function isPublished(requests: PlaneRequests, spec: DefinitionSpec | undefined): Promise<boolean> {
  for (const { name, served } of spec?.versions ?? []) {
    if (!served) continue;
    const groupVersion = `${spec?.group}/${name}`;
    const discovery = await requests.send('GET', `/apis/${groupVersion}`);
    if (!JSON.stringify(discovery.value).includes(`"name":"${spec?.names.plural}"`)) return false;
  }
  return true;
}
